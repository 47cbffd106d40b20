// Parts of the stage that hold a number to be dragged: a part with data-drag, the number's name, and data-value. It is a
// slider: the pointer moves it, to the right and up for more, and so do the arrow keys; with Shift in finer steps.

import { moved } from "./numbers.js";
import { commands, consume } from "./parts.js";

const STEP = 0.1;
const FINE = 0.01;
const PIXELS = 4; // of a drag, for a step
const ARROWS = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 10, PageDown: -10 };

// How many steps a pointer has gone since it was pressed: right and up are more.
export function stepped(from, to) {
  return Math.round((to.x - from.x + from.y - to.y) / PIXELS);
}

// stage: the Stage. read(part): the number as it is now. write(name, number): asks for another.
export function draggable(stage, read, write) {
  const change = (part, from, steps, fine) => write(part.dataset.drag, moved(from, steps, fine ? FINE : STEP));
  let held = null;

  stage.node.addEventListener("pointerdown", (event) => {
    const part = event.target.closest("[data-drag]");
    if (!part || !stage.on || event.button) return;
    event.preventDefault(); // no text is selected
    part.focus();
    part.setPointerCapture(event.pointerId);
    held = { part, from: read(part), x: event.clientX, y: event.clientY, steps: 0, fine: event.shiftKey };
  });
  stage.node.addEventListener("pointermove", (event) => {
    if (!held) return;
    const to = { x: event.clientX, y: event.clientY };
    if (held.fine !== event.shiftKey) Object.assign(held, to, { from: read(held.part), steps: 0, fine: event.shiftKey });
    const steps = stepped(held, to);
    if (steps === held.steps) return;
    held.steps = steps;
    change(held.part, held.from, steps, held.fine);
  });
  for (const end of ["pointerup", "pointercancel"]) {
    stage.node.addEventListener(end, () => {
      held = null;
    });
  }
  stage.node.addEventListener("keydown", (event) => {
    if (!event.target.matches("[data-drag]") || !ARROWS[event.key] || commands(event)) return;
    consume(event);
    if (stage.on) change(event.target, read(event.target), ARROWS[event.key], event.shiftKey);
  });
}
