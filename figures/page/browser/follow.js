// How a player finds the model through which a kernel answers, and how it is put into a page.

import { page } from "./link.js";
import { Player } from "./player.js";

// What a player asks of a model, and tells it.
function kernelOf(model) {
  const write = (name, value) => {
    model.set(name, value);
    model.save_changes();
  };
  return {
    ask: (values, presses) => write("request", { values, presses, number: (model.get("request")?.number || 0) + 1 }),
    at(index) {
      if (index !== model.get("index")) write("index", index);
    },
  };
}

// The player hears the model, until `off` is aborted. A player whose part of the page is gone is not kept by it.
function join(held, off, model) {
  const acts = {
    "change:news": (player) => player.take(model.get("news")),
    "change:patch": (player) => player.take(model.get("patch")),
    "change:values": (player) => player.adopt(model.get("values")),
    "change:reply": (player) => player.requests.answered(),
  };
  for (const [event, act] of Object.entries(acts)) {
    const hear = () => {
      const player = held.deref();
      if (player) act(player);
      else off.abort();
    };
    model.on(event, hear);
    off.signal.addEventListener("abort", () => model.off(event, hear));
  }
  const player = held.deref();
  player.take(model.get("news") || {}); // empty, where the page itself has all that the kernel has
  player.take(model.get("patch") || {});
  player.adopt(model.get("values"));
  player.show(model.get("index"));
  player.join(kernelOf(model));
}

// Lets a player join the model of this name whenever the page has it, and leave it when it goes.
function follow(player, name) {
  const held = new WeakRef(player);
  const off = new AbortController();
  const hear = ({ detail: sentence }) => {
    const each = held.deref();
    const model = page.models.get(name);
    if (each && model) join(held, off, model);
    else {
      off.abort();
      each?.leave(sentence);
    }
  };
  page.news.addEventListener(name, hear, { signal: off.signal });
  if (page.models.has(name)) hear({});
}

// In every place of the page that waits for a player.
for (const place of document.querySelectorAll(".bp-embed:not([data-mounted])")) {
  place.dataset.mounted = "yes";
  place.closest(".jp-RenderedHTMLCommon")?.classList.remove("jp-RenderedHTMLCommon"); // a look for text, not for labs
  const spec = JSON.parse(place.dataset.spec);
  const player = new Player(place.querySelector(".bp-instead"), spec);
  if (place.dataset.model) follow(player, place.dataset.model);
}
