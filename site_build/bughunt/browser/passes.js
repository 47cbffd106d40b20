// Engines, and what a suspect's backward pass does on a graph.
import { CHANGES, PROGRAM } from "./made.js";
import { divided, minus, plus, power, times } from "./python.js";

export const NOTHING = "OK";
export const STALE = "STALE";
const OPERATORS = { "+": plus, "-": minus, "*": times, "/": divided, "**": power };
const engines = {};

/** The engine of a suspect, whose gradients can be watched: `log` is told of each that is read or written. */
function engine(id) {
  if (engines[id]) return engines[id];
  const F = {};
  const made = { log: null };
  PROGRAM.forEach((statement, i) => (CHANGES[id]?.[i] ?? statement)(F));
  Object.defineProperty(F.Value.prototype, "grad", {
    get() {
      made.log?.read.add(this);
      return this.gradient;
    },
    set(x) {
      made.log?.write(this, x);
      this.gradient = x;
    },
  });
  engines[id] = Object.assign(made, { Value: F.Value });
  return made;
}
const applied = (op, xs) => (OPERATORS[op] ? OPERATORS[op](...xs) : xs[0][op]());

export const leavesOf = (graph) => Object.keys(graph.r);
export const rootOf = (graph) => graph.n.at(-1)[0];
export const sourceOf = (graph, key) => graph.n[key.split(".")[0]][2][key.split(".")[1]];
/** The numbers of a graph's inputs, by name. */
export const named = (graph, numbers) => Object.fromEntries(leavesOf(graph).map((x, i) => [x, numbers[i]]));

/** What is noted of each write in a pass: which arrow it came along, and whether it wrote over earlier shares. */
class Log {
  constructor(graph, nodes) {
    Object.assign(this, { graph, read: new Set(), handed: {}, writes: [], erasures: [], now: null, turn: 0 });
    this.names = new Map(Object.entries(nodes).map(([name, node]) => [node, name]));
    graph.n.forEach(([name, , inputs], i) => {
      inputs.forEach((_, j) => (this.handed[`${i}.${j}`] = 0));
      const own = nodes[name]._backward;
      nodes[name]._backward = () => {
        Object.assign(this, { now: i, turn: 0 });
        own();
        this.now = null;
      };
    });
  }
  write(node, value) {
    const { graph, handed, now } = this;
    const added = this.read.has(node);
    const old = node.gradient;
    const to = this.names.get(node);
    this.read.clear();
    if (to === undefined || now === null) return;
    const edges = graph.n[now][2].flatMap((x, j) => (x === to ? [`${now}.${j}`] : []));
    const edge = edges[this.turn++ % edges.length];
    for (const key in added ? {} : handed) {
      if (sourceOf(graph, key) !== to || handed[key] === 0) continue;
      this.erasures.push({ key, by: edge });
      handed[key] = 0;
    }
    handed[edge] = added ? handed[edge] + value - old : value;
    this.writes.push({ edge, from: graph.n[now][0], to, old, value, erased: !added && old !== 0 });
  }
}

/** {data, grad, handed, writes, erasures} of a pass. before: what the inputs' gradients hold already. */
export function pass(id, graph, at, before) {
  const E = engine(id);
  const nodes = {};
  for (const [name, op, inputs] of graph.n) {
    nodes[name] = op ? applied(op, inputs.map((x) => nodes[x] ?? x)) : new E.Value(at[name]);
    if (!op && id === STALE && before) nodes[name].gradient = before[name];
  }
  const log = new Log(graph, nodes);
  E.log = log;
  nodes[rootOf(graph)].backward();
  E.log = null;
  const numbers = (field) => Object.fromEntries(graph.n.map(([name]) => [name, nodes[name][field]]));
  const { handed, writes, erasures } = log;
  return { data: numbers("data"), grad: numbers("gradient"), handed, writes, erasures };
}
export const onLeaves = (graph, grad) => Object.fromEntries(leavesOf(graph).map((x) => [x, grad[x]]));

/** Several runs, one after the other. */
export function passes(id, graph, ats) {
  let before = null;
  return ats.map((at) => {
    const result = pass(id, graph, at, before);
    before = onLeaves(graph, result.grad);
    return result;
  });
}

/** The right slope along each arrow, by the right engine, one operation at a time. */
export function slopes(graph, data) {
  const { Value } = engine(NOTHING);
  const along = {};
  graph.n.forEach(([, op, inputs], i) => {
    if (!op) return;
    const xs = inputs.map((x) => (typeof x === "string" ? new Value(data[x]) : x));
    const out = applied(op, xs);
    out.grad = 1;
    out._backward();
    inputs.forEach((x, j) => {
      if (typeof x === "string") along[`${i}.${j}`] = xs[j].grad;
    });
  });
  return along;
}

/** The output when one node is moved by h. */
function moved(graph, at, node, h) {
  const { Value } = engine(NOTHING);
  const nodes = {};
  for (const [name, op, inputs] of graph.n) {
    const made = op ? applied(op, inputs.map((x) => nodes[x] ?? x)) : new Value(at[name]);
    nodes[name] = name === node ? new Value(made.data + h) : made;
  }
  return nodes[rootOf(graph)].data;
}

/** The slope of the output along a node, measured. corner: both sides differ, however close one looks. */
export function measured(graph, at, node, h = 1e-4) {
  const sides = (step) => {
    const [y, up, down] = [0, step, -step].map((by) => moved(graph, at, node, by));
    return { y, up, slope: (up - down) / (2 * step), above: (up - y) / step, below: (y - down) / step };
  };
  const far = sides(h);
  const near = sides(h / 100);
  const gap = Math.abs(near.above - near.below);
  return { ...near, h, up: far.up, corner: gap > 0.01 && gap > 0.5 * Math.abs(far.above - far.below) };
}

/** A number as the course prints it, without zeros at the end; a tie goes to the even digit, as in Python. */
export function short(x) {
  const size = Math.abs(x);
  if (!Number.isFinite(x)) return Number.isNaN(x) ? "nan" : `${x < 0 ? "-" : ""}inf`;
  if (x === 0) return "0";
  if (size < 5e-5 || size >= 1e6) return x.toExponential(3).replace(/e([+-])(\d)$/, "e$10$2");
  const isTie = (size * 32) % 2 === 1; // all numbers that are half of 0.0001 from two of its multiples
  const even = (Math.sign(x) * 2 * Math.round(size * 5e3)) / 1e4;
  return (isTie ? even : x).toFixed(4).replace(/\.?0+$/, "");
}
export const same = (a, b) => short(a) === short(b);
export const seen = (graph, result) => graph.n.map(([name]) => short(result.grad[name])).join(" ");
/** Every choice of the inputs. */
export function grid(graph) {
  const more = (rows, x) => rows.flatMap((row) => graph.r[x].map((value) => ({ ...row, [x]: value })));
  return leavesOf(graph).reduce(more, [{}]);
}
