// The page "Is your engine right?": files come in by drop, button or keyboard, and a worker examines them. A worker
// serves once: it is ended after its verdict, or when the time is up.

const { python, packages, wheel, seconds, bytes } = JSON.parse(document.body.dataset.told);
const MOST = 10_000_000; // bytes of all files together
const KIND = /\.(py|ipynb)$/i;
const WAITS = `Python is on its way, ${Math.round(bytes / 1e6)} MB the first time. You can choose a file meanwhile.`;
const BROKEN = "Python could not start here. Reload the page, or run the doctor on your own machine.";

const [zone, file, status, which, verdict] = ["zone", "file", "status", "which", "verdict"].map((id) => document.getElementById(id));
const select = which.querySelector("select");
let next = null; // the worker that waits for files
let current = null; // the worker that has some
let turn = 0;
let files = [];

function say(state, sentence, name = "") {
  status.dataset.state = state;
  status.querySelector("b").textContent = name;
  status.querySelector("span").innerHTML = sentence;
}

const plain = (text) => new Option(text).innerHTML;

// A new worker, which inherits this page's policy: it can reach no other host.
function start() {
  const code = `importScripts(${JSON.stringify(new URL("doctor_worker.js", location).href)});`;
  const worker = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
  const ready = new Promise((resolve, reject) => {
    worker.addEventListener("message", ({ data }) => (data.ready ? resolve() : reject(new Error(data.fault))));
    worker.addEventListener("error", reject);
  });
  ready.then(() => { if (!turn) say("waiting", "Python is ready: drop a file."); }, () => { if (!turn) say("stopped", BROKEN); });
  worker.postMessage({ python: new URL(python, location).href, packages, wheel });
  return { worker, ready };
}

// What a worker answers: { verdict }, { fault }, or { late } if the file takes too long.
function answered(worker, question) {
  return new Promise((resolve) => {
    worker.addEventListener("message", ({ data }) => {
      if (data.begun) setTimeout(resolve, 1000 * seconds, { late: true });
      else resolve(data);
    });
    worker.addEventListener("error", ({ message }) => resolve({ fault: message }));
    worker.postMessage(question);
  }).finally(() => worker.terminate());
}

async function attempt(name, isWhole) {
  const { worker, ready } = (next ??= start());
  const numpy = files.some(({ data }) => new TextDecoder().decode(data).includes("numpy"));
  await ready;
  next = null;
  current = worker;
  say("busy", `is being examined, for ${seconds} seconds at most.`, name);
  return answered(worker, { files, name, isWhole, numpy });
}

async function examine(name) {
  const mine = (turn += 1);
  current?.terminate();
  verdict.hidden = true;
  say("busy", "has been read. Python is on its way.", name);
  let found;
  try {
    found = await attempt(name, false);
    if (found.verdict?.lacks_engine && mine === turn) {
      const whole = await attempt(name, true);
      if (whole.verdict && !whole.verdict.lacks_engine) found = whole;
    }
  } catch {
    next = null;
    found = { broken: true };
  }
  if (mine !== turn) return;
  if (!found.broken) next ??= start(); // for the next file
  show(name, found);
}

function show(name, found) {
  if (found.verdict) return report(name, found.verdict);
  if (found.broken) say("stopped", BROKEN);
  else if (found.late) say("stopped", `had not ended after ${seconds} seconds, so it was stopped. Does a loop never end?`, name);
  else if (found.fault) say("stopped", `could not be examined: ${plain(found.fault)}`, name);
  return status.scrollIntoView({ block: "nearest" });
}

function report(name, { verdict: kind, said, html }) {
  verdict.innerHTML = html;
  for (const link of verdict.querySelectorAll("a")) link.href = `../lab/index.html?path=notebooks/${link.getAttribute("href").split("#")[0]}`;
  verdict.hidden = !verdict.innerHTML;
  document.head.append(Object.assign(document.createElement("script"), { src: "picture.js" })); // for the drawing
  say(kind === "not run" ? "stopped" : kind, said, name);
  status.scrollIntoView({ block: "nearest" });
}

// Of several files the engine's is the last that defines an addition, or else the first; the visitor may choose.
async function take(given) {
  const wanted = given.filter(({ name }) => KIND.test(name));
  const size = wanted.reduce((sum, each) => sum + each.size, 0);
  turn += 1;
  current?.terminate();
  verdict.hidden = which.hidden = true;
  if (!given.length) return;
  if (!wanted.length) return say("stopped", "is not a .py or .ipynb file, so there is nothing to examine.", given[0].name);
  if (size > MOST) return say("stopped", `has ${(size / 1e6).toFixed(1)} MB; at most ${MOST / 1e6} MB are examined.`, wanted[0].name);
  say("busy", "is being read.", wanted[0].name);
  try {
    files = await Promise.all(wanted.map(async (each) => ({ name: each.name, data: new Uint8Array(await each.arrayBuffer()) })));
  } catch {
    return say("stopped", "could not be read. Is it a folder?", wanted[0].name);
  }
  const engine = files.findLast(({ data }) => new TextDecoder().decode(data).includes("__add__")) ?? files[0];
  select.replaceChildren(...files.map(({ name }) => new Option(name, name, false, name === engine.name)));
  which.hidden = files.length < 2;
  return examine(engine.name);
}

file.addEventListener("change", () => {
  take([...file.files]);
  file.value = ""; // so that the same file, changed, can be chosen again
});
select.addEventListener("change", () => examine(select.value));
for (const event of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(event, (its) => {
    its.preventDefault();
    zone.classList.toggle("over", event === "dragover");
    if (event === "drop") take([...its.dataTransfer.files]);
  });
}
say("waiting", WAITS);
if (!navigator.connection?.saveData) next = start();
