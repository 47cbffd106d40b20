// The bug hunt's modules in Node, without a page: `node bughunt.mjs FOLDER` answers questions, one JSON line each.
// FOLDER has the modules and made.js. A question is [what, …]: see ANSWERS.

import path from "node:path";
import readline from "node:readline";
import { pathToFileURL } from "node:url";

const load = (name) => import(pathToFileURL(path.join(process.argv[2], `${name}.js`)));
globalThis.localStorage = { getItem: () => null, setItem: () => {} };
const { DATA } = await load("made");
const { leavesOf, measured, pass, passes, short, sourceOf } = await load("passes");
const play = await load("game");
const words = await load("words");
const { game } = play;

/** Begin a case: a numbered one by its number, one of a day as [weekday, week]. */
function begin(which) {
  if (typeof which === "number") return play.begin(play.fromCase(which));
  const [graph, culprit, suspects, start, par, telling] = DATA.daily[which[0]][which[1]];
  return play.begin({ key: "day", daily: true, hard: true, graph, culprit, suspects, start, par, telling });
}
function runAt(at) {
  game.at = at;
  return play.run();
}

const ANSWERS = {
  /** What a suspect shows in several runs, as [data, grad, shown] by node; and whether the arrows' shares add up. */
  runs: (graph, id, ats) => passes(id, DATA.graphs[graph], ats).map(({ data, grad }) => [data, grad, Object.fromEntries(Object.entries(grad).map(([name, x]) => [name, short(x)]))]),
  /** The nodes of a first run whose gradient is not the sum of what the arrows handed on. */
  shares: (graph, id, at) => {
    const { n } = DATA.graphs[graph];
    const { grad, handed } = pass(id, DATA.graphs[graph], at);
    const sum = (name) => Object.keys(handed).reduce((all, key) => all + (sourceOf(DATA.graphs[graph], key) === name ? handed[key] : 0), 0);
    return n.slice(0, -1).filter(([name]) => Math.abs(sum(name) - grad[name]) > 1e-9 * Math.max(1, Math.abs(grad[name]))).map(([name]) => name);
  },
  nudge: (graph, at, node) => measured(DATA.graphs[graph], at, node),
  short: (x) => short(x),
  /** Run at these inputs and name the culprit: [how it ended, the last square, probes, what is shared]. */
  solve: (which, ats) => {
    begin(which);
    for (const at of ats) runAt(at);
    play.accuse(game.level.culprit);
    return [game.over, game.log.at(-1)?.kind, play.probes(), which > 0 ? play.share() : ""];
  },
  /** Take hints, and run where they say; name the culprit as soon as only it fits: [how it ended, probes]. */
  hints: (which) => {
    begin(which);
    play.hint();
    play.run();
    while (play.left() > 1 && play.fitting().length) {
      play.hint();
      if (play.left() > 1 && game.log.at(-1).at) play.run();
    }
    const proved = !play.fitting().length;
    play.accuse(game.level.culprit);
    return [game.over, proved, play.probes()];
  },
  /** Run once where it opens, then name every innocent: [how many squares are used after each, what is said]. */
  wrong: (which) => {
    begin(which);
    const said = [play.accuse(game.level.culprit), play.run()];
    const steps = [];
    for (const id of game.level.suspects) {
      if (game.over || id === game.level.culprit) continue;
      said.push(play.accuse(id));
      steps.push(play.used());
    }
    return [steps, said, game.over, play.squares().length];
  },
  /** Pass on by hand in an order: the gradients of the pad, and how many squares that cost. */
  pad: (which, order) => {
    begin(which);
    play.openPad();
    for (const [name, along] of order) play.passOn(name, along);
    return [game.pad.grads, play.used()];
  },
  day: (key) => {
    const level = play.fromDay(key);
    return [level.weekday, level.graph in DATA.graphs, level.suspects.length, level.date.getDay()];
  },
  again: (which, at) => {
    begin(which);
    runAt(at);
    const first = play.moves();
    play.begin(game.level, first);
    return [play.moves(), leavesOf(game.graph).length];
  },
  say: (language) => {
    words.page.language = language;
    return [words.nice(-0.25), words.count(1), words.count(2)];
  },
};

for await (const line of readline.createInterface({ input: process.stdin })) {
  const [what, ...given] = JSON.parse(line);
  console.log(JSON.stringify(ANSWERS[what](...given) ?? null));
}
