// The quiz: questions one at a time, each with feedback for every answer. It needs no kernel; where there is one, the
// first answer to each question is told to it.

import { link, make, quiet } from "../../figures/page/browser/link.js";
import { entry, inWords, judged } from "./quiz_numbers.js";

const BROAD = 520; // pixels: a wider graph stands above the answers, not beside them
const MANY = 20; // questions: with more, there is no button for each
const SIGNS = { first: " ✓", later: " ✓", wrong: " ✗", "": "" };
const WORDS = { first: "right on the first try", later: "right, not on the first try", wrong: "not right yet", "": "not answered" };

let groups = 0; // so that the radios of two quizzes in a page are told apart

// A question with options, one of which is right.
function choices(question, answers) {
  const group = `bp-quiz-${(groups += 1)}`;
  const inputs = question.options.map((option, i) => {
    const input = make("input", { type: "radio", name: group, value: i, ...quiet });
    const text = make("span", { class: "bp-words" });
    text.innerHTML = option.text;
    answers.append(make("label", { class: "bp-option" }, input, text, make("span", { class: "bp-sign" })));
    return input;
  });
  return {
    sentences: question.options.map((option) => judged(option.right, option.feedback)),
    focus: () => (inputs.find((input) => input.checked) || inputs[0]).focus(),
    changed: (act) => answers.addEventListener("change", act),
    typed: () => question.options[inputs.findIndex((input) => input.checked)].given,
    verdict() {
      const chosen = inputs.findIndex((input) => input.checked);
      if (chosen < 0) return { sentence: "Choose one of the answers first." };
      const { right, feedback } = question.options[chosen];
      const label = inputs[chosen].parentElement;
      label.dataset.state = right ? "right" : "wrong";
      label.querySelector(".bp-sign").textContent = right ? "✓ right" : "✗ not this";
      return { right: Boolean(right), sentence: judged(right, feedback) };
    },
  };
}

function listing({ code }) {
  return make("pre", { class: "bp-lines" }, make("code", {}, code));
}

// What a question is about, beside its answers: code, a graph. codeless: the code stands elsewhere.
function subject(question, codeless) {
  const beside = make("div", { class: "bp-beside" });
  if (question.code && !codeless) beside.append(listing(question));
  if (question.graph) {
    const graph = make("div", { class: "bp-graph" });
    graph.innerHTML = question.graph;
    if (graph.firstElementChild.getAttribute("width") > BROAD) beside.classList.add("bp-broad");
    beside.append(graph);
  }
  return beside;
}

// Hidden paragraphs, as high as anything that will be said there: those of the longest sentences.
function rooms(sentences) {
  const lengths = new Map(sentences.map((each) => [each, each.replace(/<[^>]*>/g, "").length]));
  const longest = [...lengths.keys()].sort((one, other) => lengths.get(other) - lengths.get(one)).slice(0, 4);
  return longest.map((sentence) => {
    const room = make("p", { class: "bp-feedback", "aria-hidden": "true" });
    room.innerHTML = sentence;
    room.querySelectorAll("a").forEach((each) => each.removeAttribute("href")); // nothing hidden takes the focus
    return room;
  });
}

class Question {
  // heard: called with whether the answer was right, at each one that is given. onward: shows the next question.
  // aside: whether what is said stands below the answers, beside what the question is about.
  constructor(question, isLast, aside, heard, onward) {
    this.isLast = isLast;
    this.aside = aside;
    this.heard = heard;
    this.onward = onward;
    this.done = false;
    const answers = make("div", { class: "bp-answers" });
    this.choice = question.options ? choices(question, answers) : entry(question, answers);
    this.said = make("p", { class: "bp-feedback", role: "status" });
    this.check = make("button", { type: "submit", class: "bp-check", ...quiet }, "Check");
    this.form = this.page(question, answers);
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.done && !isLast) onward();
      else this.judge();
    });
    this.choice.changed(() => { // another answer is meant: what was said of the last one no longer stands
      if (!this.done) this.said.innerHTML = this.said.dataset.state = "";
    });
  }

  page(question, answers) {
    const legend = make("legend");
    legend.innerHTML = question.text;
    if (question.source) legend.prepend(make("small", {}, question.source));
    const above = this.aside && question.code && question.graph; // a graph is high: its lines stand over the answers
    const beside = subject(question, above);
    const row = make("div", { class: "bp-row" }, this.check, make("div", { class: "bp-said" }, ...rooms(this.choice.sentences), this.said));
    const side = this.aside ? make("div", { class: "bp-side" }, ...(above ? [listing(question)] : []), answers, row) : answers;
    const body = make("div", { class: "bp-body" }, ...(beside.hasChildNodes() ? [beside] : []), side);
    const form = make("form", { class: "bp-question", novalidate: "", "data-question": question.id }, make("fieldset", {}, legend, body));
    if (!this.aside) form.append(row);
    return form;
  }

  judge() {
    const { right, sentence } = this.choice.verdict();
    this.said.dataset.state = right ? "right" : right === false ? "wrong" : "";
    this.said.innerHTML = sentence;
    if (right === undefined) return;
    if (right) this.finish();
    this.heard(right, this.choice.typed());
  }

  recall(right, sentence) {
    this.said.dataset.state = right ? "right" : "wrong";
    this.said.textContent = sentence;
    if (right) this.finish();
  }

  finish() {
    this.done = true;
    if (!this.isLast) this.check.textContent = "Next question";
  }
}

// The same in another order, a new one each time.
function shuffled(questions) {
  const keyed = questions.map((question) => [Math.random(), question]);
  return keyed.sort(([one], [other]) => one - other).map(([, question]) => question);
}

class Quiz {
  constructor(root, spec) {
    const told = spec.questions.map((question) => inWords(question, spec.sentences || []));
    spec = { ...spec, questions: spec.shuffled ? shuffled(told) : told };
    this.spec = spec;
    this.several = spec.questions.length > 1;
    this.firsts = new Map(); // for each question answered, by its place: whether the first answer was right
    this.numbers = new Map(); // for each of them, the number that was typed, as text
    this.current = 0;
    this.summary = "";
    this.kernel = null;
    this.questions = spec.questions.map((question, place) => this.asked(question, place));
    this.recall(spec.given || {});
    root.replaceChildren(this.page());
    this.update();
  }

  asked(question, place) {
    const isLast = place === this.spec.questions.length - 1;
    const heard = (right, typed) => this.heard(place, right, typed);
    return new Question(question, isLast, this.spec.round, heard, () => this.show(place + 1, true));
  }

  // Answers from before, { id: [right, typed, sentence] }: their questions count as answered, and say what was given.
  recall(given) {
    this.spec.questions.forEach(({ id }, place) => {
      if (!given[id]) return;
      this.firsts.set(place, given[id][0]);
      this.numbers.set(place, given[id][1]);
      this.questions[place].recall(given[id][0], given[id][2]);
    });
    this.current = Math.max(0, this.questions.findIndex((_, place) => !this.firsts.has(place)));
  }

  // In a deck, after a miss: of the questions that wait, the one that trains most of the same comes next.
  bring(place) {
    const { questions } = this.spec;
    const shared = (other) => questions[other].trains.filter((name) => questions[place].trains.includes(name)).length;
    const waiting = questions.map((_, other) => other).filter((other) => other > place && !this.firsts.has(other));
    const best = waiting.reduce((found, other) => (shared(other) > shared(found) ? other : found), waiting[0]);
    if (best === waiting[0]) return;
    const swapped = [[waiting[0], questions[best]], [best, questions[waiting[0]]]];
    swapped.forEach(([at, question]) => this.renew({ place: at, question }));
  }

  // Another question for a place that is not in view and has no answer.
  renew({ place, question }) {
    if (place === this.current || this.firsts.has(place)) return;
    const made = this.asked(question, place);
    this.questions[place].form.replaceWith(made.form);
    this.questions[place] = made;
    this.spec.questions[place] = question;
    this.update();
  }

  page() {
    const press = (word, act) => {
      const button = make("button", { type: "button", ...quiet }, word);
      button.addEventListener("click", act);
      return button;
    };
    this.at = make("span", { class: "bp-at" });
    this.score = make("p", { class: "bp-score", role: "status" });
    this.back = press("Back", () => this.show(this.current - 1));
    // What is typed next is meant for the next question; a finger is not sent a keyboard that it did not ask for.
    this.next = press("Next", (event) => this.show(this.current + 1, event.pointerType !== "touch"));
    this.marks = this.questions.map((_, place) => press(String(place + 1), () => this.show(place)));
    const head = make("div", { class: "bp-head" }, make("span", { class: "bp-title" }, this.spec.title), this.at);
    const jumps = make("div", { class: "bp-jumps", role: "group", "aria-label": "Questions" }, ...this.marks);
    const deck = make("div", { class: "bp-deck" }, ...this.questions.map(({ form }) => form));
    const foot = make("div", { class: "bp-foot" }, ...(this.several ? [this.back, this.next] : []), this.score);
    const parts = this.several && this.marks.length <= MANY ? [head, jumps, deck, foot] : [head, deck, foot];
    const kind = this.spec.round ? "bp bp-quiz bp-round" : "bp bp-quiz";
    const section = make("div", { class: kind, role: "group", "aria-label": this.spec.title }, ...parts);
    section.addEventListener("keydown", (event) => event.stopPropagation()); // keys in here are for no one outside
    return section;
  }

  heard(place, right, typed) {
    if (!this.firsts.has(place)) {
      this.firsts.set(place, right);
      this.numbers.set(place, typed ?? "");
      if (!right && this.spec.shuffled) this.bring(place);
      this.tell();
    }
    this.update();
  }

  show(place, focus = false) {
    if (place < 0 || place >= this.questions.length) return;
    this.current = place;
    this.update();
    if (focus) this.questions[place].choice.focus();
  }

  update() {
    const { current, questions } = this;
    questions.forEach(({ form }, place) => form.classList.toggle("bp-off", place !== current));
    this.at.textContent = this.several ? `Question ${current + 1} of ${questions.length}` : "";
    this.back.setAttribute("aria-disabled", String(current === 0)); // not disabled: the focus must not be lost
    this.next.setAttribute("aria-disabled", String(current === questions.length - 1));
    this.marks.forEach((mark, place) => this.look(mark, place));
    this.score.textContent = this.several ? this.tally() : "";
  }

  look(mark, place) {
    const first = this.firsts.get(place);
    const state = this.questions[place].done ? (first ? "first" : "later") : first === undefined ? "" : "wrong";
    mark.dataset.state = state;
    mark.textContent = `${place + 1}${SIGNS[state]}`;
    mark.setAttribute("aria-label", `Question ${place + 1}: ${WORDS[state]}`);
    if (place === this.current) mark.setAttribute("aria-current", "step");
    else mark.removeAttribute("aria-current");
  }

  tally() {
    const right = [...this.firsts.values()].filter(Boolean).length;
    if (this.firsts.size === 0) return "";
    const all = `All done: ${right} of ${this.questions.length} on the first try. ${this.summary}`.trim();
    return this.questions.every(({ done }) => done) ? all : `Right on the first try: ${right} of ${this.firsts.size} answered.`;
  }

  // The kernel is told of all first answers, each time: it notes those that are new.
  tell() {
    if (!this.kernel) return;
    const byId = (known) => Object.fromEntries([...known].map(([place, of]) => [this.spec.questions[place].id, of]));
    if (this.spec.round) this.kernel.set("typed", byId(this.numbers));
    this.kernel.set("answers", byId(this.firsts));
    this.kernel.save_changes();
  }

  join(kernel) {
    this.kernel = kernel;
    kernel.on?.("change:renewed", () => this.renew(kernel.get("renewed")));
    const ended = () => {
      this.summary = kernel.get("summary") || "";
      this.update();
    };
    kernel.on?.("change:summary", ended);
    if (this.spec.round) ended();
    if (this.firsts.size) this.tell();
  }
}

export function mount(root, spec, name) {
  const quiz = new Quiz(root, spec);
  link(name, (model) => quiz.join(model));
}
