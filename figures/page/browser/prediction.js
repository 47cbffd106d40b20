// The row in which a learner predicts the next step's number before seeing it.

import { make, quiet } from "./link.js";
import { matches, reading } from "./numbers.js";

// What is said of a number that is not the answer: never how far it is off, as that would be the answer.
export function refusal(typed, { wrong, hint }) {
  const named = wrong.filter(([number]) => matches(typed, number)).map(([, sentence]) => sentence);
  return `✗ Not ${typed}. ${named.join(" Or: ") || hint} Try again, or step on.`;
}

export class Prediction {
  // onward: shows the next frame.
  constructor(onward) {
    this.onward = onward;
    this.prompt = make("span");
    this.entry = make("input", { type: "text", inputmode: "decimal", autocomplete: "off", ...quiet });
    this.check = make("button", { type: "submit", ...quiet }, "Check");
    this.verdict = make("span", { class: "bp-verdict", role: "status" });
    this.row = make("form", { class: "bp-ask" }, make("label", {}, this.prompt, this.entry), this.check, this.verdict);
    this.tries = new Map(); // for each frame asked: whether the first try was right
    this.asked = null;
    this.at = 0;
    this.row.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.asked) this.judge();
    });
  }

  judge() {
    const typed = this.entry.value.trim();
    const { fault } = reading(typed);
    if (fault) {
      this.verdict.textContent = fault;
      return;
    }
    const { answer, what, shown } = this.asked;
    const right = matches(typed, answer);
    if (!this.tries.has(this.at)) this.tries.set(this.at, right);
    if (!right) {
      this.verdict.textContent = refusal(typed, this.asked);
      return;
    }
    this.onward();
    this.entry.focus();
    this.verdict.textContent = `✓ Right: ${what} is ${shown}.`;
  }

  // Frame `at` is shown; `next` is what the frame after it asks. total: how many frames ask.
  show(next, at, total, last) {
    this.at = at;
    this.asked = next || null;
    this.verdict.textContent = this.entry.value = "";
    this.entry.disabled = this.check.disabled = !this.asked;
    if (this.asked) this.prompt.textContent = `Predict: what will ${this.asked.what} be?`;
    else this.prompt.textContent = last ? this.score(total) : "No prediction at this step.";
    this.entry.setAttribute("aria-label", this.asked ? this.prompt.textContent : "No prediction at this step");
  }

  score(total) {
    const right = [...this.tries.values()].filter(Boolean).length;
    return `Predicted on the first try: ${right} of ${total}. Skipped: ${total - this.tries.size}.`;
  }

  forget() { // other frames: another score
    this.tries.clear();
  }
}
