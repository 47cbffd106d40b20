// What a widget of a player sends to the page: its model, for the player that is there already, and a view, for a
// player that stands in another widget, such as a box. The view asks for its page, so that no saved state holds it.

import { initialize } from "./link.js";

function render({ model, el }) {
  const hear = ({ html }) => {
    el.innerHTML = html;
    const script = el.querySelector("script[type=module]");
    const alive = document.createElement("script"); // one that was written as HTML is not run
    alive.type = "module";
    alive.textContent = script.textContent;
    script.replaceWith(alive);
  };
  model.on("msg:custom", hear);
  model.send({});
  return () => model.off("msg:custom", hear);
}

export default { initialize, render };
