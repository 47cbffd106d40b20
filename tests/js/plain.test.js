// The parts that need no page: frames, numbers, keys, steps.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { inWords, sentencesOn, verdictOn } from "../../exercises/quizzes/quiz_numbers.js";
import { stepped } from "../../figures/page/browser/drag.js";
import { initialize, page } from "../../figures/page/browser/link.js";
import { changed, completed, longest, merged } from "../../figures/page/browser/frames.js";
import { matches, moved, reading, written } from "../../figures/page/browser/numbers.js";
import { refusal } from "../../figures/page/browser/prediction.js";
import { roved } from "../../figures/page/browser/stage.js";

test("every frame in full, from frames that say only what changes", () => {
  const frames = [
    { say: "one", set: { a: { text: "1" }, b: { text: "–", state: "" } } },
    { say: "two", set: { b: { text: "2" } } },
    { say: "three", set: {} },
    { say: "four", set: { b: { state: "on" }, c: { text: "3" } } },
  ];
  assert.deepEqual(completed(frames), [
    { say: "one", set: { a: { text: "1" }, b: { text: "–", state: "" } } },
    { say: "two", set: { a: { text: "1" }, b: { text: "2", state: "" } } },
    { say: "three", set: { a: { text: "1" }, b: { text: "2", state: "" } } },
    { say: "four", set: { a: { text: "1" }, b: { text: "2", state: "on" }, c: { text: "3" } } },
  ]);
  assert.deepEqual(frames[1], { say: "two", set: { b: { text: "2" } } }, "what came is not written to");
});

test("frames that set nothing are those before them", () => {
  assert.deepEqual(completed([{ say: "" }, { say: "", at: "2" }]), [{ say: "", set: {} }, { say: "", at: "2", set: {} }]);
  assert.deepEqual(completed([]), []);
  const run = [0, 0, 1].map((stage) => ({ say: "", stage, set: { [`p${stage}`]: { text: "1" } } }));
  assert.deepEqual(Object.keys(completed(run)[2].set), ["p1"], "another stage has other parts");
});

test("a path that has grown comes in pieces, and one that is another comes whole", () => {
  const sent = [{ d: "M0,0", state: "" }, { "d+": "L1,1" }, { "d+": "L2,4", state: "on" }, { d: "M5,5" }];
  const full = completed(sent.map((curve) => ({ say: "", set: { curve } }))).map((frame) => frame.set.curve);
  assert.deepEqual(full, [
    { d: "M0,0", state: "" },
    { d: "M0,0L1,1", state: "" },
    { d: "M0,0L1,1L2,4", state: "on" },
    { d: "M5,5", state: "on" },
  ]);
});

test("a change of the frame shown keeps what it does not name, and writes to no frame", () => {
  const frame = { say: "before", at: "1", ask: { what: "x" }, set: { a: { text: "1", state: "on" }, b: { text: "2" } } };
  const kept = structuredClone(frame);
  assert.deepEqual(changed(frame, { set: { a: { text: "7" } }, say: "after", message: "no part of a frame" }), {
    say: "after",
    at: "1",
    ask: { what: "x" },
    set: { a: { text: "7", state: "on" }, b: { text: "2" } },
  });
  assert.deepEqual(changed(frame, {}), frame);
  assert.equal(changed(frame, { say: "", at: "" }).say, "", "an empty sentence is one");
  assert.deepEqual(frame, kept);
});

test("two changes one after the other are as one that has both", () => {
  const [first, second] = [{ a: { text: "1" }, b: { state: "on" } }, { a: { state: "off" }, b: { state: "off" } }];
  assert.deepEqual(merged(merged({}, first), second), { a: { text: "1", state: "off" }, b: { state: "off" } });
});

test("the longest sentence has the room, and no less than what a live lab will say", () => {
  assert.equal(longest([{ say: "a" }, { say: "abc" }, { say: "ab" }]), "abc");
  assert.equal(longest([{ say: "a" }], "four"), "four");
  assert.equal(longest([]), "");
});

test("what is typed is right or wrong as it is in Python, and what is no number gets the same sentence", () => {
  const table = JSON.parse(readFileSync(new URL("typed.json", import.meta.url)));
  for (const [typed, answer, right] of table.right) assert.equal(matches(typed, answer), right, `${typed} for ${answer}`);
  for (const [typed, said] of table.faults) assert.equal(reading(typed).fault, said);
});

test("a number is written with four decimals, or with an exponent where these say nothing", () => {
  const shown = { "0.0000": 0, "0.0001": 0.00006, "5.000e-6": 5e-6, "-2.5000": -2.5, "999999.0000": 999999, "1.000e+6": 1e6 };
  for (const [text, number] of Object.entries(shown)) assert.equal(written(number), text);
});

test("steps leave no dust of floats, and never -0", () => {
  assert.equal(moved(0.1, 2, 0.1), 0.3);
  assert.ok(Object.is(moved(0.3, -3, 0.1), 0));
  assert.equal(moved(2, -1, 0.01), 1.99);
  assert.equal(moved(1 / 3, 1, 0.1), 0.4333333333);
  assert.equal(moved(1e300, 5, 0.1), 1e300);
});

test("to the right and up is more, four pixels a step", () => {
  const from = { x: 100, y: 100 };
  assert.equal(stepped(from, { x: 108, y: 100 }), 2);
  assert.equal(stepped(from, { x: 100, y: 80 }), 5);
  assert.equal(stepped(from, { x: 92, y: 108 }), -4);
  assert.equal(stepped(from, { x: 101, y: 100 }), 0);
});

test("arrows rove through a table of ten columns, and other keys do not", () => {
  const keys = { ArrowLeft: 33, ArrowRight: 35, ArrowUp: 24, ArrowDown: 44, Home: 0, End: 99, a: undefined };
  for (const [key, there] of Object.entries(keys)) assert.equal(roved(key, 34, 10, 100), there);
  assert.equal(roved("ArrowLeft", 0, 10, 100), -1, "outside: there is no such part");
});

test("a wrong prediction is answered by the mistakes that give it, else by a question", () => {
  const asked = { answer: 2, wrong: [[3, "Added."], [3, "Twice."], [4, "Squared."]], hint: "What is beside it?" };
  assert.equal(refusal("3", asked), "✗ Not 3. Added. Or: Twice. Try again, or step on.");
  assert.equal(refusal("7", asked), "✗ Not 7. What is beside it? Try again, or step on.");
});

test("a number that several mistakes give is named by each, three at most, and the page has room for all of it", () => {
  const wrong = [[[-6], "Sign."], [[-6, 8], "Rule."], [[8, -6.001], "Path."], [[8, -6], "Order."], [[3], "<i>Far away.</i>"]];
  const said = { id: "q", number: { answer: 6, shown: "6", feedback: "", wrong: wrong.map(([numbers], i) => [numbers, i]), otherwise: 5 } };
  const { number } = inWords(said, [...wrong.map(([, sentence]) => sentence), "Go back."]);
  assert.equal(verdictOn("-6", number).sentence, "<b>✗ Not yet.</b> Sign. Or: Rule. Or: Order.");
  assert.equal(verdictOn("8", number).sentence, "<b>✗ Not yet.</b> Rule. Or: Path. Or: Order.");
  assert.equal(verdictOn("1", number).sentence, "<b>✗ Not yet.</b> Go back.");
  for (const typed of ["-6", "8", "-6.00", "3", "6", "77"]) assert.ok(sentencesOn(number).includes(verdictOn(typed, number).sentence), typed);
  assert.deepEqual(inWords({ number }, []), { number }); // a question that brings its sentences along
});

test("a quiz names the mistake behind a number", () => {
  const number = { answer: 6, shown: "6", feedback: "2 · 3.", wrong: [[9, "That is 3²."], [[4, 5], "A neighbour."]], otherwise: "Twice what?" };
  assert.deepEqual(verdictOn("2*3", number), { right: true, sentence: "<b>✓ Right.</b> 6. 2 · 3." });
  assert.deepEqual(verdictOn("9", number), { right: false, sentence: "<b>✗ Not yet.</b> That is 3²." });
  assert.deepEqual(verdictOn("5", number), { right: false, sentence: "<b>✗ Not yet.</b> A neighbour." });
  assert.deepEqual(verdictOn("7", number), { right: false, sentence: "<b>✗ Not yet.</b> Twice what?" });
  for (const none of ["x", "", "6,0"]) assert.deepEqual(verdictOn(none, number), { sentence: reading(none).fault });
});

// A model as a host hands it over; `manager` is what it knows of the others.
function modelOf(name, manager) {
  return { get: () => name, on() {}, widget_manager: manager };
}

test("a model whose kernel runs is in the page until it goes; one from saved state never is", async () => {
  const leave = await initialize({ model: modelOf("live", { get_model: async () => ({ comm_live: true }) }) });
  assert.ok(page.models.has("live"));
  leave();
  assert.ok(!page.models.has("live"));
  assert.equal(await initialize({ model: modelOf("saved", { get_model: async () => ({ comm_live: false }) }) }), undefined);
  assert.ok(!page.models.has("saved"));
});

test("a host whose widgets know nothing of each other is no error", async () => {
  for (const manager of [undefined, {}, { get_model: () => Promise.reject(new Error("no such model")) }]) {
    assert.equal(await initialize({ model: modelOf("apart", manager) }), undefined);
  }
  assert.ok(!page.models.has("apart"));
});
