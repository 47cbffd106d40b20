// Questions that ask for a number: reading what was typed, and finding the mistakes that give it.

import { make, quiet } from "../../figures/page/browser/link.js";
import { matches, reading } from "../../figures/page/browser/numbers.js";

const NAMED = 3; // mistakes that are told of a number, at most

// What is said of an answer, as HTML.
export function judged(right, feedback) {
  return `<b>${right ? "✓ Right." : "✗ Not yet."}</b> ${feedback}`;
}

// What is said of a number that was typed: { right, sentence }. wrong: pairs of a number, or several, and a sentence;
// of the sentences on one number the first ones say most.
export function verdictOn(text, { answer, shown, feedback, wrong, otherwise, gives = "" }) {
  const { fault } = reading(text);
  if (fault) return { sentence: fault };
  if (matches(text, answer)) return { right: true, sentence: judged(true, `${shown}. ${feedback}`) };
  const fits = ([numbers]) => [numbers].flat().some((number) => matches(text, number));
  const named = wrong.filter(fits).map(([, sentence]) => sentence).slice(0, NAMED);
  return { right: false, sentence: judged(false, named.length ? gives + named.join(" Or: ") : otherwise) };
}

// A question whose sentences stand in a list for all questions, by their places there, with the sentences themselves.
export function inWords(question, sentences) {
  if (!question.number) return question;
  const told = (each) => sentences[each] ?? each;
  const { wrong, otherwise } = question.number;
  const number = { ...question.number, otherwise: told(otherwise), wrong: wrong.map(([numbers, each]) => [numbers, told(each)]) };
  return { ...question, number };
}

// All that can be said of a number.
export function sentencesOn(number) {
  const typed = number.wrong.flatMap(([numbers]) => [numbers].flat().flatMap((each) => [String(each), each.toFixed(2)]));
  const said = [...new Set(typed)].map((text) => verdictOn(text, number).sentence);
  return [...new Set([...said, judged(true, `${number.shown}. ${number.feedback}`), judged(false, number.otherwise)])];
}

// The input for a number.
export function entry({ number }, answers) {
  const input = make("input", { type: "text", inputmode: "decimal", autocomplete: "off", ...quiet });
  answers.append(make("label", { class: "bp-number-entry" }, make("span", {}, "Your number"), input));
  return {
    sentences: sentencesOn(number),
    focus: () => input.focus(),
    changed: (act) => input.addEventListener("input", act),
    typed: () => input.value.trim(),
    verdict: () => verdictOn(input.value, number),
  };
}
