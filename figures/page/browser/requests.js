// What a player asks of the kernel. Each change of an input, and each press, is a request. While one is on its way
// changes wait, and go as one: of an input's only the newest value, of presses all, in order.

import { make } from "./link.js";

const PATIENCE = 3000; // milliseconds after which a kernel that does not answer is reported
const GRACE = 1000; // milliseconds that a model may take to come, before the page says that there is none

const SILENT = "No answer yet: the kernel is busy or gone.";

// What is said where no kernel is: the sentence, and the way to a page that runs this lesson, where the page has one.
function alone(sentence) {
  const ways = [...document.querySelectorAll("a[data-runs-lesson]")].map(({ href, textContent }) => make("a", { href }, textContent));
  if (sentence) return [sentence, " ", ...ways];
  const how = document.querySelector(".lm-Widget") ? "again" : "in JupyterLab";
  return [...(ways.length ? ways : [`Run this cell ${how}`]), " to use these inputs."];
}

export class Requests {
  // values: those of the inputs, as they are now.
  constructor(values) {
    this.values = values;
    this.node = make("div", { class: "bp-status", role: "status" });
    this.kernel = null; // while there is one: ask(values, presses)
    this.presses = [];
    this.asked = this.waiting = false;
  }

  press(name) {
    this.presses.push(name);
    this.request();
  }

  request() {
    if (this.asked) {
      this.waiting = true;
      return;
    }
    this.asked = true;
    this.later(() => [SILENT], PATIENCE);
    this.kernel.ask({ ...this.values }, this.presses);
    this.presses = [];
  }

  answered() {
    this.say("");
    this.asked = false;
    if (!this.waiting) return;
    this.waiting = false;
    this.request();
  }

  // The player has inputs: it is of no use for long without a kernel. sentence: what is said then, if not the usual.
  // named: whether a model may still come; where none will, as in a book, it is said at once, so that nothing grows.
  expect(sentence, named) {
    if (named) this.later(() => alone(sentence), GRACE);
    else this.say(...alone(sentence));
  }

  join(kernel) {
    this.kernel = kernel;
    this.say("");
  }

  leave(sentence) {
    this.kernel = null;
    this.asked = this.waiting = false;
    this.presses = [];
    this.say(sentence);
  }

  say(...parts) {
    clearTimeout(this.patience);
    this.node.replaceChildren(...parts);
  }

  later(parts, time) {
    clearTimeout(this.patience);
    this.patience = setTimeout(() => this.say(...parts()), time);
  }
}
