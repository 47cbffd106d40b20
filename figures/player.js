// The player: shows one of a list of frames, and moves between them by button, slider, key and clock.
// A frame says what differs from the one before: for each part of the stage, by its data-key, its text, its state, or
// any attribute. A live lab has one frame, which the kernel patches. A press on a part with data-press is a request.
// Every player is mounted from data that stands in the page, and works so without a kernel. If the page has the model
// through which a kernel answers, now or later, the player joins it, and its inputs work until the model is gone.

const ICONS = {
  first: "M3 3h2v10H3zM12 2.6 13.4 4 9.4 8l4 4-1.4 1.4L6.6 8z",
  back: "M10.5 2.6 11.9 4l-4 4 4 4-1.4 1.4L5.1 8z",
  play: "M4 2.5v11L13 8z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  forward: "M5.5 2.6 4.1 4l4 4-4 4 1.4 1.4L10.9 8z",
  last: "M11 3h2v10h-2zM4 2.6 2.6 4l4 4-4 4L4 13.4 9.4 8z",
};
const BEAT = 1100; // milliseconds between frames when playing
const PATIENCE = 3000; // milliseconds after which a kernel that does not answer is reported
const GRACE = 1000; // milliseconds that a model may take to come, before the page says that there is none

const ALONE = "Run this cell in JupyterLab to use these inputs.";
const SILENT = "No answer yet: the kernel is busy or gone.";

function button(label, icon) {
  const node = make("button", { type: "button", "aria-label": label, title: label, ...quiet });
  setIcon(node, icon);
  return node;
}

function setIcon(node, icon, word = "") {
  node.innerHTML = `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${ICONS[icon]}"/></svg>${word}`;
}

// Every frame in full, from frames that say only what changes.
function completed(frames) {
  let known = {};
  return frames.map((frame) => {
    known = { ...known };
    for (const [key, { "d+": more, ...mark }] of Object.entries(frame.set || {})) {
      known[key] = { ...known[key], ...mark };
      if (more !== undefined) known[key].d += more; // a path that has grown
    }
    return { ...frame, set: known };
  });
}

// Whether a number typed is the answer, rounded to the decimals that were typed (to two, where fewer were).
function matches(typed, answer) {
  const decimals = (typed.split(/e/i)[0].split(".")[1] || "").length;
  const slack = decimals >= 2 ? 0.5 * 10 ** -Math.min(decimals, 4) : 0.00005;
  return Math.abs(Number(typed) - answer) <= slack + 1e-9 * Math.max(1, Math.abs(answer));
}

// The row in which a learner predicts the next step's number before seeing it.
function prediction(onward) {
  const prompt = make("span");
  const entry = make("input", { type: "text", inputmode: "decimal", autocomplete: "off", ...quiet });
  const check = make("button", { type: "submit", ...quiet }, "Check");
  const verdict = make("span", { class: "bp-verdict", role: "status" });
  const row = make("form", { class: "bp-ask" }, make("label", {}, prompt, entry), check, verdict);
  const tries = new Map(); // for each frame asked: whether the first try was right
  let asked = null;
  let at = 0;

  row.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!asked) return;
    const typed = entry.value.trim().replace("−", "-").replace(",", ".");
    if (typed === "" || !Number.isFinite(Number(typed))) {
      verdict.textContent = `"${entry.value}" is not a number. Write one such as -4 or 0.2403.`;
      return;
    }
    const right = matches(typed, asked.answer);
    if (!tries.has(at)) tries.set(at, right);
    if (right) {
      const said = `✓ Right: ${asked.what} is ${asked.shown}.`;
      onward();
      verdict.textContent = said;
      return;
    }
    const named = asked.wrong.filter(([number]) => matches(typed, number)).map(([, sentence]) => sentence);
    const answer = named.join(" Or: ") || asked.hint; // never how far it is off: that would be the answer
    verdict.textContent = `✗ Not ${typed}. ${answer} Try again, or step on.`;
  });

  return {
    row,
    show(next, index, total, last) {
      at = index;
      asked = next || null;
      verdict.textContent = "";
      entry.value = "";
      const off = !asked;
      entry.disabled = check.disabled = off;
      if (asked) prompt.textContent = `Predict: what will ${asked.what} be?`;
      else if (last) {
        const right = [...tries.values()].filter(Boolean).length;
        prompt.textContent = `Predicted at the first try: ${right} of ${total}. Skipped: ${total - tries.size}.`;
      } else prompt.textContent = "No prediction at this step.";
      entry.setAttribute("aria-label", asked ? prompt.textContent : "No prediction at this step");
    },
    focus: () => entry.focus(),
    forget: () => tries.clear(), // other frames: another score
  };
}

function mount(root, spec) {
  let kernel = null; // what answers the controls, while there is one: ask(values, presses), and at(index), to tell it
  let frames = [];
  let index = 0;
  let reached = 0; // the furthest frame that was shown
  let clock = null;
  let parts = new Map();

  const title = make("span", { class: "bp-title" });
  const at = make("span", { class: "bp-at" });
  const message = make("div", { class: "bp-message", role: "status" });
  const stage = make("div", { class: "bp-stage" });
  const say = make("output", { "aria-live": "polite" });
  const room = make("span", { "aria-hidden": "true" });
  const text = make("ol", { class: "bp-text", tabindex: "0", "aria-label": "All steps as text", ...quiet });
  text.hidden = true;
  const controls = make("fieldset", { class: "bp-controls", "aria-label": "Inputs" });
  const status = make("div", { class: "bp-status", role: "status" });
  const panel = make("div", { class: "bp-panel" }, controls, status);
  const buttons = {
    first: button("First step", "first"),
    back: button("Step back", "back"),
    play: button("Play", "play"),
    forward: button("Step forward", "forward"),
    last: button("Last step", "last"),
  };
  buttons.play.className = "bp-play";
  buttons.play.setAttribute("aria-pressed", "false");
  setIcon(buttons.play, "play", "Play");
  const slider = make("input", { type: "range", min: "0", step: "1", "aria-label": "Step", ...quiet });
  const stands = make("span", { "aria-hidden": "true" }); // what the slider stands for, where it is a quantity
  const words = make("button", { type: "button", "aria-pressed": "false", ...quiet }, "Text");
  words.title = "Show every step as a sentence";
  const bar = make("div", { class: "bp-bar" }, ...Object.values(buttons), stands, slider, words);
  const section = make(
    "div", // not a section: two labs of one kind in a page would be two landmarks of one name
    { class: "bp bp-player", role: "group" },
    make("div", { class: "bp-head" }, title, at),
    panel,
    bar,
    make("div", { class: "bp-say" }, room, say, message),
    stage,
    text,
  );
  const ask = prediction(() => {
    show(index + 1);
    ask.focus();
  });
  section.querySelector(".bp-say").after(ask.row);
  root.replaceChildren(section);

  function load(next) {
    const before = spec;
    const fresh = parts.size === 0;
    spec = next;
    section.setAttribute("aria-label", spec.title);
    title.textContent = spec.title;
    setControls(spec.controls || []);
    point(spec.fault);
    slider.setAttribute("aria-label", spec.slider || "Step");
    stands.textContent = spec.slider || "";
    stands.hidden = !spec.slider;
    message.textContent = spec.message || "";
    if (fresh || before.stage !== spec.stage) {
      stage.innerHTML = spec.stage;
      parts = new Map([...stage.querySelectorAll("[data-key]")].map((part) => [part.dataset.key, part]));
      for (const part of stage.querySelectorAll("[tabindex]")) part.setAttribute(...Object.entries(quiet)[0]);
      enable();
      panes();
    }
    frames = completed(spec.frames);
    if (!fresh) ask.forget();
    ask.row.hidden = !spec.frames.some((frame) => frame.ask);
    slider.max = String(frames.length - 1);
    bar.hidden = frames.length < 2;
    room.textContent = frames.reduce((longest, frame) => (frame.say.length > longest.length ? frame.say : longest), spec.room || "");
    text.replaceChildren(...frames.map((frame) => make("li", {}, frame.say)));
    reached = 0;
    show(fresh ? (spec.index ?? 0) : (spec.jump ?? Math.min(index, frames.length - 1)));
  }

  function show(next) {
    index = Math.max(0, Math.min(frames.length - 1, next));
    const frame = frames[index];
    for (const [key, mark] of Object.entries(frame.set)) {
      const part = parts.get(key);
      if (!part) continue;
      for (const [name, value] of Object.entries(mark)) {
        if (name === "text") {
          if (part.textContent !== value) part.textContent = value;
          if (part.dataset.room) part.dataset.long = value.length > Number(part.dataset.room) ? "yes" : "no";
        } else {
          const attribute = name === "state" ? "data-state" : name;
          if (part.getAttribute(attribute) !== value) part.setAttribute(attribute, value);
        }
      }
    }
    say.textContent = frame.say;
    at.textContent = frame.at || "";
    slider.value = String(index);
    slider.setAttribute("aria-valuetext", frame.at || `${index + 1} of ${frames.length}`);
    for (const [name, off] of [["first", index === 0], ["back", index === 0],
      ["forward", index === frames.length - 1], ["last", index === frames.length - 1]]) {
      buttons[name].setAttribute("aria-disabled", String(off)); // not `disabled`: the focus must not be lost
    }
    text.querySelector("[aria-current]")?.removeAttribute("aria-current");
    text.children[index]?.setAttribute("aria-current", "step");
    reached = Math.max(reached, index);
    if (!ask.row.hidden) [...text.children].forEach((line, i) => (line.hidden = i > reached)); // the others are answers
    ask.show(frames[index + 1]?.ask, index, frames.filter((each) => each.ask).length, index === frames.length - 1);
    kernel?.at(index);
    keepInSight();
  }

  // A drawing wider than its pane scrolls, by key too. What a step is about is never out of sight.
  function panes() {
    for (const pane of stage.querySelectorAll(".bp-main")) {
      const scrolls = pane.scrollWidth > pane.clientWidth + 1;
      if (scrolls === pane.hasAttribute("data-scrolls")) continue;
      const marks = { "data-scrolls": "", tabindex: "0", role: "group", "aria-label": "The drawing; it scrolls sideways", ...quiet };
      for (const [name, value] of Object.entries(marks)) {
        if (scrolls) pane.setAttribute(name, value);
        else pane.removeAttribute(name);
      }
    }
  }

  function keepInSight() {
    for (const pane of stage.querySelectorAll("[data-scrolls]")) {
      const part = ["target", "backward", "forward", "open", "early", "again"]
        .map((state) => pane.querySelector(`.node[data-state~="${state}"]`)).find(Boolean);
      if (!part) continue;
      const [seen, wanted] = [pane.getBoundingClientRect(), part.getBoundingClientRect()];
      if (wanted.left < seen.left) pane.scrollLeft += wanted.left - seen.left - 8;
      else if (wanted.right > seen.right) pane.scrollLeft += wanted.right - seen.right + 8;
    }
  }

  const resized = new ResizeObserver(() => {
    panes();
    keepInSight();
  });
  resized.observe(stage);

  function play(on) {
    if (on === (clock !== null)) return;
    clearInterval(clock);
    clock = null;
    if (on) {
      if (index === frames.length - 1) show(0);
      clock = setInterval(() => {
        if (!section.isConnected || index === frames.length - 1) play(false);
        else show(index + 1);
      }, BEAT);
    }
    setIcon(buttons.play, on ? "pause" : "play", on ? "Pause" : "Play");
    buttons.play.setAttribute("aria-pressed", String(on));
    for (const name of ["aria-label", "title"]) buttons.play.setAttribute(name, on ? "Pause" : "Play");
  }

  function go(next) { // by the learner's hand: a message over the last picture has been read
    play(false);
    message.textContent = "";
    show(next);
  }

  const moves = {
    first: () => go(0),
    back: () => go(index - 1),
    forward: () => go(index + 1),
    last: () => go(frames.length - 1),
  };
  for (const [name, move] of Object.entries(moves)) buttons[name].addEventListener("click", move);
  buttons.play.addEventListener("click", () => {
    message.textContent = "";
    play(clock === null);
  });
  slider.addEventListener("input", () => go(Number(slider.value)));
  words.addEventListener("click", () => {
    text.hidden = !text.hidden;
    words.setAttribute("aria-pressed", String(!text.hidden));
  });
  const keys = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last" };
  section.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.target.matches("input, select, [data-scrolls]")) {
      event.stopPropagation(); // these have their own use of the arrows
    } else if (keys[event.key] && frames.length > 1) {
      moves[keys[event.key]]();
      event.preventDefault();
      event.stopPropagation();
    }
  });

  // What the kernel changed in a live lab: marks and the sentence of the frame shown, and controls.
  function patch(change) {
    const frame = frames[index];
    for (const [key, mark] of Object.entries(change.set || {})) frame.set[key] = { ...frame.set[key], ...mark };
    if (change.say !== undefined) frame.say = change.say;
    if (change.at !== undefined) frame.at = change.at;
    for (const [name, control] of Object.entries(change.controls || {})) inputs.get(name)?.update(control);
    if (change.message !== undefined) message.textContent = change.message;
    if (!drawing) drawing = requestAnimationFrame(draw); // several patches between two pictures are drawn as one
  }

  let drawing = 0;
  function draw() {
    drawing = 0;
    show(index);
  }

  // Controls: each change is a request to the kernel. While one is on its way changes wait, and go as one; of a
  // slider's only the newest value, of presses all, in order.
  const values = {};
  const inputs = new Map();
  const rows = new Map(); // for each control, by its name: what stands for it in the page, and as what it was made
  let presses = [];
  let asked = false;
  let waiting = false;
  let patience = null;

  function press(name) {
    presses.push(name);
    request();
  }

  stage.addEventListener("click", (event) => {
    const part = event.target.closest("[data-press]");
    if (part && kernel) press(part.dataset.press);
  });
  stage.addEventListener("keydown", (event) => {
    if (rove(event)) return;
    if (!["Enter", " "].includes(event.key) || !event.target.matches("[data-press]")) return;
    event.preventDefault();
    event.stopPropagation();
    if (kernel) press(event.target.dataset.press);
  });

  // In a part with data-columns, a table of parts to press, Tab stops once, and the arrows go from part to part.
  function rove(event) {
    const table = event.target.closest("[data-columns]");
    if (!table || event.altKey || event.ctrlKey || event.metaKey) return false;
    const all = [...table.querySelectorAll("[data-press]")];
    const columns = Number(table.dataset.columns);
    const here = all.indexOf(event.target);
    const there = {
      ArrowLeft: here - 1,
      ArrowRight: here + 1,
      ArrowUp: here - columns,
      ArrowDown: here + columns,
      Home: 0,
      End: all.length - 1,
    }[event.key];
    if (here < 0 || there === undefined) return false;
    event.preventDefault();
    event.stopPropagation();
    if (all[there]) {
      for (const part of all) part.setAttribute("tabindex", part === all[there] ? "0" : "-1");
      all[there].focus();
    }
    return true;
  }

  function request() {
    if (asked) {
      waiting = true;
      return;
    }
    asked = true;
    patience = setTimeout(() => {
      status.textContent = SILENT;
    }, PATIENCE);
    kernel.ask({ ...values }, presses);
    presses = [];
  }

  function answered() {
    clearTimeout(patience);
    status.textContent = "";
    asked = false;
    if (waiting) {
      waiting = false;
      request();
    }
  }

  function written(number) {
    const size = Math.abs(number);
    return size !== 0 && (size < 0.00005 || size >= 1e6) ? number.toExponential(3) : number.toFixed(4);
  }

  function addControl(control) {
    values[control.name] = control.value;
    if (control.kind === "button") {
      const input = make("button", { type: "button", ...quiet }, control.label);
      input.addEventListener("click", () => {
        if (input.getAttribute("aria-disabled") !== "true") press(control.name);
      });
      inputs.set(control.name, {
        update(change) {
          if (change.label !== undefined) input.textContent = change.label;
          if (change.disabled !== undefined) input.setAttribute("aria-disabled", String(change.disabled));
        },
      });
      controls.append(input);
      return input;
    }
    if (control.kind === "text") {
      const input = make("input", { type: "text", "aria-label": control.label, spellcheck: "false", ...quiet });
      input.value = control.value;
      const caret = make("span", { class: "bp-caret", "aria-hidden": "true" });
      input.addEventListener("input", () => {
        values[control.name] = input.value;
        request();
      });
      inputs.set(control.name, {
        update(change) {
          if (change.value !== undefined) values[control.name] = input.value = change.value;
        },
        point(at) { // at which character its text is wrong; undefined: nowhere
          input.setAttribute("aria-invalid", String(at !== undefined));
          caret.textContent = at === undefined ? "" : `${" ".repeat(at)}▲`;
          caret.scrollLeft = input.scrollLeft;
        },
      });
      controls.append(make("label", { class: "bp-entry" }, make("span", {}, control.label), input, caret));
      return input;
    }
    if (control.kind === "range") {
      const input = make("input", { type: "range", min: control.min, max: control.max, step: control.step, ...quiet });
      const shown = make("output", { "aria-hidden": "true" });
      const place = (number) => (control.log ? Math.log10(number) : number); // on a log slider: of the exponent
      const write = () => {
        const number = values[control.name];
        shown.textContent = control.whole ? String(number) : written(number);
        if (control.log) input.setAttribute("aria-valuetext", shown.textContent);
      };
      input.value = place(control.value);
      input.setAttribute("aria-label", control.label);
      write(); // the exact start, which may lie between two places of the slider
      input.addEventListener("input", () => {
        values[control.name] = control.log ? 10 ** Number(input.value) : Number(input.value);
        write();
        request();
      });
      inputs.set(control.name, {
        update(change) {
          if (change.value === undefined) return;
          values[control.name] = change.value;
          input.value = place(change.value);
          write();
        },
      });
      controls.append(make("label", {}, make("span", {}, control.label), input, shown));
      return input;
    }
    if (control.kind === "choice") {
      const input = make("select", { "aria-label": control.label, ...quiet });
      input.append(...control.options.map((option) => make("option", { value: option }, option)));
      input.value = control.value;
      input.addEventListener("change", () => {
        values[control.name] = input.value;
        request();
      });
      inputs.set(control.name, {
        update(change) {
          if (change.value !== undefined) values[control.name] = input.value = change.value;
        },
      });
      controls.append(make("label", { class: "bp-choice" }, make("span", {}, control.label), input));
      return input;
    }
    const input = make("input", { type: "checkbox", "aria-label": control.label, ...quiet });
    input.checked = control.value;
    input.addEventListener("change", () => {
      values[control.name] = input.checked;
      request();
    });
    inputs.set(control.name, {
      update(change) {
        if (change.value !== undefined) values[control.name] = input.checked = change.value;
      },
    });
    controls.append(make("label", { class: "bp-choice" }, input, make("span", {}, control.label)));
    return input;
  }

  // The controls of a recording. Those that are as before stay as they are, with their value, focus and caret.
  function setControls(list) {
    const kinds = new Map(list.map((control) => [control.name, JSON.stringify({ ...control, value: null })]));
    for (const [name, row] of rows) {
      if (kinds.get(name) === row.kind) continue;
      row.node.remove();
      for (const known of [rows, inputs]) known.delete(name);
      delete values[name];
    }
    list.forEach((control, place) => {
      if (!rows.has(control.name)) {
        addControl(control);
        rows.set(control.name, { node: controls.lastElementChild, kind: kinds.get(control.name) });
      }
      const { node } = rows.get(control.name);
      if (controls.children[place] !== node) controls.insertBefore(node, controls.children[place] || null);
    });
    panel.hidden = !list.length;
  }

  // Where the text of a control is wrong: { name, at }.
  function point(fault) {
    for (const [name, input] of inputs) input.point?.(fault?.name === name ? fault.at : undefined);
  }

  // What the kernel has for the controls. While this player waits for an answer, its own inputs are newer.
  function adopt(known) {
    if (asked) return;
    for (const [name, value] of Object.entries(known)) {
      if (inputs.has(name) && values[name] !== value) inputs.get(name).update({ value });
    }
  }

  function enable() {
    controls.disabled = !kernel;
    for (const part of stage.querySelectorAll("[data-press]")) part.setAttribute("aria-disabled", String(!kernel));
  }

  function join(other) {
    kernel = other;
    clearTimeout(patience);
    status.textContent = "";
    enable();
  }

  function leave(sentence) {
    kernel = null;
    clearTimeout(patience);
    asked = waiting = false;
    presses = [];
    status.textContent = sentence;
    enable();
  }

  load(spec);
  if (spec.controls?.length) {
    patience = setTimeout(() => {
      status.textContent = ALONE;
    }, GRACE);
  }
  const player = { load, patch, show, adopt, answered, join, leave, stop: () => play(false) };
  section.player = player; // alive for as long as its part of the page is: the page itself holds it weakly
  return player;
}

// Lets a player join the model of this name whenever the page has it, and leave it when it goes. A player whose part of
// the page is gone is forgotten.
function follow(player, name) {
  const held = new WeakRef(player);
  const off = new AbortController();

  function join(model) {
    const acts = {
      "change:spec": (each) => each.load(model.get("spec")),
      "change:patch": (each) => each.patch(model.get("patch")),
      "change:values": (each) => each.adopt(model.get("values")),
      "change:reply": (each) => each.answered(),
    };
    for (const [event, act] of Object.entries(acts)) {
      const hear = () => {
        const each = held.deref();
        if (each) act(each);
        else off.abort();
      };
      model.on(event, hear);
      off.signal.addEventListener("abort", () => model.off(event, hear));
    }
    const each = held.deref();
    each.load(model.get("spec"));
    each.patch(model.get("patch") || {});
    each.adopt(model.get("values"));
    each.show(model.get("index"));
    each.join({
      ask(values, presses) {
        model.set("request", { values, presses, number: (model.get("request")?.number || 0) + 1 });
        model.save_changes();
      },
      at(index) {
        if (index === model.get("index")) return;
        model.set("index", index);
        model.save_changes();
      },
    });
  }

  page.news.addEventListener(
    name,
    ({ detail: sentence }) => {
      if (!held.deref()) off.abort();
      else if (page.models.has(name)) join(page.models.get(name));
      else {
        off.abort();
        held.deref().leave(sentence);
      }
    },
    { signal: off.signal },
  );
  if (page.models.has(name)) join(page.models.get(name));
  return () => off.abort();
}

// As a part of another widget, such as a box.
function render({ model, el }) {
  const player = mount(el, model.get("spec"));
  const forget = follow(player, model.get("name"));
  return () => {
    player.stop();
    forget();
  };
}

// In the page itself: in every place that waits for a player.
function embed() {
  for (const place of document.querySelectorAll(".bp-embed:not([data-mounted])")) {
    place.dataset.mounted = "yes";
    place.closest(".jp-RenderedHTMLCommon")?.classList.remove("jp-RenderedHTMLCommon"); // a look for text, not for labs
    const spec = JSON.parse(place.querySelector("script").textContent);
    const player = mount(place.querySelector(".bp-instead"), spec);
    if (place.dataset.model) follow(player, place.dataset.model);
  }
}

export default { initialize, render, embed };
