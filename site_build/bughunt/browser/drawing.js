// The graph as SVG, and what moves in it.
import { current, game, isClose, nudges } from "./game.js";
import { DATA } from "./made.js";
import { NOTHING, pass, rootOf, slopes } from "./passes.js";
import { escaped, nice, t } from "./words.js";

export const $ = (selector) => document.querySelector(selector);
export const still = matchMedia("(prefers-reduced-motion: reduce)");
const [W, H, KW, KH] = DATA.size;
const SIGNS = { "*": "×", "-": "−", "/": "÷" };
const POWERS = { 2: "²", 3: "³" };
let timers = [];
export const later = (ms, act) => timers.push(setTimeout(act, ms));
export function stop() {
  timers.forEach(clearTimeout);
  timers = [];
}
export const nodeOf = (name) => $(`[data-node="${name}"]`);
export const local = () => slopes(game.graph, pass(NOTHING, game.graph, game.at).data);

/** From left to right or from top to bottom, whichever is drawn larger; and how large. */
function chosenLayout() {
  const { LR, TB } = game.graph;
  const room = Math.max(260, $("#stage").clientWidth - 16);
  const narrow = game.over ? 0.44 * innerHeight : innerHeight - 420;
  const high = innerWidth > 1000 ? Math.max(300, innerHeight - 400) : innerWidth > 560 ? 460 : Math.max(230, narrow);
  const [a, b] = [LR, TB].map(({ w, h }) => Math.min(room / w, high / h, 1.5));
  const least = game.over ? 0.86 : Object.keys(game.graph.r).length > 2 ? 0.82 : 0.9; // three inputs take two rows
  return a >= b * 0.96 ? [LR, a] : [TB, Math.max(b, Math.min(room / TB.w, least))];
}

const numbersIn = (path) => path.match(/-?\d+(\.\d+)?/g).map(Number);
/** An arrow turned round, for what goes back: its path and a larger head. */
function turned(path, head) {
  const [x, y, u, v] = numbersIn(path);
  const corners = numbersIn(head);
  const long = Math.hypot(u - x, v - y) || 1;
  const [dx, dy] = [(u - x) / long, (v - y) / long];
  const at = (along, across) => `${(x + along * dx - across * dy).toFixed(1)},${(y + along * dy + across * dx).toFixed(1)}`;
  return [`M${at(8, 0)}${path.slice(path.indexOf("C"))}L${corners[2]},${corners[3]}`, `${at(0, 0)} ${at(11, 4.5)} ${at(11, -4.5)}`];
}
/** On which side of a short arrow its label goes, which would hide it: -1, 1; 0 is on it. */
function besides(place, key) {
  const [i, j] = key.split(".").map(Number);
  const inputs = game.graph.n[i][2];
  const numbers = numbersIn(place.e[key][0]);
  const [dx, dy] = [numbers.at(-2) - numbers[0], numbers.at(-1) - numbers[1]];
  if (Math.hypot(dx, dy) > 70) return 0;
  if (inputs[0] === inputs[1]) return Math.sign(place.e[key][2][0] - place.e[`${i}.${1 - j}`][2][0]);
  return dx > 8 ? -1 : 1;
}
function arrow(place, key, x, along, faults) {
  const isPlain = typeof x !== "string";
  const [path, head] = faults && !isPlain ? turned(...place.e[key]) : place.e[key];
  const fault = faults?.edges[key];
  const label = fault ?? (isPlain || faults ? "" : `×${nice(along[key])}`);
  const kind = `edge${fault ? " fault" : ""}${faults?.erasers.has(key) ? " eraser" : ""}`;
  const text = label.trim() && `<g class="${kind}">${labelOf(place, key, label.trim().split("\n"), fault)}</g>`;
  return [`<g class="${kind}" data-edge="${key}"><path d="${path}"/><polygon points="${head}"/></g>`, text];
}
function labelOf(place, key, words, isFault) {
  const [, , [onArrow, ly]] = place.e[key];
  const [wide, high] = [7 * Math.max(...words.map((word) => word.length)), 13 * words.length + 2];
  const aside = isFault && place === game.graph.TB ? besides(place, key) * (wide / 2 + 6) : 0;
  const lx = onArrow + aside;
  const lines = words.map((word, i) => `<tspan x="${lx}" y="${ly + 4 + 13 * (i - (words.length - 1) / 2)}">${word}</tspan>`);
  const ground = isFault && !aside ? `<rect x="${lx - wide / 2}" y="${ly - high / 2}" width="${wide}" height="${high}" rx="4"/>` : "";
  return `${ground}<text>${lines.join("")}</text>`;
}
function constant(place, key, x) {
  const [kx, ky] = place.b[`k${key.replace(".", "_")}`];
  const frame = `<rect x="${kx}" y="${ky}" width="${KW}" height="${KH}" rx="6"/>`;
  return `<g class="constant">${frame}<text x="${kx + KW / 2}" y="${ky + 18}">${nice(x)}</text></g>`;
}
const signOf = (op, inputs) => (op === "**" ? `( )${POWERS[inputs[1]] ?? "ⁿ"}` : (SIGNS[op] ?? op));

/** What the engine says of a node, or the pad; and its true slope, if that is known. */
function numbersOf(name, { result, faults, right, corners }) {
  const nudged = faults ? undefined : nudges().find((move) => move.node === name);
  const got = game.pad ? game.pad.grads[name] : result?.grad[name];
  if (right) return { got, truth: right[name], isCorner: corners.includes(name) };
  return { got, truth: name === rootOf(game.graph) ? 1 : nudged?.slope };
}
/** The same, and whether the engine's number is right: a tick or a cross for it, and a colour of the box. */
function stateOf(name, known) {
  const { got, truth, isCorner } = numbersOf(name, known);
  const judged = !game.pad && !isCorner && truth !== undefined && got !== undefined;
  const fits = judged && isClose(got, truth);
  const isRoot = name === rootOf(game.graph);
  const colour = judged && !(isRoot && fits && !known.faults) ? (fits ? "fits" : "off") : "";
  return { got, truth, fits, colour, isRoot, isJudged: colour !== "", fault: known.faults?.nodes[name] };
}
function described(name, sign, data, { got, truth, fault, isJudged, fits }) {
  const words = { name, sign, data: nice(data), got: got === undefined ? t("not_run") : nice(got) };
  const truly = { ...words, truth: truth === undefined ? t("not_measured") : nice(truth) };
  const said = sign ? t("box", truly) : t("box_input", truly);
  return escaped([said, isJudged && !fits ? t("box_wrong") : "", fault ?? ""].filter(Boolean).join(". "));
}
function opening(name, op, label, { colour, fault, isRoot }) {
  const chosen = !game.over && !game.pad && name === game.chosen;
  const can = !game.over && (game.pad || !isRoot);
  const kinds = ["node", op ? "made" : "leaf", colour, fault && "fault", chosen && "chosen", game.pad && "pad"];
  const role = can ? `role="button" tabindex="0" aria-pressed="${chosen}"` : 'role="img"';
  return `<g class="${kinds.filter(Boolean).join(" ")}" data-node="${name}" ${role} aria-label="${label}">`;
}
function box(place, i, data, known) {
  const [name, op, inputs] = game.graph.n[i];
  const state = stateOf(name, known);
  const { got, truth, fits, isJudged, fault } = state;
  const [x, y] = place.b[`n${i}`];
  const [l, r] = [x + 8, x + W - 8];
  const sign = op && signOf(op, inputs);
  const row = (what, dy, kind, number, more = "") => {
    const text = number === undefined ? "?" : nice(number);
    const kinds = `num ${kind}${number === undefined ? " unknown" : ""}`;
    return `<text class="what" x="${l}" y="${y + dy}">${what}</text><text class="${kinds}"${more} x="${r}" y="${y + dy}">${text}</text>`;
  };
  const order = game.pad?.order.flatMap((each, turn) => (each === name ? [turn + 1] : [])).join(",");
  const parts = [
    opening(name, op, described(name, sign, data[name], state), state),
    `<rect class="ring" x="${x - 4}" y="${y - 4}" width="${W + 8}" height="${H + 8}" rx="10"/>`,
    `<rect class="box" x="${x}" y="${y}" width="${W}" height="${H}" rx="7"/><path class="rule" d="M${x},${y + 22}h${W}"/>`,
    `<text class="name" x="${l}" y="${y + 16}">${name}</text><text class="op" x="${r}" y="${y + 16}">${escaped(sign)}</text>`,
    row("data", 38, "", data[name]), row("grad", 53, "grad", got, ` data-grad="${name}"`), row(t("true"), 68, "true", truth),
    isJudged && !(fault && !op) && `<text class="tick" x="${l + 22}" y="${y + 16}">${fits ? "✓" : "✕"}</text>`,
    order && `<text class="order" x="${x + W / 2}" y="${y + 16}">${order}</text>`,
    fault && !op && `<text class="left" x="${r}" y="${y + 16}">${fault}</text>`,
  ];
  return `${parts.filter(Boolean).join("")}</g>`;
}

/** Draw the graph. known: a result to show, faults to light, right gradients; by default what the player knows. */
export function drawGraph(known = { result: current()?.result }) {
  const { graph } = game;
  const [place, scale] = chosenLayout();
  const { data } = pass(NOTHING, graph, game.at);
  const along = slopes(graph, data);
  const parts = [];
  const labels = [];
  graph.n.forEach(([, op, inputs], i) => {
    for (const [j, x] of (op === "**" ? inputs.slice(0, 1) : inputs).entries()) {
      const key = `${i}.${j}`;
      const [drawn, label] = arrow(place, key, x, along, known.faults);
      parts.push(drawn, typeof x === "string" ? "" : constant(place, key, x));
      labels.push(label);
    }
  });
  graph.n.forEach((_, i) => parts.push(box(place, i, data, known)));
  const [wide, high] = [place.w + 12, place.h + 12];
  $("#stage").innerHTML = `<svg viewBox="-6 -6 ${wide} ${high}" width="${wide * scale}" role="group" aria-label="${t("graph")}">${parts.join("")}${labels.join("")}</svg>`;
}

/** The gradients appear from the output back to the inputs. */
export function wave() {
  if (still.matches || document.hidden) return;
  const { n } = game.graph;
  const rank = { [rootOf(game.graph)]: 0 };
  for (const [name, , inputs] of [...n].reverse()) {
    for (const x of inputs) if (typeof x === "string") rank[x] = Math.max(rank[x] ?? 0, rank[name] + 1);
  }
  for (const cell of document.querySelectorAll("[data-grad]")) {
    const { textContent: text, dataset: { grad: name } } = cell;
    const node = nodeOf(name);
    const judged = ["off", "fits"].filter((kind) => node.classList.contains(kind));
    const edges = document.querySelectorAll(`[data-edge^="${n.findIndex(([each]) => each === name)}."]`);
    const lit = (on) => [node, ...edges].forEach((part) => part.classList.toggle("wave", on));
    cell.textContent = "?";
    node.classList.remove("off", "fits");
    later(190 * rank[name], () => {
      cell.textContent = text;
      lit(true);
    });
    later(190 * rank[name] + 420, () => {
      lit(false);
      node.classList.add(...judged);
    });
  }
}
