// Questions that ask for a number: reading what was typed, and finding the mistakes that give it.

import { make, quiet } from "../figures/browser/link.js";
import { matches } from "../figures/browser/numbers.js";

const NAMED = 3; // mistakes that are told of a number, at most
const DECIMAL = /^-?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i; // 0x10 and Infinity are no numbers that anyone means

// What was typed as a number that JavaScript reads; "" if it is none. A fraction such as 1/4 is one.
export function numeral(text) {
  const typed = text.trim().replaceAll("−", "-").replace(",", ".").replace(/^\+/, "");
  const fraction = typed.match(/^(-?\d+(?:\.\d+)?)\s*\/\s*(\d+(?:\.\d+)?)$/);
  if (fraction && Number(fraction[2]) !== 0) return String(fraction[1] / fraction[2]);
  return DECIMAL.test(typed) && Number.isFinite(Number(typed)) ? typed : "";
}

// What is said of an answer, as HTML.
export function judged(right, feedback) {
  return `<b>${right ? "✓ Right." : "✗ Not yet."}</b> ${feedback}`;
}

// What is said of a number that was typed: { right, sentence }. wrong: pairs of a number, or several, and a sentence;
// of the sentences on one number the first ones say most.
export function verdictOn(text, { answer, shown, feedback, wrong, otherwise }) {
  const typed = numeral(text);
  if (typed === "") return { sentence: "Type a number, such as -4 or 0.25." };
  if (matches(typed, answer)) return { right: true, sentence: judged(true, `${shown}. ${feedback}`) };
  const fits = ([numbers]) => [numbers].flat().some((number) => matches(typed, number));
  const named = wrong.filter(fits).map(([, sentence]) => sentence).slice(0, NAMED);
  return { right: false, sentence: judged(false, named.join(" Or: ") || otherwise) };
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
    typed: () => numeral(input.value),
    verdict: () => verdictOn(input.value, number),
  };
}
