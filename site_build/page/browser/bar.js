// The line above JupyterLab: the lessons by name, how far Python has come, and what can be done where it cannot go on.

const { lessons, title, bytes, patience } = JSON.parse(document.getElementById("backprop-page").textContent);
const TICK = 400; // milliseconds between two looks at the kernel
const LONG = 10_000; // after which a running cell is spoken of
const MB = 1e6;

const READABLE = "The text is here to read.";
const LABS = "The text, the pictures and the recorded labs work already.";
const GONE = "The network does not answer.";
const NEVER = "Python has not started, and it should have by now. If this line stays, reload the page.";
const READY = "Python is ready. What stands under the cells was recorded: run a cell, and it is yours.";
const KEPT = "This page works without a network from now on.";
const INTERRUPT = "Interrupt cannot stop a cell here; a restart of Python can. What you wrote stays, names go.";

function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

const said = make("p", { role: "status" });
const meter = make("progress", { "aria-label": "Python on its way", max: 1, value: 0 });
const reload = make("button", { type: "button" }, "Reload the page");
const restart = make("button", { type: "button" }, "Restart Python");
const menu = make("details", { class: "bp-lessons" }, make("summary", {}, "Lessons"), make("nav", {}, list()));
const bar = make("header", { id: "backprop-bar" }, make("strong", {}, title), menu, said, meter, reload, restart);

const state = { got: 0, total: bytes, waiting: false, laterGot: 0, laterTotal: 0, filled: false };
let asked = false; // whether Interrupt was pressed since the last cell began
let busySince = 0;
let allSince = 0; // when the last of Python's files was there
let wasIdle = false;
let heard = null; // the kernel whose status is listened to
let filling = false;
let folded = Boolean(localStorage.getItem("backprop-folded"));
let isPhone = false;
let missing = ""; // the path of a notebook that the address names and that does not exist

const app = () => window.jupyterapp;
const shown = () => app()?.shell?.currentWidget;
const kernel = () => shown()?.sessionContext?.session?.kernel;
const mb = (count, places = 1) => (count / MB).toFixed(places);

function list() {
  const item = ([path, name, minutes]) => {
    const link = make("a", { href: `?path=${path}` }, name);
    link.addEventListener("click", (event) => open(event, path));
    return make("li", {}, link, ...(minutes ? [" ", make("span", {}, `${minutes} min`)] : []));
  };
  const notices = make("a", { href: "../THIRD_PARTY_NOTICES.txt", target: "_blank" }, "Licences");
  const doctor = make("a", { href: "../doctor/index.html", target: "_blank" }, "Is your engine right?");
  return make("ul", {}, make("li", {}, doctor), ...lessons.map(item), make("li", {}, notices));
}

function open(event, path) {
  if (!app() || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  menu.open = false;
  app().commands.execute("docmanager:open", { path });
}

// What works while Python is on its way: nothing yet, the text, or the labs in it, too.
function usable() {
  if (document.querySelector(".bp-player")?.player) return LABS;
  return document.querySelector(".jp-Notebook .jp-MarkdownOutput") ? READABLE : "";
}

// What is said now: [sentence, what is offered, the share of the meter or null].
function now() {
  const status = kernel()?.status;
  if (status === "idle" || (status === "busy" && wasIdle)) return whenReady(status);
  if (missing && !kernel()) return [`There is no notebook ${missing} here. Choose a lesson above.`, null, null];
  if (shown() && !shown().sessionContext) return ["Choose a lesson above.", null, null];
  if (wasIdle && status) return ["Python starts for this notebook.", null, null];
  return whileComing(status);
}

function whenReady(status) {
  if (state.laterTotal) {
    const part = `${mb(state.laterGot)} of ${mb(state.laterTotal)} MB`;
    const more = state.waiting ? `${GONE} What the lessons need waits at ${part} and goes on by itself.` : `Python is ready. What the lessons need is on its way: ${part}.`;
    return [more, null, state.laterGot / state.laterTotal];
  }
  const long = busySince && Date.now() - busySince > LONG;
  if (asked) return [INTERRUPT, restart, null];
  if (long) return [`A cell has run for ${Math.round((Date.now() - busySince) / 1000)} seconds. ${INTERRUPT}`, restart, null];
  return [status === "busy" ? "Python is at work." : `${READY} ${state.filled ? KEPT : ""}`, null, null];
}

function whileComing(status) {
  const counted = Boolean(navigator.serviceWorker?.controller);
  const all = counted && state.got >= state.total;
  allSince = all ? allSince || Date.now() : 0;
  if (status === "dead" || (all && Date.now() - allSince > 1000 * patience)) return [NEVER, reload, null];
  if (all) return [`Python is here and starts. ${usable()}`, null, 1];
  if (!counted) return [`Python is on its way: ${mb(state.total, 0)} MB. ${usable()}`, null, null];
  const part = `${mb(state.got)} of ${mb(state.total)} MB`;
  const share = state.got / state.total;
  if (state.waiting) return [`${GONE} Python waits at ${part} and goes on by itself when it is back.`, null, share];
  return [`Python is on its way: ${part}. ${usable()}`, null, share];
}

function draw() {
  const [sentence, offer, share] = now();
  if (said.textContent !== sentence) said.textContent = sentence;
  for (const button of [reload, restart]) button.hidden = button !== offer;
  meter.hidden = share === null;
  meter.value = share ?? 0;
}

// The title names the lesson, and so does the address: a reload, and whoever is sent the address, finds it again.
function entitle() {
  const path = shown()?.context?.path;
  if (path && new URLSearchParams(location.search).get("path") !== path) {
    history.replaceState(history.state, "", `?path=${encodeURIComponent(path).replaceAll("%2F", "/")}`);
  }
  const lesson = lessons.find(([its]) => its === path);
  const wanted = lesson ? `${lesson[1]} – ${title}` : title;
  if (document.title !== wanted) document.title = wanted;
}

// On the first visit: lessons are chosen above, where their names can be read; a click at the side opens the files.
function fold() {
  if (folded || !kernel()) return;
  folded = true;
  app().shell.collapseLeft();
  localStorage.setItem("backprop-folded", "yes");
}

// On a phone the notebook has the whole screen: one document, and no bars at its sides or below it.
function useWholeScreen() {
  if (isPhone || !app()?.shell?.currentWidget || !matchMedia("(width < 600px)").matches) return;
  isPhone = true;
  const { shell, commands } = app();
  shell.mode = "single-document";
  shell.collapseLeft();
  for (const side of ["left", "right"]) if (shell.isSideTabBarVisible(side)) shell.toggleSideTabBarVisibility(side);
  if (commands.isToggled("statusbar:toggle")) commands.execute("statusbar:toggle");
}

// What was typed goes to the browser's storage every few seconds, and at once when the page may be about to go.
async function save() {
  const typed = [...(app()?.shell?.widgets?.("main") ?? [])].filter((each) => each.context?.model?.dirty);
  await Promise.allSettled(typed.map((each) => each.context.save()));
}

async function find() {
  const path = new URLSearchParams(location.search).get("path");
  while (!app()?.serviceManager) await new Promise((resolve) => { setTimeout(resolve, TICK); });
  await app().serviceManager.contents.get(path ?? "", { content: false }).catch(() => { missing = path; });
}

// A cell that waits for Python begins so soon that between two looks the kernel was idle and is busy.
function hear() {
  if (heard === kernel()) return;
  heard = kernel();
  heard?.statusChanged.connect(tick);
}

function tick() {
  hear();
  const status = kernel()?.status;
  busySince = status === "busy" && wasIdle ? busySince || Date.now() : 0;
  if (!busySince) asked = false;
  if (status === "idle") {
    wasIdle = true;
    fill();
  }
  fold();
  useWholeScreen();
  entitle();
  draw();
}

// Everything else for a visit without a network, unless this one is dear.
function fill() {
  const worker = navigator.serviceWorker?.controller;
  if (filling || !worker || navigator.connection?.saveData) return;
  filling = true;
  worker.postMessage({ fill: [location.href, ...performance.getEntriesByType("resource").map((each) => each.name)] });
}

function listen() {
  if (navigator.serviceWorker) {
    const channel = new BroadcastChannel("backprop");
    channel.addEventListener("message", ({ data }) => {
      Object.assign(state, data);
      draw();
    });
    window.addEventListener("online", () => navigator.serviceWorker.controller?.postMessage({ online: true }));
    navigator.serviceWorker.controller?.postMessage({ ask: true });
  }
  reload.addEventListener("click", () => save().then(() => location.reload()));
  for (const event of ["pagehide", "beforeunload", "blur"]) window.addEventListener(event, save, { capture: true });
  document.addEventListener("visibilitychange", save);
  restart.addEventListener("click", () => app().commands.execute("notebook:restart-kernel"));
  document.addEventListener("click", ({ target }) => { if (!menu.contains(target)) menu.open = false; });
  menu.addEventListener("keydown", ({ key }) => { if (key === "Escape") menu.open = false; });
}

// JupyterLab's own Interrupt, by menu, key or palette.
async function watch() {
  while (!app()?.commands?.commandExecuted) await new Promise((resolve) => { setTimeout(resolve, TICK); });
  app().commands.commandExecuted.connect((_, { id }) => {
    if (id === "notebook:interrupt-kernel" || id === "kernelmenu:interrupt") {
      asked = true;
      draw();
    }
  });
}

document.body.prepend(bar);
listen();
draw();
setInterval(tick, TICK);
watch();
find();
