// A case as it stands, and its moves: what they cost, what they prove. Nothing here draws.
import { DATA } from "./made.js";
import { grid, leavesOf, measured, named, NOTHING, pass, passes, rootOf, same, seen, STALE } from "./passes.js";
import { kept, keep } from "./storage.js";
import { count, fine, nice, places, quoted, t, texts } from "./words.js";

export const MOST = 6; // squares
export const game = {};

/** A numbered case; from the seventh on a wrong name costs two squares. */
export function fromCase(key) {
  const [name, graph, culprit, suspects, start, par, telling] = DATA.cases[key - 1];
  return { key, name, graph, culprit, suspects, start, par, telling, hard: key >= DATA.hard };
}
/** The case of a day, "2026-01-31": by the weekday and the number of the week. */
export function fromDay(key) {
  const [year, month, day] = key.split("-").map(Number);
  const days = Date.UTC(year, month - 1, day) / 864e5 + 3; // Monday is 0
  const pool = DATA.daily[days % 7];
  const [graph, culprit, suspects, start, par, telling] = pool[Math.floor(days / 7) % pool.length];
  const date = new Date(year, month - 1, day, 12);
  return { key, daily: true, weekday: days % 7, date, graph, culprit, suspects, start, par, telling, hard: true };
}

/** Begin a case; log: the moves that were made in it before. */
export function begin(level, log = []) {
  const graph = DATA.graphs[level.graph];
  const at = named(graph, level.start);
  const fresh = { log: [], out: new Set(), was: new Set(), pick: null, over: null, shown: null, pad: null, scene: null };
  Object.assign(game, { level, graph, at, chosen: leavesOf(graph)[0], ...fresh });
  for (const move of log) {
    game.log.push({ ...move });
    if (move.at) game.at = move.at;
    if (move.id && move.id !== level.culprit) game.out.add(move.id);
    if (move.kind === "wrong") game.was.add(move.id);
  }
  see();
  settle();
}
export const runs = () => game.log.filter((move) => move.kind === "run");
export const cost = (move) => (move.kind === "wrong" && game.level.hard ? 2 : 1);
export const used = () => game.log.reduce((sum, move) => sum + cost(move), 0);
export const left = () => MOST - used();
const isAt = (at) => leavesOf(game.graph).every((x) => at[x] === game.at[x]);
/** What a suspect would have shown in the player's own runs. */
export const evidence = (id) => passes(id, game.graph, runs().map((move) => move.at));
function see() {
  const all = evidence(game.level.culprit);
  runs().forEach((move, i) => (move.result = all[i]));
}
/** The run that belongs to the inputs as they are: the last such. */
export const current = () => {
  const { shown } = game;
  return shown && isAt(shown.at) ? shown : runs().findLast((move) => isAt(move.at));
};
export const nudges = () => game.log.filter((move) => move.kind === "nudge" && isAt(move.at));

/** Where what a suspect would have shown differs from what was seen; null if nowhere. */
export function contradicts(id) {
  const mine = evidence(id);
  for (const [i, { at, result }] of runs().entries()) {
    for (const [name] of game.graph.n) {
      const [would, saw] = [mine[i].grad[name], result.grad[name]];
      if (!same(would, saw)) return { at, name, would, saw };
    }
  }
  return null;
}
const proof = ({ at, name, would, saw }) => t("proof", { at: places(at), name, would: nice(would), saw: nice(saw) });
/** The innocent who fit all that was seen, and were not named before. */
export const fitting = () =>
  game.level.suspects.filter((id) => id !== game.level.culprit && !game.was.has(id) && !contradicts(id));

function settle() {
  if (["right", "lucky"].includes(game.log.at(-1)?.kind)) game.over = "won";
  else if (used() >= MOST) game.over = "lost";
}
function note(move) {
  game.log.push(move);
  settle();
  const { daily, key } = game.level;
  if (kept.days[key]?.done) return;
  if (daily) kept.days[key] = { log: moves() };
  else kept.begun[key] = moves();
  keep();
}
export const moves = () => game.log.map((move) => ({ ...move, result: undefined }));
/** Why no move is left but a name; a nudge and a hint leave room for a first run. */
function noProbe(isRun) {
  if (left() <= 1) return t("last_square");
  return isRun || left() > 2 || runs().length ? null : t("run_before_naming");
}
/** What to say of a case as it stands. */
export function standing() {
  if (left() <= 1) return t("last_square");
  if (game.pad) return t("pad");
  const off = current() && knownOff();
  if (off) return `${t("known_off", off)} ${thenName()}`;
  return current() ? t("ran") : t("begin");
}

/** Each move returns what to say. */
export function run() {
  const isAgain = runs().some((move) => isAt(move.at));
  const isKnown = isAgain && !game.level.suspects.includes(STALE); // then it would show the same, and costs nothing
  const refused = noProbe(true) ?? (isKnown ? t("ran_these") : null);
  if (refused) return refused;
  const move = { kind: "run", at: { ...game.at } };
  note(move);
  see();
  game.shown = move;
  const off = knownOff();
  if (off) return `${isAgain ? t("ran_again") : ""} ${t("known_off", off)} ${thenName()}${heard(move)}`;
  if (isAgain) return t("ran_again") + heard(move);
  return (game.level.key === 1 && runs().length === 1 ? t("first_run") : t("ran")) + heard(move);
}
const thenName = () => (game.level.key === 1 ? t("who") : "");
/** A box whose true slope is known and is not what the engine says; null if there is none. */
function knownOff() {
  const { grad } = current().result;
  const known = [{ node: rootOf(game.graph), slope: 1 }, ...nudges()];
  const off = known.find(({ node, slope }) => !isClose(grad[node], slope));
  return off ? { name: off.node, got: nice(grad[off.node]), truth: nice(off.slope) } : null;
}
/** What a run shows, for those who listen. */
function heard({ result }) {
  const numbers = game.graph.n.map(([name]) => `${name} ${nice(result.grad[name])}`).reverse();
  return ` <span class="hear">${t("heard", { numbers: numbers.join(", ") })}</span>`;
}

export function nudge() {
  const { graph, at, chosen } = game;
  const was = nudges().find((move) => move.node === chosen);
  const refused = was ? t("nudged_before", { name: chosen, slope: nice(was.slope) }) : noProbe();
  if (refused) return refused;
  const { h, y, up, slope, above, below, corner } = measured(graph, at, chosen);
  const round = (x) => nice(Number(x.toFixed(4)));
  if (corner) return t("corner", { name: chosen, below: round(below), above: round(above) }); // for nothing
  note({ kind: "nudge", node: chosen, at: { ...at }, slope: Number(slope.toFixed(4)) });
  const value = pass(NOTHING, graph, at).data[chosen];
  const words = { name: chosen, root: rootOf(graph), from: nice(value), to: fine(value + h), y: fine(y), up: fine(up) };
  const told = round(slope) === "0" ? t("nudged_flat", words) : t("nudged", { ...words, slope: round(slope) });
  const got = current()?.result.grad[chosen];
  if (got === undefined) return `${told} ${t("nudged_no_run")}`;
  return `${told} ${isClose(got, slope) ? t("nudged_same") : `${t("nudged_other", { got: nice(got) })} ${thenName()}`}`;
}
export const isClose = (got, truth) => Math.abs(got - truth) < 1e-3 * Math.max(1, Math.abs(truth));

/** Where to begin; else why one suspect is innocent; else inputs that tell the rest apart. Never who did it. */
export function hint() {
  const refused = noProbe();
  if (refused) return refused;
  const { level, out, was } = game;
  const alive = level.suspects.filter((id) => !out.has(id) && !was.has(id));
  const innocent = runs().length ? alive.find((id) => id !== level.culprit && contradicts(id)) : undefined;
  if (innocent) {
    out.add(innocent);
    note({ kind: "hint", id: innocent });
    return t("not_this", { who: quoted(innocent), proof: proof(contradicts(innocent)) });
  }
  const at = parting(alive.filter((id) => !runs().length || !contradicts(id)));
  if (!at) return t("one_left");
  if (!runs().length && isAt(at)) return t("begin_here"); // for nothing
  const words = { at: places(at) };
  const isAgain = runs().some((move) => leavesOf(game.graph).every((x) => move.at[x] === at[x]));
  game.at = { ...at };
  note({ kind: "hint", at });
  if (!runs().length) return t("begin_at", words);
  return isAgain ? t("same_again", words) : t("try_at", words);
}
/** The inputs that part these suspects best in the next run, near those that are there now; all: into as many parts. */
function parting(ids, all = false) {
  const before = runs().map((move) => move.at);
  let best = null;
  for (const at of grid(game.graph)) {
    const kinds = new Set(ids.map((id) => seen(game.graph, passes(id, game.graph, [...before, at]).at(-1)))).size;
    const far = leavesOf(game.graph).reduce((sum, x) => sum + Math.abs(at[x] - game.at[x]), 0);
    if (kinds > (all ? ids.length - 1 : 1) && (!best || far - 100 * kinds < best.cost)) best = { at, cost: far - 100 * kinds };
  }
  return best?.at;
}

/** What a run at other inputs, or one more at the same, would have done for somebody who was lucky. */
export function wouldPart() {
  const at = parting([game.level.culprit, ...fitting()], true);
  if (!at) return t("would_part");
  return runs().some((move) => leavesOf(game.graph).every((x) => move.at[x] === at[x])) ? t("again_parts") : t("this_parts", { at: places(at) });
}
/** After how many of the player's runs only the culprit fits; Infinity if after none. */
export function provenAfter() {
  const { graph, level } = game;
  const [mine, ...others] = [level.culprit, ...level.suspects.filter((id) => id !== level.culprit)].map(evidence);
  const differs = (other) => mine.findIndex(({ grad }, i) => graph.n.some(([name]) => !same(grad[name], other[i].grad[name])));
  return Math.max(...others.map((other) => (differs(other) < 0 ? Infinity : differs(other) + 1)));
}

export function accuse(id) {
  if (!runs().length) return t("run_before_naming");
  if (id === game.level.culprit) {
    note({ kind: fitting().length ? "lucky" : "right", id });
    return "";
  }
  const why = contradicts(id);
  game.was.add(id);
  game.out.add(id);
  game.pick = null;
  note({ kind: "wrong", id });
  return `${t("not_it", { who: quoted(id) })} ${why ? proof(why) : t("fits_still")}`;
}

/** Keep how a case ended: the first time, or when it went better than before. */
export function keepResult() {
  const { level, log } = game;
  const won = game.over === "won";
  const lucky = log.at(-1)?.kind === "lucky";
  const store = level.daily ? kept.days : kept.cases;
  const old = store[level.key];
  const mine = { done: true, won, lucky, probes: probes(), marks: marks() };
  if (!old?.done) kept.row = won ? kept.row + 1 : 0;
  if (!old?.done) store[level.key] = level.daily ? { ...mine, log: moves() } : mine;
  else if (won && !level.daily && rank(mine) < rank(old)) store[level.key] = mine;
  keep();
}
/** The better of two results has the smaller rank. */
const rank = ({ won, lucky, probes: n }) => (won ? 0 : 100) + (lucky ? 50 : 0) + n;
/** The score: all squares but the one for the right name. */
export const probes = () => Math.min(used(), MOST) - (game.over === "won" ? 1 : 0);
const MARKS = { run: "🟧", nudge: "🟦", hint: "🟨", wrong: "🟥", right: "🟩", lucky: "🍀" };
export const squares = () => game.log.flatMap((move) => Array(cost(move)).fill(move.kind)).slice(0, MOST);
export const marks = () => squares().map((kind) => MARKS[kind]).join("");
export const title = (level) => (level.daily ? t("title_of_day", { day: day(level, { weekday: "long" }) }) : texts().levels[level.name][0]);
export const day = (level, as) => level.date.toLocaleDateString(t("locale"), as);
/** What is shared: which case, the squares, the score; nothing that gives the case away. */
export function share() {
  const which = game.level.daily ? day(game.level, { day: "numeric", month: "short" }) : t("case_number", { n: game.level.key });
  return `${t("game")}, ${which} ${marks()}${game.over === "won" ? ` ${count(probes())}` : ""}`;
}

/* The scratch pad: the player passes gradients back by hand, in any order, for nothing. */

export function openPad() {
  const grads = Object.fromEntries(game.graph.n.map(([name]) => [name, name === rootOf(game.graph) ? 1 : 0]));
  game.pad = game.pad ? null : { grads, order: [] };
  return standing();
}
/** A box passes its gradient, as it is on the pad, to what it was made of. along: the slopes of the arrows. */
export function passOn(name, along) {
  const { pad, graph } = game;
  const i = graph.n.findIndex(([each]) => each === name);
  const [, op, inputs] = graph.n[i];
  if (!op) return t("pad_input", { name });
  const upstream = pad.grads[name];
  pad.order.push(name);
  inputs.forEach((x, j) => {
    if (typeof x === "string") pad.grads[x] += along[`${i}.${j}`] * upstream;
  });
  return t("pad_passed", { name, grad: nice(upstream), order: pad.order.join(", ") });
}
