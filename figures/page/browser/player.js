// The player: shows one of a list of frames, and moves between them by button, slider, key and clock.
// A live lab has one frame, which the kernel changes. A press on a part with data-press is a request, and so is a drag
// of a part with data-drag.
// Every player is made from data that stands in the page, and works so without a kernel. If the page has the model
// through which a kernel answers, now or later, the player joins it, and its inputs work until the model is gone.

import { Bar } from "./bar.js";
import { draggable } from "./drag.js";
import { changed, completed, longest } from "./frames.js";
import { Inputs } from "./inputs.js";
import { make, quiet } from "./link.js";
import { commands, consume } from "./parts.js";
import { Prediction } from "./prediction.js";
import { Requests } from "./requests.js";
import { Stage } from "./stage.js";
import { Travel } from "./travel.js";

const KEYS = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last" };

// Every frame as a sentence. Where learners predict, only those that have been shown: the others are answers.
class Sentences {
  constructor() {
    this.node = make("ol", { class: "bp-text", tabindex: "0", "aria-label": "All steps as text", ...quiet });
    this.node.hidden = true;
    this.reached = 0;
  }

  put(frames) {
    this.node.replaceChildren(...frames.map((frame) => make("li", {}, frame.say)));
    this.reached = 0;
  }

  show(index, hides) {
    const lines = [...this.node.children];
    this.reached = Math.max(this.reached, index);
    for (const line of lines) line.removeAttribute("aria-current");
    lines[index]?.setAttribute("aria-current", "step");
    if (hides) lines.forEach((line, place) => (line.hidden = place > this.reached));
  }
}

export class Player {
  constructor(root, spec) {
    this.frames = [];
    this.index = 0;
    this.tell = () => {}; // the kernel, of the frame that is shown
    this.inputs = new Inputs(() => this.requests.request(), (name) => this.requests.press(name));
    this.requests = new Requests(this.inputs.values);
    this.stage = new Stage((name) => this.requests.press(name));
    this.travel = new Travel(this.stage);
    this.bar = new Bar(() => this.beat());
    this.ask = new Prediction(() => this.step());
    this.sentences = new Sentences();
    root.replaceChildren(this.page());
    this.listen();
    this.enable();
    this.take(spec);
    if (spec.controls?.length || spec.run || this.stage.dragged().length) this.requests.expect(spec.alone, root.closest("[data-model]"));
    this.section.player = this; // alive for as long as its part of the page is: the page itself holds it weakly
  }

  page() {
    this.title = make("span", { class: "bp-title" });
    this.at = make("span", { class: "bp-at" });
    this.message = make("div", { class: "bp-message", role: "status" });
    this.say = make("output", { "aria-live": "polite" });
    this.room = make("span", { "aria-hidden": "true" });
    this.panel = make("div", { class: "bp-panel" }, this.inputs.node, this.requests.node);
    this.section = make(
      "div", // not a section: two labs of one kind in a page would be two landmarks of one name
      { class: "bp bp-player", role: "group" },
      make("div", { class: "bp-head" }, this.title, this.at),
      this.panel,
      this.bar.node,
      make("div", { class: "bp-say" }, this.room, this.say, this.message),
      this.ask.row,
      this.stage.node,
      this.sentences.node,
    );
    return this.section;
  }

  listen() {
    const { buttons, slider, words, clock } = this.bar;
    const moves = {
      first: () => this.go(0),
      back: () => this.go(this.index - 1),
      forward: () => this.hand(() => this.step()),
      last: () => this.go(this.frames.length - 1),
    };
    for (const [name, move] of Object.entries(moves)) buttons[name].addEventListener("click", move);
    slider.addEventListener("input", () => this.go(Number(slider.value)));
    buttons.play.addEventListener("click", () => (clock.runs ? clock.stop() : this.play()));
    words.addEventListener("click", () => {
      this.sentences.node.hidden = !this.sentences.node.hidden;
      words.setAttribute("aria-pressed", String(!this.sentences.node.hidden));
    });
    this.section.addEventListener("keydown", (event) => {
      if (commands(event)) return;
      if (event.target.matches("input, select, [data-scrolls]")) {
        event.stopPropagation(); // these have their own use of the arrows
      } else if (KEYS[event.key] && this.frames.length > 1) {
        moves[KEYS[event.key]]();
        consume(event);
      }
    });
    draggable(this.stage, (part) => this.numbers()[part.dataset.drag], (name, number) => {
      Object.assign(this.inputs.values, this.numbers());
      this.inputs.write(name, number);
    });
  }

  // The numbers that are dragged, by name: as the stage shows them, but while an answer is awaited as they were asked.
  numbers() {
    const { values } = this.inputs;
    const shown = this.stage.dragged().map(({ dataset }) => [dataset.drag, Number(dataset.value)]);
    return Object.fromEntries(shown.map(([name, number]) => [name, this.requests.asked ? (values[name] ?? number) : number]));
  }

  // What the kernel sends, or the page holds: a spec, which is a whole recording, or a change of the frame shown.
  take(sent) {
    if (Array.isArray(sent.controls)) this.inputs.put(sent.controls);
    else Object.entries(sent.controls || {}).forEach(([name, change]) => this.inputs.update(name, change));
    if (sent.message !== undefined) this.message.textContent = sent.message;
    if (sent.frames) this.load(sent);
    else if (this.frames.length) {
      this.frames[this.index] = changed(this.frames[this.index], sent);
      this.drawing ??= requestAnimationFrame(() => this.show(this.index)); // several between two pictures are one
    }
  }

  load(spec) {
    const fresh = !this.frames.length;
    this.section.setAttribute("aria-label", spec.title);
    this.title.textContent = spec.title;
    this.panel.hidden = !(spec.controls?.length || spec.run);
    this.inputs.point(spec.fault);
    this.run = spec.run;
    if (!this.run) this.stage.put(spec.stage);
    this.frames = completed(spec.frames);
    this.questions = this.frames.filter((frame) => frame.ask).length;
    if (!fresh) this.ask.forget();
    this.ask.row.hidden = !this.questions;
    this.bar.put(this.frames.length, spec.slider);
    this.room.textContent = longest(this.frames, spec.room);
    this.sentences.put(this.frames);
    this.show(fresh ? (spec.index ?? 0) : (spec.jump ?? this.index));
  }

  show(next) {
    this.travel.stop();
    this.drawing = undefined;
    const { length } = this.frames;
    this.index = Math.max(0, Math.min(length - 1, next));
    const frame = this.frames[this.index];
    if (this.run) { // recorded: each frame names the stage that it stands on, and the inputs as they stood
      const [stages, inputs] = this.run;
      this.stage.put(stages[frame.stage]);
      this.inputs.show(frame.panel.map((place) => inputs[place]));
    }
    this.stage.draw(frame.set);
    this.say.textContent = frame.say;
    this.at.textContent = frame.at || "";
    this.bar.show(this.index, length, frame.at);
    this.sentences.show(this.index, this.questions > 0);
    this.ask.show(this.frames[this.index + 1]?.ask, this.index, this.questions, this.index === length - 1);
    this.tell(this.index);
  }

  // One step forward, in which a gradient is seen to flow.
  step() {
    this.travel.over(() => this.show(this.index + 1));
  }

  beat() {
    if (!this.section.isConnected || this.index === this.frames.length - 1) return false;
    this.step();
    return true;
  }

  play() {
    this.message.textContent = "";
    if (this.index === this.frames.length - 1) this.show(0);
    this.bar.clock.start();
  }

  // A move by the learner's hand: a message over the last picture has been read.
  hand(move) {
    this.bar.clock.stop();
    this.message.textContent = "";
    move();
  }

  go(next) {
    this.hand(() => this.show(next));
  }

  // What the kernel has for the values. While this player waits for an answer, its own inputs are newer.
  adopt(known) {
    if (!this.requests.asked) this.inputs.adopt(known);
  }

  // kernel: what answers requests, by ask(values, presses), and is told by at(index) which frame is shown.
  join(kernel) {
    this.tell = (index) => kernel.at(index);
    this.requests.join(kernel);
    this.enable();
  }

  leave(sentence) {
    this.tell = () => {};
    this.requests.leave(sentence);
    this.enable();
  }

  enable() {
    this.inputs.node.disabled = !this.requests.kernel;
    this.stage.enable(Boolean(this.requests.kernel));
  }
}
