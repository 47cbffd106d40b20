// What hands do: buttons, keys, the address; and how the page begins.
import { $, drawGraph, local, nodeOf, still, stop } from "./drawing.js";
import { finish, play, unsolved } from "./end.js";
import { accuse, begin, day, fromCase, fromDay, game, hint, left, nudge, openPad, passOn, run, standing, title } from "./game.js";
import { badge, list } from "./list.js";
import { DATA, TEXTS } from "./made.js";
import { draw, drawRules, drawSteppers, drawSuspects, say, step } from "./panels.js";
import { dayKey, keep, kept } from "./storage.js";
import { bold, page, t, texts } from "./words.js";

/** Do a move, say what it says, and end the case if it was the last. */
function act(move, animated = false) {
  if (game.over || (game.pad && move !== openPad)) return;
  const said = move();
  if (game.over) {
    badge();
    finish();
    return;
  }
  drawSteppers();
  draw(animated);
  const last = t("last_square");
  say(left() <= 1 && said !== last ? `${said} ${last}` : said);
}
function show(isNew) {
  const { level } = game;
  stop();
  $("#title").textContent = level.daily ? title(level) : `${level.key} · ${title(level)}`;
  const words = level.daily ? `${day(level, { day: "numeric", month: "long" })}. ${texts().moods[level.weekday]}` : texts().levels[level.name][1];
  $("#says").innerHTML = bold(words);
  $("#end").hidden = true;
  $("#who").hidden = false;
  $("main").classList.remove("over");
  drawRules();
  drawSteppers();
  draw();
  if (isNew) say(level.key === 1 && !kept.cases[1] && !game.log.length ? t("welcome") : standing());
  if (game.over) finish(true);
}
const logOf = ({ daily, key }) => (daily ? kept.days[key]?.log : kept.begun[key]);
/** Put a case into the address, so that Back leads to the one before. */
function setAddress(place, isFirst) {
  if (isFirst) history.replaceState(null, "", place);
  else if (location.hash !== place) history.pushState(null, "", place);
}
/** Open a case where it was left. A numbered one that is over begins anew if a button opens it. */
function go(which, isPressed = false) {
  for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
  const isFirst = !game.level;
  const level = which === "today" ? fromDay(dayKey()) : fromCase(Number(which));
  begin(level, logOf(level));
  if (isPressed && game.over && !level.daily) {
    delete kept.begun[level.key];
    keep();
    begin(level);
  }
  setAddress(level.daily ? "#today" : `#case-${level.key}`, isFirst);
  show(true);
  badge();
  scrollTo({ top: 0 });
  if (!isFirst) $("#title").focus({ preventScroll: true });
}
const wanted = () => {
  const [, which, number] = location.hash.match(/^#(today|case-(\d+))$/) ?? [];
  return which === "today" || DATA.cases[number - 1] ? (number ?? which) : null;
};

function speak(language) {
  page.language = language;
  document.documentElement.lang = language;
  document.title = t("game");
  for (const part of document.querySelectorAll("[data-t]")) part.innerHTML = t(part.dataset.t);
  for (const part of document.querySelectorAll("[data-t-label]")) part.setAttribute("aria-label", t(part.dataset.tLabel));
  $("#language").value = language;
}

async function copy(button) {
  const text = button.dataset.copy;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.body.appendChild(Object.assign(document.createElement("textarea"), { value: text }));
    area.select();
    document.execCommand("copy");
    area.remove();
    button.focus();
  }
  button.textContent = t("copied");
  setTimeout(() => (button.textContent = t("copy")), 1600);
}
function choose(id, toggles = true) {
  if (game.over || game.was.has(id)) return;
  game.pick = toggles && game.pick === id ? null : id;
  drawSuspects();
  $(`#suspects [data-id="${id}"] .pick`)?.focus({ preventScroll: true });
}
/** Name a suspect, which closes the scratch pad. After a wrong name the focus is on the first that is left. */
function accuseOf(id) {
  game.pad = null;
  act(() => accuse(id));
  if (!game.over && !game.pick) $("#suspects .pick:enabled")?.focus({ preventScroll: true });
}
function cross(id) {
  if (!id || game.over || game.was.has(id)) return;
  if (!game.out.delete(id)) game.out.add(id);
  if (game.pick === id) game.pick = null;
  drawSuspects();
  $(`#suspects [data-id="${id}"] .cross`)?.focus({ preventScroll: true });
}
function touch(name) {
  if (game.pad) {
    const said = passOn(name, local());
    draw();
    say(said);
  } else {
    game.chosen = name;
    draw();
  }
  nodeOf(name)?.focus({ preventScroll: true });
}
function back(place) {
  const move = game.log[place];
  Object.assign(game, { at: { ...move.at }, shown: move.result ? move : null });
  drawSteppers();
  draw();
}

const suspectAt = (part) => part.closest("#suspects li")?.dataset.id;
const CLICKS = {
  "#run": () => act(run, true),
  "#nudge": () => act(nudge),
  "#hint": () => act(hint),
  "#pad": () => act(openPad),
  ".name-it": (part) => accuseOf(suspectAt(part)),
  ".cross": (part) => cross(suspectAt(part)),
  ".pick": (part) => choose(suspectAt(part)),
  "[data-by]": (part) => step(part.closest("[data-x]").dataset.x, Number(part.dataset.by)),
  '.node[role="button"]': (part) => touch(part.dataset.node),
  "[data-back]": (part) => back(part.dataset.back),
  "[data-copy]": copy,
  "[data-play]": () => {
    play();
    if (innerWidth <= 1000) $("#stage").scrollIntoView({ behavior: still.matches ? "auto" : "smooth" });
  },
  "[data-case]": (part) => go(part.dataset.case, true),
  "#to-today, [data-open]": () => go("today"),
  "#cases": list,
  "#help": () => $("#how").showModal(),
};
document.addEventListener("click", ({ target }) => {
  for (const [selector, answer] of Object.entries(CLICKS)) {
    const part = target.closest?.(selector);
    if (part) {
      answer(part);
      return;
    }
  }
  if (target.tagName === "DIALOG") target.close();
});
$("#language").addEventListener("change", ({ target }) => {
  kept.language = target.value;
  keep();
  speak(target.value);
  show(true);
});

const STEPS = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, Home: -99, End: 99 };
const KEYS = {
  r: () => act(run, true),
  n: () => act(nudge),
  h: () => act(hint),
  p: () => !$("#pad").hidden && act(openPad),
  x: (target) => cross(game.pick ?? suspectAt(target)),
  escape: () => (game.pad ? act(openPad) : game.pick && choose(game.pick)),
};
/** At the end Enter goes on, unless it is held from before. */
const goesOn = ({ key, target, repeat }) => game.over && key === "Enter" && !repeat && target.matches("#end, body");
/** What a key does to the part that has the focus; undefined if nothing. */
function keyOnPart({ key, target }) {
  const stepper = target.closest(".stepper");
  if (stepper && STEPS[key]) return () => step(stepper.dataset.x, STEPS[key]);
  if (key !== "Enter" && key !== " ") return undefined;
  if (target.matches('.node[role="button"]')) return () => touch(target.dataset.node);
  const id = target.matches(".pick") && key === "Enter" ? suspectAt(target) : null;
  return id && id === game.pick ? () => accuseOf(id) : undefined;
}
document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  const elsewhere = event.ctrlKey || event.metaKey || event.altKey || target.tagName === "SELECT";
  if (elsewhere || $("dialog[open]")) return;
  const answer = goesOn(event) ? () => $(".next").click() : keyOnPart(event);
  if (answer) {
    event.preventDefault();
    answer();
  } else if (kept.withoutShortcuts && key.length === 1) return;
  else if (game.level.suspects[key - 1]) choose(game.level.suspects[key - 1], false);
  else KEYS[key.toLowerCase()]?.(target);
});
/** Turn single-key shortcuts on or off (WCAG 2.1.4): speech input types letters. */
function setShortcuts(on) {
  kept.withoutShortcuts = !on;
  $("#shortcuts").checked = on;
  document.body.classList.toggle("no-shortcuts", !on);
}
$("#shortcuts").addEventListener("change", ({ target }) => {
  setShortcuts(target.checked);
  keep();
});
setShortcuts(!kept.withoutShortcuts);

let wide = innerWidth;
addEventListener("resize", () => {
  if (innerWidth === wide) return; // a phone's bar comes and goes
  wide = innerWidth;
  if (game.over) drawGraph(game.scene);
  else drawGraph();
});
addEventListener("hashchange", () => wanted() && go(wanted()));

const theirs = [kept.language, ...navigator.languages.map((each) => each.slice(0, 2)), "en"];
speak(theirs.find((language) => TEXTS[language]));
$("#right").open = innerWidth > 1000;
go(wanted() ?? unsolved() ?? "today");
