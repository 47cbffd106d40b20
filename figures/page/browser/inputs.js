// The inputs above the stage, one for each control of a recording.

import { make, quiet } from "./link.js";
import { written } from "./numbers.js";

// Each kind of control as what stands for it in the page: { node, input, set }. `set` shows a value from the kernel;
// `tell` is called with a new value of the learner's.

function textEntry(control, tell) {
  const input = make("input", { type: "text", "aria-label": control.label, spellcheck: "false", ...quiet });
  const caret = make("span", { class: "bp-caret", "aria-hidden": "true" });
  input.addEventListener("input", () => tell(input.value));
  return {
    node: make("label", { class: "bp-entry" }, make("span", {}, control.label), input, caret),
    input,
    set(value) {
      input.value = value;
    },
    point(at) { // at which character its text is wrong; undefined: nowhere
      input.setAttribute("aria-invalid", String(at !== undefined));
      caret.textContent = at === undefined ? "" : `${" ".repeat(at)}▲`;
      caret.scrollLeft = input.scrollLeft;
    },
  };
}

function range(control, tell) {
  const { label, min, max, step, log, whole } = control;
  const input = make("input", { type: "range", "aria-label": label, min, max, step, ...quiet });
  const shown = make("output", { "aria-hidden": "true" });
  const write = (number) => {
    shown.textContent = whole ? String(number) : written(number);
    if (log) input.setAttribute("aria-valuetext", shown.textContent);
  };
  input.addEventListener("input", () => {
    const number = log ? 10 ** Number(input.value) : Number(input.value); // on a log slider: of the exponent
    write(number);
    tell(number);
  });
  return {
    node: make("label", {}, make("span", {}, label), input, shown),
    input,
    set(number) {
      input.value = log ? Math.log10(number) : number;
      write(number); // the exact one, which may lie between two places of the slider
    },
  };
}

function choice(control, tell) {
  const input = make("select", { "aria-label": control.label, ...quiet });
  input.append(...control.options.map((option) => make("option", { value: option }, option)));
  input.addEventListener("change", () => tell(input.value));
  return {
    node: make("label", { class: "bp-choice" }, make("span", {}, control.label), input),
    input,
    set(value) {
      input.value = value;
    },
  };
}

function toggle(control, tell) {
  const input = make("input", { type: "checkbox", "aria-label": control.label, ...quiet });
  input.addEventListener("change", () => tell(input.checked));
  return {
    node: make("label", { class: "bp-choice" }, input, make("span", {}, control.label)),
    input,
    set(value) {
      input.checked = value;
    },
  };
}

function push(control, tell) {
  const input = make("button", { type: "button", ...quiet }, control.label);
  input.addEventListener("click", () => {
    if (input.getAttribute("aria-disabled") !== "true") tell();
  });
  return { node: input, input };
}

const KINDS = { button: push, text: textEntry, range, choice, toggle };

// A button that is off keeps the focus, so that the next key is not lost. Other inputs are passed over by the Tab key.
function setOff({ node, input }, off) {
  if (node === input) {
    if (off) input.setAttribute("aria-disabled", "true");
    else input.removeAttribute("aria-disabled");
    return;
  }
  if (off && document.activeElement === input) input.blur();
  input.disabled = off;
  node.classList.toggle("bp-idle", off);
}

export class Inputs {
  // changed: called when a value has changed. pressed: called with the name of a button.
  constructor(changed, pressed) {
    this.changed = changed;
    this.pressed = pressed;
    this.node = make("fieldset", { class: "bp-controls", "aria-label": "Inputs" });
    this.values = {};
    this.rows = new Map(); // for each control, by its name: what stands for it in the page, and as what it was made
  }

  // The controls of a recording. Those that are as before stay as they are, with their value, focus and caret.
  put(controls) {
    const kinds = new Map(controls.map((each) => [each.name, JSON.stringify({ ...each, value: null, disabled: null })]));
    for (const [name, row] of this.rows) {
      if (kinds.get(name) === row.kind) continue;
      row.node.remove();
      this.rows.delete(name);
      delete this.values[name];
    }
    controls.forEach((control, place) => {
      if (!this.rows.has(control.name)) this.add(control, kinds.get(control.name));
      this.update(control.name, { disabled: Boolean(control.disabled) });
      const { node } = this.rows.get(control.name);
      if (this.node.children[place] !== node) this.node.insertBefore(node, this.node.children[place] || null);
    });
  }

  add(control, kind) {
    const { name } = control;
    const tell = control.kind === "button" ? () => this.pressed(name) : (value) => this.write(name, value);
    this.rows.set(name, { ...KINDS[control.kind](control, tell), kind });
    this.update(name, { value: control.value });
  }

  // The controls of a frame of a recorded run, with their values.
  show(controls) {
    this.put(controls);
    for (const control of controls) this.update(control.name, control);
  }

  // A new value, by the learner's hand.
  write(name, value) {
    this.values[name] = value;
    this.changed();
  }

  // What the kernel changes of a control: its value, its label, whether it is disabled.
  update(name, { value, label, disabled }) {
    const row = this.rows.get(name);
    if (!row) return;
    if (value !== undefined && row.set) {
      this.values[name] = value;
      row.set(value);
    }
    if (label !== undefined && !row.set) row.input.textContent = label;
    if (disabled !== undefined) setOff(row, disabled);
  }

  // What the kernel has for the values.
  adopt(known) {
    for (const [name, value] of Object.entries(known)) {
      if (this.values[name] !== value) this.update(name, { value });
    }
  }

  // Where the text of a control is wrong: { name, at }.
  point(fault) {
    for (const [name, row] of this.rows) row.point?.(fault?.name === name ? fault.at : undefined);
  }
}
