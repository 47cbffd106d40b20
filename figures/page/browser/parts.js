// What the page of a player is made of.

import { make, quiet } from "./link.js";

const ICONS = {
  first: "M3 3h2v10H3zM12 2.6 13.4 4 9.4 8l4 4-1.4 1.4L6.6 8z",
  back: "M10.5 2.6 11.9 4l-4 4 4 4-1.4 1.4L5.1 8z",
  play: "M4 2.5v11L13 8z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  forward: "M5.5 2.6 4.1 4l4 4-4 4 1.4 1.4L10.9 8z",
  last: "M11 3h2v10h-2zM4 2.6 2.6 4l4 4-4 4L4 13.4 9.4 8z",
};

export function button(label, icon) {
  const node = make("button", { type: "button", "aria-label": label, title: label, ...quiet });
  setIcon(node, icon);
  return node;
}

export function setIcon(node, icon, word = "") {
  node.innerHTML = `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${ICONS[icon]}"/></svg>${word}`;
}

// Whether a key is pressed with another that makes it a command of the page or the browser.
export function commands(event) {
  return event.altKey || event.ctrlKey || event.metaKey;
}

// The key was meant for this part of the page, and for nothing around it.
export function consume(event) {
  event.preventDefault();
  event.stopPropagation();
}
