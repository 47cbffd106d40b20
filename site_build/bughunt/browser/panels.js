// What is around the graph: the squares, the suspects, what was seen, the inputs, the rules.
import { $, drawGraph, nodeOf, stop, wave } from "./drawing.js";
import { current, game, left, MOST, runs, squares, standing, used } from "./game.js";
import { DATA } from "./made.js";
import { leavesOf, rootOf, STALE } from "./passes.js";
import { kept } from "./storage.js";
import { escaped, nice, t, texts } from "./words.js";

export const say = (html) => ($("#message").innerHTML = `<span>${html}</span>`);
const ICONS = { run: "↩", nudge: "±", hint: "?", wrong: "✕", right: "✓", lucky: "♣" };

export function draw(animated) {
  stop();
  const focused = document.activeElement?.dataset?.node;
  drawGraph();
  if (animated) wave();
  if (focused) nodeOf(focused)?.focus({ preventScroll: true });
  $("#squares").innerHTML = squareItems(MOST);
  drawSuspects();
  drawNotes();
  drawTools(left() <= 1);
}
function drawTools(isLast) {
  for (const id of ["run", "nudge", "hint"]) $(`#${id}`).disabled = Boolean(game.over || isLast || game.pad);
  $("#nudge span").textContent = t("nudge", { name: game.chosen });
  $("#run").classList.toggle("calls", game.level.key === 1 && !kept.cases[1] && !used());
  $("#pad").hidden = !(DATA.pads.includes(game.level.key) || game.level.suspects.some((id) => DATA.orders.includes(id)));
  $("#pad").classList.toggle("open", Boolean(game.pad));
  $("#pad span").textContent = game.pad ? t("pad_close") : t("pad_button");
  $("#dock").hidden = Boolean(game.over);
}

/** The squares of moves as the items of a list, up to this many. */
export function squareItems(most) {
  const words = { run: t("sq_run"), nudge: t("sq_nudge"), hint: t("sq_hint"), wrong: t("sq_wrong"), right: t("sq_right"), lucky: t("sq_lucky") };
  const kinds = squares();
  const square = (_, i) => {
    if (!kinds[i]) return `<li><span class="hear">${t("sq_free")}</span></li>`;
    const fresh = i === kinds.length - 1 ? " fresh" : "";
    return `<li class="on sq-${kinds[i]}${fresh}"><span aria-hidden="true">${ICONS[kinds[i]]}</span><span class="hear">${words[kinds[i]]}</span></li>`;
  };
  return Array.from({ length: most ?? kinds.length }, square).join("");
}

export function drawSuspects() {
  const { level, pick, out, was } = game;
  const ready = runs().length > 0;
  const item = (id, i) => {
    const [name, does] = texts().suspects[id].map(escaped);
    const kinds = [pick === id && "chosen", out.has(id) && "out", was.has(id) && "was"].filter(Boolean).join(" ");
    const off = was.has(id) ? " disabled" : "";
    const label = out.has(id) ? t("ruled_out", { name }) : t("rule_out", { name });
    const naming = ready ? t("name_it", { name }) : t("run_first");
    const name_ = `<button type="button" class="name-it" aria-disabled="${!ready}">${naming} <kbd>Enter</kbd></button>`;
    return (
      `<li class="${kinds}" data-id="${id}"><button type="button" class="pick" aria-expanded="${pick === id}"${off}>` +
      `<i class="key" aria-hidden="true">${i + 1}</i><b>${name}</b><span>${does}</span></button>` +
      `<button type="button" class="cross" aria-pressed="${out.has(id)}" aria-label="${label}"${off}>✕</button>${pick === id ? name_ : ""}</li>`
    );
  };
  $("#suspects").innerHTML = level.suspects.map(item).join("");
}

function drawNotes() {
  const { graph, log } = game;
  const inputs = leavesOf(graph);
  const names = graph.n.map(([name]) => name).reverse();
  const row = (move, k) => {
    if (!move.result && move.kind !== "nudge") return "";
    const number = (name) => (move.result ? nice(move.result.grad[name]) : name === move.node ? nice(move.slope) : "");
    const kind = move.result ? "grad" : "true";
    const lead = `<td><button type="button" data-back="${k}">${move.result ? t("sq_run") : t("sq_nudge")}</button></td>`;
    const at = inputs.map((x) => `<td class="faint">${nice(move.at[x])}</td>`).join("");
    return `<tr>${lead}${at}${names.map((name) => `<td class="${kind}">${number(name)}</td>`).join("")}</tr>`;
  };
  const rows = log.map(row).join("");
  const head = (what, kind, span) => `<th scope="colgroup" class="${kind}" colspan="${span}">${what}</th>`;
  const columns = [...inputs, ...names].map((x) => `<th scope="col">${x}</th>`).join("");
  $("#notes").hidden = !rows || Boolean(game.over);
  $("#notes table").innerHTML =
    `<thead><tr><td></td>${head(t("inputs"), "", inputs.length)}${head("grad", "grad", names.length)}</tr>` +
    `<tr><td></td>${columns}</tr></thead><tbody>${rows}</tbody>`;
}

export function drawSteppers() {
  const stepper = (x) => {
    const [range, at] = [game.graph.r[x], game.at[x]];
    const button = (by, sign, end) =>
      `<button type="button" tabindex="-1" aria-hidden="true" data-by="${by}"${at === end ? " disabled" : ""}>${sign}</button>`;
    const limits = `aria-valuemin="${range[0]}" aria-valuemax="${range.at(-1)}" aria-valuenow="${at}"`;
    return (
      `<div class="stepper" data-x="${x}"><b aria-hidden="true">${x}</b>${button(-1, "−", range[0])}` +
      `<div role="spinbutton" tabindex="0" aria-label="${x}" ${limits} aria-valuetext="${nice(at)}">${nice(at)}</div>${button(1, "+", range.at(-1))}</div>`
    );
  };
  const focused = document.activeElement?.closest?.(".stepper")?.dataset.x;
  $("#steppers").innerHTML = leavesOf(game.graph).map(stepper).join("");
  if (focused) $(`[data-x="${focused}"] [role]`)?.focus({ preventScroll: true });
}
export function step(x, by) {
  const range = game.graph.r[x];
  const to = Math.min(range.length - 1, Math.max(0, range.indexOf(game.at[x]) + by));
  if (game.over || range[to] === game.at[x]) return;
  Object.assign(game, { at: { ...game.at, [x]: range[to] }, shown: null, pad: null });
  drawSteppers();
  draw();
  const isKnown = current() && !game.level.suspects.includes(STALE);
  if (used()) say(isKnown && left() > 1 ? t("ran_these") : standing());
}

/** The rules of the operations that are in the graph. */
export function drawRules() {
  const { n } = game.graph;
  const ops = [...new Set(n.map(([, op]) => op).filter(Boolean))];
  const uses = n.flatMap(([, , inputs]) => inputs.filter((x) => typeof x === "string"));
  const rules = ops.map((op) => `<li><b>${texts().rules[op][0]}</b>: ${texts().rules[op][1]}</li>`);
  const many = uses.length > new Set(uses).size ? `<li>${t("rule_many")}</li>` : "";
  $("#right ul").innerHTML = `<li>${t("rule_begin", { root: rootOf(game.graph) })}</li>${rules.join("")}${many}`;
}
