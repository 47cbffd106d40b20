// The bar that moves through the frames: buttons, a slider, and the clock that plays.

import { make, quiet } from "./link.js";
import { button, setIcon } from "./parts.js";

const BEAT = 1100; // milliseconds between frames when playing

// Plays: calls `tick` at each beat, until it says that there is no more, or it is stopped.
class Clock {
  constructor(tick) {
    this.tick = tick;
    this.timer = null;
    this.button = button("Play", "play");
    this.button.className = "bp-play";
    this.look();
  }

  get runs() {
    return this.timer !== null;
  }

  start() {
    this.timer ??= setInterval(() => this.tick() || this.stop(), BEAT);
    this.look();
  }

  stop() {
    if (!this.runs) return;
    clearInterval(this.timer);
    this.timer = null;
    this.look();
  }

  look() {
    const word = this.runs ? "Pause" : "Play";
    setIcon(this.button, word.toLowerCase(), word);
    this.button.setAttribute("aria-pressed", String(this.runs));
    for (const name of ["aria-label", "title"]) this.button.setAttribute(name, word);
  }
}

export class Bar {
  // tick: shows the next frame, and says whether it did.
  constructor(tick) {
    this.clock = new Clock(tick);
    this.buttons = {
      first: button("First step", "first"),
      back: button("Step back", "back"),
      play: this.clock.button,
      forward: button("Step forward", "forward"),
      last: button("Last step", "last"),
    };
    this.slider = make("input", { type: "range", min: "0", step: "1", ...quiet });
    this.stands = make("span", { "aria-hidden": "true" }); // what the slider stands for, where it is a quantity
    this.words = make("button", { type: "button", "aria-pressed": "false", ...quiet }, "Text");
    this.words.title = "Show every step as a sentence";
    this.node = make("div", { class: "bp-bar" }, ...Object.values(this.buttons), this.stands, this.slider, this.words);
  }

  // So many frames; `name` is what the slider stands for.
  put(count, name = "") {
    this.slider.setAttribute("aria-label", name || "Step");
    this.stands.textContent = name;
    this.stands.hidden = !name;
    this.slider.max = String(count - 1);
    this.node.hidden = count < 2;
  }

  show(index, count, at) {
    this.slider.value = String(index);
    this.slider.setAttribute("aria-valuetext", at || `${index + 1} of ${count}`);
    const [begins, ends] = [index === 0, index === count - 1];
    const all = { first: begins, back: begins, forward: ends, last: ends };
    for (const [name, off] of Object.entries(all)) {
      this.buttons[name].setAttribute("aria-disabled", String(off)); // not disabled: the focus must not be lost
    }
  }
}
