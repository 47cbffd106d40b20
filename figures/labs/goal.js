// The goal lab without a kernel: the page itself answers, with the numbers, sentences and drawings of goal.py.
// A test holds the two together over many answers, to the last character.

import { register } from "../page/browser/link.js";

const DOTS = [[-0.5, -1.7], [-0.1, -0.5], [0.3, 0.4], [0.7, 0.9], [1.1, 0.8], [1.5, 0.5]];
const DIALS = ["a", "b", "c"];
const [REACH, RATE, STEPS] = [3, 0.06, 40];
const BEST = 0.010928571428571393; // the least loss that any dials give, by least squares
const FOLLOW = { one: 1, ten: 10 };
const UNSEEN = "M0,0";

// Where a number stands between two ends; of the nearer end, where it lies outside.
const scale = (low, high, start, end, by = (number) => number) => (number) =>
  start + ((by(Math.min(Math.max(number, low), high)) - by(low)) / (by(high) - by(low))) * (end - start);
const [LEFT, RIGHT, LOW, HIGH] = [-0.7, 1.7, -2.5, 1.5];
const X = scale(LEFT, RIGHT, 40, 326);
const Y = scale(LOW, HIGH, 262, 52);
const TRACK = scale(-REACH, REACH, 86, 326);
const LOSS = scale(0.001, 1000, 86, 400, Math.log);

// Numbers and words, as Python writes them: of two that are as near, the even digit.
function fixed(number, digits) {
  const text = number.toFixed(digits);
  const halves = number * 2 ** (digits + 1);
  if (!Number.isInteger(halves) || halves % 2 === 0) return text;
  const even = [Math.floor, Math.ceil].map((way) => way(number * 10 ** digits)).find((whole) => whole % 2 === 0);
  return (even / 10 ** digits).toFixed(digits);
}

function show(number) {
  const size = Math.abs(number);
  if (size === 0 || size >= 0.00005) return fixed(number + 0, 4);
  return number.toExponential(3).replace(/e([-+])(\d)$/, "e$10$2");
}

const px = (number) => fixed(number, 1);
const listed = (words) => `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
const each = (make) => Object.fromEntries(DIALS.map((name) => [name, make(name)]));
const stopped = (number) => Math.min(Math.max(number, -REACH), REACH);

const heightOf = ({ a, b, c }, x) => a + b * x + c * (x * x);

// Some dials, their loss, and its slope for each dial: a forward pass, and the chain rule back through it.
function placeOf(dials) {
  const misses = DOTS.map(([x, y]) => heightOf(dials, x) - y);
  const loss = misses.reduce((sum, miss) => sum + miss * miss, 0);
  const slopes = { a: 0, b: 0, c: 0 };
  for (const [i, [x]] of [...DOTS.entries()].reverse()) {
    slopes.a += 2 * misses[i];
    slopes.b += 2 * misses[i] * x;
    slopes.c += 2 * misses[i] * (x * x);
  }
  return { dials, loss, slopes };
}

const step = ({ dials, slopes }) => each((name) => stopped(dials[name] - RATE * slopes[name]));

function walkFrom(dials) {
  const places = [placeOf(dials)];
  while (places.length <= STEPS) places.push(placeOf(step(places.at(-1))));
  return places;
}

// What is said

const moves = ({ moves: count }) => `By hand: ${count} move${count === 1 ? "" : "s"}`;

function byHand({ loss }, hand) {
  if (!hand.moves) {
    return `Drag the three dials, or press ↑ and ↓ on one, so that the curve gets close to the dots. The loss, the sum of the squared distances, is ${show(loss)}. How low can you get it?`;
  }
  const end = loss <= hand.lowest ? "your lowest so far." : `your lowest so far was ${show(hand.lowest)}.`;
  return `The loss is ${show(loss)}, ${end} When you are stuck, show the slopes.`;
}

function slopesOf({ loss, slopes }) {
  if (DIALS.every((name) => Math.abs(slopes[name]) < 5e-5)) {
    return `The loss is ${show(loss)}, and all slopes are 0: no small move of a dial lowers it.`;
  }
  const ways = DIALS.map((name) => `${slopes[name] > 0 ? "lower" : "raise"} ${name} (${show(slopes[name])})`);
  return `The loss is ${show(loss)}. A slope is how fast it rises when you raise a dial; below 0, it falls. Each arrow points to where the loss falls: ${listed(ways)}. Now follow them.`;
}

function followed(count, before, now) {
  const went = listed(DIALS.map((name) => `${name} to ${show(now.dials[name])}`));
  const end = DIALS.some((name) => Math.abs(now.dials[name]) === REACH) ? " or to its end" : "";
  const said = `Step ${count}: each dial went against its slope, by ${RATE} × the slope${end}: ${went}. The loss is ${show(now.loss)} (it was ${show(before.loss)})`;
  return count === STEPS ? `${said}; the best any dials can do is ${show(BEST)}.` : `${said}.`;
}

// What is drawn

// The part of a segment between two heights, as its ends; null if there is none.
function clipped([ax, ay], [bx, by]) {
  let [start, end] = [0, 1];
  const [dx, dy] = [bx - ax, by - ay];
  for (const [away, room] of [[-dy, ay - LOW], [dy, HIGH - ay]]) {
    if (away === 0 && room < 0) return null;
    if (away < 0) start = Math.max(start, room / away);
    if (away > 0) end = Math.min(end, room / away);
  }
  if (start > end) return null;
  const at = (share) => [ax + share * dx, ay + share * dy];
  return [start === 0 ? [ax, ay] : at(start), end === 1 ? [bx, by] : at(end)];
}

function curve(height) {
  const points = Array.from({ length: 31 }, (_, i) => LEFT + ((RIGHT - LEFT) * i) / 30).map((x) => [x, height(x)]);
  let [d, last] = ["", null];
  for (let i = 1; i < points.length; i += 1) {
    const cut = clipped(points[i - 1], points[i]);
    if (cut && !(last && last[0] === cut[0][0] && last[1] === cut[0][1])) d += `M${px(X(cut[0][0]))},${px(Y(cut[0][1]))}`;
    if (cut) d += `L${px(X(cut[1][0]))},${px(Y(cut[1][1]))}`;
    last = cut && cut[1];
  }
  return d || UNSEEN;
}

function arrow(x, slope, y) {
  if (!slope) return UNSEEN;
  const way = -Math.sign(slope);
  const tip = Math.min(Math.max(x + way * (8 + (90 * Math.abs(slope)) / (Math.abs(slope) + 4)), 70), 342);
  return `M${px(x)},${px(y)}H${px(tip)}m${px(-6 * way)},-5l${px(6 * way)},5l${px(-6 * way)},5`;
}

function dialMarks(name, number, slope, y) {
  const text = slope === null ? "" : show(slope);
  const told = `${show(number)}${text && ", slope "}${text}`;
  return {
    [`${name}.arrow`]: { d: arrow(TRACK(number), slope, y - 21) },
    [`${name}.knob`]: { x: px(TRACK(number) - 7) },
    [`${name}.handle`]: { "data-value": String(number), "aria-valuenow": fixed(number, 6), "aria-valuetext": told },
    [`${name}.number`]: { text: show(number) },
    [`${name}.slope`]: { text },
  };
}

// The marks of all parts of the stage. known: whether the slopes are shown.
function marks({ dials, loss, slopes }, hand, known) {
  const height = (x) => heightOf(dials, x);
  const low = LOSS(hand.lowest);
  return {
    gaps: { d: DOTS.map(([x, y]) => `M${px(X(x))},${px(Y(y))}V${px(Y(height(x)))}`).join("") },
    curve: { d: curve(height) },
    slope: { text: known ? "slope" : "" },
    ...Object.assign({}, ...DIALS.map((name, i) => dialMarks(name, dials[name], known ? slopes[name] : null, 56 + 66 * i))),
    loss: { width: px(LOSS(loss) - 86) },
    low: { d: `M${px(low)},244v30` },
    "low.name": { text: `lowest by hand ${show(hand.lowest)}`, x: px(Math.min(low, 345)) },
    best: { d: known ? `M${px(LOSS(BEST))},244v30` : UNSEEN },
    "best.name": { text: known ? `the best any dials can do ${show(BEST)}` : "" },
    "loss.number": { text: show(loss) },
  };
}

// What is done

// The lab: dials as they were set, their slopes, then steps that follow these. It answers as Python's does.
export class Goal {
  constructor(start) {
    this.start = start;
    this.index = 0;
    this.heard = {};
    this.begin(start, { moves: 0, dial: "", lowest: placeOf(start).loss, rests: false });
  }

  begin(dials, hand) {
    [this.walk, this.hand] = [walkFrom(dials), hand];
  }

  frames() {
    const [{ walk, hand }, first] = [this, this.walk[0]];
    return [
      { say: byHand(first, hand), at: moves(hand), set: marks(first, hand, false) },
      { say: slopesOf(first), at: "The slopes", set: marks(first, hand, true) },
      ...walk.slice(1).map((now, i) => (
        { say: followed(i + 1, walk[i], now), at: `Step ${i + 1} of ${STEPS}`, set: marks(now, hand, true) }
      )),
    ];
  }

  // Dials that were moved, and presses of the buttons; what the page is to take. A press tells the numbers once more.
  answer(values, presses) {
    let { index } = this;
    const { heard } = this;
    this.heard = values;
    const { dials } = this.walk[Math.max(index - 1, 0)];
    const now = { ...dials, ...Object.fromEntries(Object.entries(values).map(([name, number]) => [name, stopped(number)])) };
    const other = (a, b) => DIALS.some((name) => a[name] !== b[name]);
    if (other(values, heard) && other(now, dials)) {
      this.begin(now, this.moved(dials, now, index > 1));
      index = Math.min(index, 1);
    }
    for (const press of presses) {
      if (index > STEPS && FOLLOW[press]) {
        return { message: `This walk has ${STEPS} steps. Move a dial to begin another, or start over.` };
      }
      index = this.pressed(press, index);
    }
    this.index = index;
    return { message: "", jump: index, frames: this.frames() };
  }

  // What the hand has done: one dial moved on and on is one move, and what slopes have found is no work of hands.
  moved(before, after, steps) {
    const { hand } = this;
    if (hand.rests || steps) return { ...hand, rests: true };
    const dial = DIALS.find((name) => after[name] !== before[name]);
    return { ...hand, moves: hand.moves + (dial !== hand.dial), dial, lowest: Math.min(hand.lowest, placeOf(after).loss) };
  }

  pressed(press, index) {
    if (press === "over") {
      this.begin(this.start, { moves: 0, dial: "", lowest: placeOf(this.start).loss, rests: false });
      return 0;
    }
    return press === "slopes" ? Math.max(index, 1) : Math.min(Math.max(index, 1) + FOLLOW[press], STEPS + 1);
  }
}

// A lab as the model that a player follows, as if a kernel had sent it. spec: what the page holds of it.
export function modelOf(name, spec) {
  const lab = new Goal(each((dial) => Number(spec.frames[0].set[`${dial}.handle`]["data-value"])));
  const known = { name, index: 0, values: {}, news: { ...spec, frames: lab.frames() } };
  const heard = new EventTarget();
  const hearers = new Map();
  return {
    get: (key) => known[key],
    set(key, value) {
      known[key] = value;
      if (key === "index") lab.index = value;
      if (key !== "request") return;
      known.news = { ...spec, frames: known.news.frames, ...lab.answer(value.values, value.presses) };
      for (const event of ["change:news", "change:reply"]) heard.dispatchEvent(new Event(event));
    },
    save_changes: () => {},
    on(event, hear) {
      hearers.set(hear, () => hear());
      heard.addEventListener(event, hearers.get(hear));
    },
    off: (event, hear) => heard.removeEventListener(event, hearers.get(hear)),
  };
}

for (const place of document.querySelectorAll('.bp-embed[data-model^="goal "]')) {
  register(modelOf(place.dataset.model, JSON.parse(place.dataset.spec)));
}
