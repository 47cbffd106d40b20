// The end of a case: the verdict, the line of code, the graph with the culprit's own fault lit, the pass write by write.
import { $, drawGraph, later, nodeOf, still, stop } from "./drawing.js";
import { cost, evidence, fitting, game, keepResult, probes, provenAfter, runs, share, wouldPart } from "./game.js";
import { DATA } from "./made.js";
import { measured, named, NOTHING, onLeaves, pass, passes, rootOf, same, slopes, sourceOf, STALE } from "./passes.js";
import { draw, say, squareItems } from "./panels.js";
import { kept } from "./storage.js";
import { bold, count, escaped, nice, places, quoted, suspect, t, texts } from "./words.js";

/** The boxes at a corner of relu, where no slope is true. */
const corners = (graph, at) => graph.n.map(([name]) => name).filter((name) => measured(graph, at, name).corner);
/**
 * What arrows brought and what was due, for those at fault: they did not bring their slope times what their box ended
 * with. Due is what a right engine sends; an arrow that brought just that is left out, and one into relu's corner.
 */
function wrongShares({ data, grad, handed, erasures }, along, right) {
  const { graph } = game;
  const sent = {};
  for (const key in along) {
    const [name, op] = graph.n[key.split(".")[0]];
    const due = along[key] * right[name];
    const wasErased = erasures.some((each) => each.key === key);
    const isRight = same(handed[key], along[key] * grad[name]) || (same(handed[key], due) && !wasErased);
    const isCorner = op === "relu" && data[sourceOf(graph, key)] === 0;
    if (!isRight && !isCorner) sent[key] = { handed: nice(handed[key]), due: nice(due) };
  }
  return sent;
}
/** What a suspect did wrong in one pass: the labels of arrows and boxes that are at fault, not of those that suffer. */
export function faultsOf(id, at, before) {
  const { graph } = game;
  const result = pass(id, graph, at, before);
  const along = slopes(graph, result.data);
  const sent = wrongShares(result, along, pass(NOTHING, graph, at).grad);
  const edges = Object.fromEntries(Object.keys(sent).map((key) => [key, t("not_due", sent[key])]));
  const nodes = {};
  const erasers = new Set();
  const root = rootOf(graph);
  if (!same(result.grad[root], 1)) nodes[root] = nice(result.grad[root]);
  for (const { key, by } of result.erasures) {
    if (!edges[key]) continue;
    edges[key] = t("erased", { share: nice(along[key] * result.grad[graph.n[key.split(".")[0]][0]]) });
    edges[by] ??= " ";
    erasers.add(by);
  }
  for (const x in id === STALE ? before : {}) if (!same(before[x], 0)) nodes[x] = t("left_over", { x: nice(before[x]) });
  return { result, edges, sent, nodes, erasers };
}
/**
 * The runs up to the one at whose inputs the end is told: the player's last that shows something wrong (at a corner
 * nothing is); else, as `own`, telling inputs.
 */
function scene() {
  const { graph, level } = game;
  const all = evidence(level.culprit);
  const ats = runs().map((move) => move.at);
  if (level.culprit === NOTHING && ats.length) return { ats };
  const shows = (at, i) => {
    const [right, atCorner] = [pass(NOTHING, graph, at).grad, corners(graph, at)];
    return graph.n.some(([name]) => !atCorner.includes(name) && !same(all[i].grad[name], right[name]));
  };
  const i = ats.findLastIndex(shows);
  if (i >= 0) return { ats: ats.slice(0, i + 1) };
  const at = named(graph, level.telling);
  return { ats: level.culprit === STALE ? [at, at] : [at], own: level.culprit !== NOTHING };
}

/** isAgain: the case was over before, and is only looked at. */
export function finish(isAgain) {
  const { level, graph } = game;
  if (!isAgain) keepResult();
  stop();
  const { ats, own } = scene();
  const at = ats.at(-1);
  game.at = { ...at };
  game.pad = null;
  const before = ats.length > 1 ? onLeaves(graph, passes(level.culprit, graph, ats).at(-2).grad) : null;
  const faults = faultsOf(level.culprit, at, before);
  const { data, grad: right } = pass(NOTHING, graph, at);
  game.scene = { result: faults.result, faults, data, right, corners: corners(graph, at) };
  $("main").classList.add("over");
  draw();
  drawGraph(game.scene);
  const won = game.over === "won";
  $("#end").className = won ? "" : "lost";
  $("#end").innerHTML = verdict(won) + cause(own, at, faults) + buttons(won) + others(ats, faults) + further();
  $("#end").hidden = false;
  $("#who").hidden = true;
  const who = quoted(level.culprit);
  if (won) say(`<b class="good">${level.culprit === NOTHING ? t("won_nothing") : t("won", { who })}</b>`);
  else say(level.culprit === NOTHING ? t("was_nothing") : t("was", { who }));
  if (isAgain) return;
  $("#end").focus({ preventScroll: true });
  if (innerWidth <= 1000) $("#stage").scrollIntoView({ behavior: still.matches ? "auto" : "smooth", block: "start" });
}

const lostHead = () => (game.level.culprit === NOTHING ? t("accused_innocent") : t("got_away"));
function verdict(won) {
  const { level, log } = game;
  const lucky = log.at(-1)?.kind === "lucky";
  const perfect = won && !lucky && probes() <= level.par;
  const done = t("solved", { count: count(probes()) });
  const perfectly = perfect ? ` ${t("perfect")}` : "";
  const head = lucky ? t("lucky") : won ? done + perfectly : lostHead();
  const who = new Intl.ListFormat(t("locale")).format(fitting().map(quoted));
  const twice = log.some((move) => cost(move) > 1) ? `${t("two_squares")} ` : "";
  const luck = lucky ? `<p>${t("fitted_too", { who })} ${wouldPart()}</p>` : "";
  const better = perfect ? "" : `<p class="soft">${twice}${advice(level.par)}</p>`;
  return `<h3 id="verdict">${head}</h3><ol class="squares" aria-label="${t("your_squares")}">${squareItems()}</ol>${luck}${better}${ending()}`;
}
/** What is said at the end of the last case. */
function ending() {
  if (game.level.key !== DATA.cases.length) return "";
  const n = Object.values(kept.cases).filter((each) => each.won).length;
  return `<p>${t("the_end", { n, of: DATA.cases.length })}</p>`;
}
/** Which runs would have been enough: the player's first ones, or others. */
function advice(n) {
  if (provenAfter() <= n) return n === 1 ? t("enough_one") : t("enough", { n: numeral(n) });
  return n === 1 ? t("best_one") : t("best", { n: numeral(n) });
}
const numeral = (n) => t("numerals").split(" ")[n];
/** A sentence on the culprit, with the names and numbers of this graph. */
function story(id) {
  const { graph, scene: { data, result } } = game;
  const root = rootOf(graph);
  const made = (fits) => graph.n.find(fits) ?? ["", "", ["", ""]];
  const [out, , [of, times]] = made(([, op, inputs]) => op === "*" && typeof inputs[1] === "number");
  const [, , [twin]] = made(([, , inputs]) => inputs.length > 1 && inputs[0] === inputs[1]);
  const isLate = ({ to }, i) => result.writes.slice(0, i).some((write) => write.from === to);
  const late = result.writes.find(isLate) ?? {};
  const words = { root, value: nice(data[root]), out, of, times, twin, early: late.to, late: late.from };
  return bold(texts().stories[id].replace(/\{(\w+)\}/g, (_, name) => words[name]));
}
function cause(own, at, faults) {
  const { culprit } = game.level;
  const { edges, nodes } = faults;
  const told = `<p><b>${escaped(suspect(culprit))}.</b> ${story(culprit)}</p>`;
  const marked = (sign, kind) => (line) => `<span class="${kind}">${sign} ${escaped(line)}</span>`;
  const [right, wrong] = DATA.code[culprit] ?? [[], []];
  const code = [...wrong.map(marked("✕", "was")), ...right.map(marked("✓", "be"))].join("\n");
  const lines = code && `<details><summary>${t("code")}</summary><pre>${code}</pre></details>`;
  if (!Object.keys({ ...edges, ...nodes }).length) return told + lines;
  const words = [own && t("shown_at", { at: places(at) }), meaning(faults), othersSuffer(faults) && t("lit_others")].filter(Boolean);
  return `${told}<p>${words.join(" ")}<span class="hear">${heardEdges(faults)}</span></p>${lines}`;
}
/** What the red arrows and boxes mean. */
function meaning({ sent, nodes, erasers }) {
  const [key] = Object.keys(sent).sort((one, other) => parseInt(other, 10) - parseInt(one, 10)); // nearest the output
  if (!key) return Object.keys(nodes).length > 1 ? t("lit_boxes") : t("lit_box");
  const [from, to] = [game.graph.n[key.split(".")[0]][0], sourceOf(game.graph, key)];
  return erasers.size ? t("lit_erased", { to }) : t("lit_edge", { from, to, ...sent[key] });
}
/** Whether boxes are wrong that no faulty arrow leads back to. */
function othersSuffer({ result, edges, nodes }) {
  const { graph, scene: { right, corners: neutral } } = game;
  const atFault = new Set([...Object.keys(nodes), ...Object.keys(edges).map((key) => sourceOf(graph, key))]);
  return graph.n.some(([x]) => !atFault.has(x) && !neutral.includes(x) && !same(result.grad[x], right[x]));
}
/** The labels of the arrows that are at fault, for those who listen. */
function heardEdges({ edges }) {
  const described = (key) =>
    t("hear_arrow", { from: game.graph.n[key.split(".")[0]][0], to: sourceOf(game.graph, key), told: edges[key].replace("\n", " ") });
  return Object.keys(edges).filter((key) => edges[key].trim()).map(described).map((each) => ` ${each}`).join("");
}
function buttons(won) {
  const { level } = game;
  const follows = !level.daily && level.key < DATA.cases.length;
  const next = follows ? level.key + 1 : unsolved();
  const label = follows ? t("next") : t("case_number", { n: next });
  const forward = next ? `data-case="${next}">${label}` : `data-open="today">${t("todays")}`;
  const again = level.daily ? "" : `<button type="button" data-case="${level.key}">${won ? t("again") : t("try_again")}</button>`;
  const where = location.protocol.startsWith("http") ? ` ${location.href}` : "";
  return (
    `<div class="acts"><button type="button" class="next" ${forward} <kbd>Enter</kbd></button><button type="button" data-play>${t("watch")}</button>` +
    `<button type="button" data-copy="${escaped(share() + where)}">${t("copy")}</button>${again}</div>`
  );
}
export const unsolved = () => DATA.cases.findIndex((_, i) => !kept.cases[i + 1]?.won) + 1 || null;

/** What each suspect would have shown in the last of these runs, in the boxes where they differ, inputs first. */
function others(ats, faults) {
  const { graph, level } = game;
  const shown = Object.fromEntries(level.suspects.map((id) => [id, passes(id, graph, ats).at(-1).grad]));
  const differ = (x) => level.suspects.some((id) => !same(shown[id][x], faults.result.grad[x]));
  const inputsFirst = [...graph.n].sort((a, b) => Boolean(a[1]) - Boolean(b[1]));
  const names = inputsFirst.map(([name]) => name).filter(differ);
  const row = (id) => {
    const grad = shown[id];
    const isLike = (x) => same(grad[x], faults.result.grad[x]);
    const alike = id !== level.culprit && names.every(isLike) ? ` <small>${t("same")}</small>` : "";
    const cells = names.map((x) => `<td${isLike(x) ? "" : ' class="faint"'}>${nice(grad[x])}</td>`).join("");
    return `<tr class="${id === level.culprit ? "culprit" : ""}"><th scope="row">${escaped(suspect(id))}${alike}</th>${cells}</tr>`;
  };
  const head = `<thead><tr><td class="grad">grad</td>${names.map((x) => `<th scope="col">${x}</th>`).join("")}</tr></thead>`;
  const table = `<table>${head}<tbody>${level.suspects.map(row).join("")}</tbody></table>`;
  return `<details><summary>${t("others")}</summary><div class="scroll others" tabindex="0" role="region" aria-label="${t("others")}">${table}</div></details>`;
}
/** Where the book is, from a site that has this file: the book or the page beside it; else null. */
function bookOf(path) {
  if (path.endsWith("/book/bughunt.html")) return "";
  return path.endsWith("/page/bughunt.html") ? "../book/" : null;
}
/** What the course says of it: the lesson, and what is known of published engines. Links only where the book is. */
function further() {
  const folder = bookOf(location.pathname);
  const link = (address, words) => (folder === null ? words : `<a href="${escaped(folder + address)}">${words}</a>`);
  const { bugs, lessons } = DATA;
  const title = bugs.titles[game.level.culprit];
  const section = title ? `#${title.replaceAll(" ", "-")}` : "";
  const known = link(bugs.page + section, title ? t("bugs_title", { title }) : t("bugs"));
  const [number, name, address] = lessons[game.level.culprit] ?? [];
  const lesson = number && link(`lessons/${address}`, t("lesson", { number, section: escaped(name) }));
  const said = [lesson && `${t("in_the_course")} ${lesson}.`, (title || (lesson && folder !== null)) && `${t("in_the_wild")} ${known}.`];
  return `<p class="soft">${said.filter(Boolean).join("<br>")}</p>`;
}

/** The culprit's own pass, write by write. */
export function play() {
  stop();
  const { graph, scene: known } = game;
  const { result, faults } = known;
  drawGraph(known);
  const root = rootOf(graph);
  const cell = (name) => $(`[data-grad="${name}"]`);
  const lit = (...parts) => {
    for (const part of document.querySelectorAll(".wave")) part.classList.remove("wave");
    for (const part of parts) part?.classList.add("wave");
  };
  const begins = (name) => result.writes.find((write) => write.to === name)?.old ?? result.grad[name];
  for (const [name] of graph.n) {
    cell(name).textContent = nice(begins(name));
    if (!faults.nodes[name]) nodeOf(name).classList.remove("off", "fits");
  }
  say(t("begins", { root, grad: nice(begins(root)) }));
  const pace = still.matches ? 1600 : 1250;
  result.writes.forEach(({ edge, from, to, old, value, erased }, k) => later(pace * (k + 1), () => {
    const words = { from, to, old: nice(old), value: nice(value), share: nice(value - old) };
    lit($(`[data-edge="${edge}"]`), nodeOf(to));
    cell(to).textContent = nice(value);
    say(erased ? t("wrote_over", words) : t("handed", words));
  }));
  later(pace * (result.writes.length + 1), () => {
    drawGraph(known);
    say(t("pass_over"));
  });
}
