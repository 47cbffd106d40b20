// What every live part of a page begins with: the models that kernels have sent, and how a part finds its own.
// A part stands in the page as HTML with data; its model may come before it, after it, or never.

const RESTARTED = "The kernel was restarted. Run this cell again.";
const CLOSED = "This lab was closed. Run its cell again.";

export function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

// JupyterLab's command keys must not reach a focused control: "d d" there would delete the cell.
export const quiet = { "data-lm-suppress-shortcuts": "true" };

// The models that the page has, by name, and the news of one that comes or goes. One for all scripts in the page.
export const page = (globalThis[Symbol.for("backprop models")] ??= { models: new Map(), news: new EventTarget() });

function announce(name, sentence) {
  page.news.dispatchEvent(new CustomEvent(name, { detail: sentence }));
}

// A model whose kernel runs is in the page from now on. Returns how it is taken out.
export function register(model) {
  const name = model.get("name");
  const part = (sentence) => {
    if (page.models.delete(name)) announce(name, sentence);
  };
  page.models.set(name, model);
  announce(name);
  model.on("comm_live_update", () => part(RESTARTED));
  return () => part(CLOSED);
}

// A model has come, from a kernel that runs or, without one, from saved state, which is of no use here.
export async function initialize({ model }) {
  const its = await real(model);
  if (!its?.comm_live) return;
  // anywidget gives a model up that took over two seconds, and then holds back for ever what its kernel sends
  const hear = Object.getPrototypeOf(its.constructor.prototype)?._handle_comm_msg;
  if (hear) its.comm.on_msg(hear.bind(its));
  return register(model);
}

// The model itself, of which a script is given a part. None in a host whose widgets know too little of each other:
// there the view finds out whether a kernel runs.
async function real(model) {
  try {
    return await model.widget_manager.get_model(model.get("name"));
  } catch {
    return null;
  }
}

// Calls `join` with the model of this name, now or when it comes; never, in a page without a kernel.
export function link(name, join) {
  const look = () => {
    if (page.models.has(name)) join(page.models.get(name));
  };
  page.news.addEventListener(name, look, { once: true });
  look();
}
