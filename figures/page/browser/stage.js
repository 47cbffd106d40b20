// The stage: a drawing whose parts change from frame to frame, each found by its data-key.

import { make, quiet } from "./link.js";
import { commands, consume } from "./parts.js";

const ABOUT = ["target", "backward", "forward", "open", "early", "again"]; // what a step is about, the first before all
const SCROLLS = { "data-scrolls": "", tabindex: "0", role: "group", "aria-label": "The drawing; it scrolls sideways", ...quiet };

function setAll(part, attributes, on = true) {
  for (const [name, value] of Object.entries(attributes)) {
    if (on) part.setAttribute(name, value);
    else part.removeAttribute(name);
  }
}

// Where a key leads in a table of so many parts in columns: the place of the part, which may be outside of the table.
export function roved(key, here, columns, count) {
  return {
    ArrowLeft: here - 1,
    ArrowRight: here + 1,
    ArrowUp: here - columns,
    ArrowDown: here + columns,
    Home: 0,
    End: count - 1,
  }[key];
}

function changePart(part, name, value) {
  if (name === "text") {
    if (part.textContent !== value) part.textContent = value;
    if (part.dataset.room) part.dataset.long = value.length > part.dataset.room ? "yes" : "no";
    return;
  }
  const key = name === "state" ? "data-state" : name;
  if (part.getAttribute(key) !== value) part.setAttribute(key, value);
}

export class Stage {
  // press: called with the name of a part that is pressed.
  constructor(press) {
    this.node = make("div", { class: "bp-stage" });
    this.parts = new Map();
    this.press = press;
    this.on = false;
    this.node.addEventListener("click", (event) => {
      const key = event.target.closest("[data-press]")?.dataset.press;
      if (key && this.on) this.press(key);
    });
    this.node.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.fit()).observe(this.node);
  }

  put(html) {
    if (html === this.html) return;
    this.html = html;
    const key = this.node.querySelector("[data-press]:focus")?.dataset.press; // it keeps the focus
    this.node.innerHTML = html;
    this.parts = new Map([...this.node.querySelectorAll("[data-key]")].map((part) => [part.dataset.key, part]));
    for (const part of this.node.querySelectorAll("[tabindex]")) setAll(part, quiet);
    this.enable(this.on);
    this.node.querySelector(`[data-press="${key}"]`)?.focus();
    this.panes();
  }

  draw(marks) {
    for (const [key, mark] of Object.entries(marks)) {
      const part = this.parts.get(key);
      if (part) Object.entries(mark).forEach(([name, value]) => changePart(part, name, value));
    }
    this.keepInSight();
  }

  enable(on) {
    this.on = on;
    for (const part of this.node.querySelectorAll("[data-press], [data-drag]")) part.setAttribute("aria-disabled", String(!on));
  }

  dragged() {
    return [...this.node.querySelectorAll("[data-drag]")];
  }

  fit() {
    this.panes();
    this.keepInSight();
  }

  // A drawing wider than its pane scrolls, by key too. What a step is about is never out of sight.
  panes() {
    for (const pane of this.node.querySelectorAll(".bp-main")) {
      const scrolls = pane.scrollWidth > pane.clientWidth + 1;
      if (scrolls !== pane.hasAttribute("data-scrolls")) setAll(pane, SCROLLS, scrolls);
    }
  }

  keepInSight() {
    for (const pane of this.node.querySelectorAll("[data-scrolls]")) {
      const part = ABOUT.map((state) => pane.querySelector(`.node[data-state~="${state}"]`)).find(Boolean);
      if (!part) continue;
      const [seen, wanted] = [pane, part].map((each) => each.getBoundingClientRect());
      if (wanted.left < seen.left) pane.scrollLeft += wanted.left - seen.left - 8;
      else if (wanted.right > seen.right) pane.scrollLeft += wanted.right - seen.right + 8;
    }
  }

  key(event) {
    if (this.rove(event)) return;
    const { press } = event.target.dataset;
    if (!press || !["Enter", " "].includes(event.key)) return;
    consume(event);
    if (this.on) this.press(press);
  }

  // In a part with data-columns, a table of parts to press, Tab stops once, and the arrows go from part to part.
  rove(event) {
    const table = event.target.closest("[data-columns]");
    if (!table || commands(event)) return false;
    const all = [...table.querySelectorAll("[data-press]")];
    const here = all.indexOf(event.target);
    const there = roved(event.key, here, Number(table.dataset.columns), all.length);
    if (here < 0 || there === undefined) return false;
    consume(event);
    if (all[there]) {
      for (const part of all) part.tabIndex = part === all[there] ? 0 : -1;
      all[there].focus();
    }
    return true;
  }
}
