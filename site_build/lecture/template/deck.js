// Shows one slide at a time. A lab on a slide takes the arrow keys; a window of notes follows its opener.
const slides = [...document.querySelectorAll(".slide")];
const speaker = location.hash === "#notes";
let here = 0;
let notes = null;

// The largest type, without pictures, and the largest size at which the pictures and labs of a slide fit below its text.
function fit(slide) {
  const shown = [...slide.querySelectorAll(".shown")].filter((each) => !each.querySelector(":scope > pre"));
  slide.classList.toggle("bare", !shown.length);
  for (let zoom = 1.9; zoom >= 0.6; zoom -= 0.05) {
    for (const each of shown) each.style.zoom = zoom;
    if (slide.scrollHeight <= slide.clientHeight && slide.scrollWidth <= slide.clientWidth && shown.every(whole)) return;
  }
}

// Whether nothing in a lab has to be scrolled.
function whole(shown) {
  return [...shown.querySelectorAll(".bp-main, .bp-stage, [data-scrolls]")].every(
    (part) => part.scrollWidth <= part.clientWidth + 1,
  );
}

function show(place) {
  here = Math.max(0, Math.min(slides.length - 1, place));
  slides.forEach((slide, i) => (slide.hidden = i !== here));
  document.querySelector("footer output").textContent = `${here + 1} of ${slides.length}`;
  document.activeElement?.blur();
  if (!speaker) {
    document.querySelector("main").style.zoom = Math.min(innerWidth / 1280, innerHeight / 720); // a larger screen
    fit(slides[here]);
    slides[here].querySelector(".bp-bar button[aria-label='Step forward']")?.focus({ preventScroll: true });
    history.replaceState(null, "", `#${here + 1}`);
  }
  notes?.postMessage(here, "*");
}

const KEYS = {
  PageDown: () => show(here + 1),
  ArrowRight: () => show(here + 1),
  PageUp: () => show(here - 1),
  ArrowLeft: () => show(here - 1),
  Home: () => show(0),
  End: () => show(slides.length - 1),
  n: () => document.body.classList.toggle("with-notes"),
  w: () => {
    notes = window.open(`${location.href.split("#")[0]}#notes`, "notes", "width=900,height=600");
  },
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input[type=text]")) return;
  const act = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!act) return;
  event.preventDefault();
  act();
});
window.addEventListener("message", ({ data }) => {
  if (speaker && Number.isInteger(data)) show(data);
  else if (data === "ready") notes?.postMessage(here, "*");
});
window.addEventListener("resize", () => show(here));
window.addEventListener("load", () => {
  document.body.classList.toggle("speaker", speaker);
  show(speaker ? 0 : Number(location.hash.slice(1)) - 1 || 0);
  if (speaker) window.opener?.postMessage("ready", "*");
});
