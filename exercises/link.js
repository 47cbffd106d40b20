// Lets a part of a page find its widget in the kernel, by name, whether the widget comes first or the page.
const links = (globalThis[Symbol.for("backprop links")] ??= { models: new Map(), waiting: new Map() });

// A widget has come: from a kernel that runs, or from saved state, which is of no use here.
async function initialize({ model }) {
  const name = model.get("name");
  const { comm_live: live } = await model.widget_manager.get_model(name);
  if (!live) return undefined;
  links.models.set(name, model);
  for (const join of links.waiting.get(name) || []) join(model);
  return () => {
    for (const known of [links.models, links.waiting]) known.delete(name);
  };
}

// Calls `join` with the widget of this name, now or when it comes; never, in a page without a kernel.
function link(name, join) {
  links.waiting.set(name, [...(links.waiting.get(name) || []), join]);
  if (links.models.has(name)) join(links.models.get(name));
}

function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

// JupyterLab's command keys must not reach a focused control: "d d" there would delete the cell.
const quiet = { "data-lm-suppress-shortcuts": "true" };
