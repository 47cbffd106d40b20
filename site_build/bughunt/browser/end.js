// The end of a case: the verdict, the line of code, the graph with the culprit's own fault lit, the pass write by write.
import { $, drawGraph, later, nodeOf, still, stop } from "./drawing.js";
import { cost, evidence, fitting, game, keepResult, probes, provenAfter, runs, share, wouldPart } from "./game.js";
import { DATA } from "./made.js";
import { named, NOTHING, onLeaves, pass, rootOf, same, slopes, sourceOf, STALE } from "./passes.js";
import { draw, say, squareItems } from "./panels.js";
import { kept } from "./storage.js";
import { count, escaped, nice, places, quoted, suspect, t, texts } from "./words.js";

/** What a suspect did wrong in one pass: the labels of arrows and boxes that are at fault, not of those that suffer. */
export function faultsOf(id, at, before) {
  const { graph } = game;
  const result = pass(id, graph, at, before);
  const along = slopes(graph, result.data);
  const edges = {};
  const nodes = {};
  const [erasers, erased] = [new Set(), new Set()];
  const root = rootOf(graph);
  if (!same(result.grad[root], 1)) nodes[root] = nice(result.grad[root]);
  for (const key in along) {
    const due = along[key] * result.grad[graph.n[key.split(".")[0]][0]];
    if (!same(result.handed[key], due)) edges[key] = t("not_due", { handed: nice(result.handed[key]), due: nice(due) });
  }
  for (const { key, by } of result.erasures) {
    if (!edges[key]) continue;
    edges[key] = nice(along[key] * result.grad[graph.n[key.split(".")[0]][0]]);
    erased.add(key);
    edges[by] ??= " ";
    erasers.add(by);
  }
  for (const x in id === STALE ? before : {}) if (!same(before[x], 0)) nodes[x] = t("left_over", { x: nice(before[x]) });
  return { result, edges, nodes, erasers, erased };
}
/** The inputs at which the end is told: the last run that shows something wrong, else telling ones. */
function scene() {
  const { graph, level } = game;
  const all = evidence(level.culprit);
  const ats = runs().map((move) => move.at);
  if (level.culprit === NOTHING && ats.length) return { at: ats.at(-1), before: null };
  const shows = (at, i) => !graph.n.every(([name]) => same(all[i].grad[name], pass(NOTHING, graph, at).grad[name]));
  const i = ats.findLastIndex(shows);
  if (i >= 0) return { at: ats[i], before: i ? onLeaves(graph, all[i - 1].grad) : null };
  const at = named(graph, level.telling);
  const before = level.culprit === STALE ? onLeaves(graph, pass(NOTHING, graph, at).grad) : null;
  return { at, before, own: level.culprit !== NOTHING };
}

/** isAgain: the case was over before, and is only looked at. */
export function finish(isAgain) {
  const { level, graph } = game;
  if (!isAgain) keepResult();
  stop();
  const { at, before, own } = scene();
  game.at = { ...at };
  game.pad = null;
  const faults = faultsOf(level.culprit, at, before);
  game.scene = { result: faults.result, faults, right: pass(NOTHING, graph, at).grad };
  $("main").classList.add("over");
  draw();
  drawGraph(game.scene);
  const won = game.over === "won";
  $("#end").className = won ? "" : "lost";
  $("#end").innerHTML = verdict(won) + cause(own, at, faults) + buttons(won) + others(at, before, faults) + further();
  $("#end").hidden = false;
  $("#who").hidden = true;
  const who = quoted(level.culprit);
  say(won ? `<b class="good">${level.culprit === NOTHING ? t("won_nothing") : t("won", { who })}</b>` : t("was", { who }));
  if (isAgain) return;
  $("#end").focus({ preventScroll: true });
  if (innerWidth <= 1000) $("#stage").scrollIntoView({ behavior: still.matches ? "auto" : "smooth", block: "start" });
}

function verdict(won) {
  const { level, log } = game;
  const lucky = log.at(-1)?.kind === "lucky";
  const perfect = won && !lucky && probes() <= level.par;
  const solved = t("solved", { count: count(probes()) });
  const head = !won ? t("got_away") : lucky ? t("lucky") : perfect ? `${solved} ${t("perfect")}` : solved;
  const who = new Intl.ListFormat(t("locale")).format(fitting().map(quoted));
  const twice = log.some((move) => cost(move) > 1) ? `${t("two_squares")} ` : "";
  const luck = lucky ? `<p>${t("fitted_too", { who })} ${wouldPart()}</p>` : "";
  const better = perfect ? "" : `<p class="soft">${twice}${advice(level.par)}</p>`;
  return `<h3 id="verdict">${head}</h3><ol class="squares" aria-label="${t("your_squares")}">${squareItems()}</ol>${luck}${better}`;
}
/** Which runs would have been enough: the player's first ones, or others. */
function advice(n) {
  if (provenAfter() <= n) return n === 1 ? t("enough_one") : t("enough", { n });
  return n === 1 ? t("best_one") : t("best", { n });
}
function cause(own, at, faults) {
  const { culprit } = game.level;
  const { edges, nodes, erasers } = faults;
  const story = `<p><b>${escaped(suspect(culprit))}.</b> ${escaped(texts().stories[culprit])}</p>`;
  const marked = (sign, kind) => (line) => `<span class="${kind}">${sign} ${escaped(line)}</span>`;
  const [right, wrong] = DATA.code[culprit] ?? [[], []];
  const code = [...wrong.map(marked("✕", "was")), ...right.map(marked("✓", "be"))].join("\n");
  const lines = code && `<pre>${code}</pre>`;
  if (!Object.keys({ ...edges, ...nodes }).length) return story + lines;
  const what = erasers.size ? t("lit_erased") : Object.keys(edges).length ? t("lit_edge") : t("lit_box");
  const words = [own && t("shown_at", { at: places(at) }), what, othersSuffer(faults) && t("lit_others")].filter(Boolean);
  return `${story}${lines}<p class="soft">${words.join(" ")}<span class="hear">${heardEdges(faults)}</span></p>`;
}
/** Whether boxes are wrong that no faulty arrow leads back to. */
function othersSuffer({ result, edges, nodes }) {
  const { graph, scene: { right } } = game;
  const atFault = new Set([...Object.keys(nodes), ...Object.keys(edges).map((key) => sourceOf(graph, key))]);
  return graph.n.some(([x]) => !atFault.has(x) && !same(result.grad[x], right[x]));
}
/** The labels of the arrows that are at fault, for those who listen. */
function heardEdges({ edges, erased }) {
  const described = (key) => {
    const label = edges[key].replace("\n", " ");
    const told = erased.has(key) ? t("erased", { share: label }) : label;
    return t("hear_arrow", { from: game.graph.n[key.split(".")[0]][0], to: sourceOf(game.graph, key), told });
  };
  return Object.keys(edges).filter((key) => edges[key].trim()).map(described).map((each) => ` ${each}`).join("");
}
function buttons(won) {
  const { level } = game;
  const next = level.daily ? unsolved() : level.key < DATA.cases.length ? level.key + 1 : null;
  const label = level.daily ? t("case_number", { n: next }) : t("next");
  const forward = next ? `data-case="${next}">${label}` : `data-open="today">${t("todays")}`;
  const again = level.daily ? "" : `<button type="button" data-case="${level.key}">${won ? t("again") : t("try_again")}</button>`;
  return (
    `<div class="acts"><button type="button" class="next" ${forward}</button><button type="button" data-play>${t("watch")}</button>` +
    `<button type="button" data-copy="${escaped(share())}">${t("copy")}</button>${again}</div>`
  );
}
export const unsolved = () => DATA.cases.findIndex((_, i) => !kept.cases[i + 1]?.won) + 1 || null;

function others(at, before, faults) {
  const { graph, level } = game;
  const names = graph.n.map(([name]) => name).reverse();
  const row = (id) => {
    const { grad } = pass(id, graph, at, id === STALE ? before : null);
    const isLike = (x) => same(grad[x], faults.result.grad[x]);
    const alike = id !== level.culprit && names.every(isLike) ? t("same") : "";
    const cells = names.map((x) => `<td${isLike(x) ? "" : ' class="faint"'}>${nice(grad[x])}</td>`).join("");
    return `<tr class="${id === level.culprit ? "culprit" : ""}"><th scope="row">${escaped(suspect(id))}</th>${cells}<td>${alike}</td></tr>`;
  };
  const head = `<thead><tr><td class="grad">grad</td>${names.map((x) => `<th scope="col">${x}</th>`).join("")}<td></td></tr></thead>`;
  const table = `<table>${head}<tbody>${level.suspects.map(row).join("")}</tbody></table>`;
  return `<details><summary>${t("others")}</summary><div class="scroll" tabindex="0" role="region" aria-label="${t("others")}">${table}</div></details>`;
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
  return `<p class="soft">${lesson ? `${t("in_the_course")} ${lesson}.<br>` : ""}${t("in_the_wild")} ${known}.</p>`;
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
