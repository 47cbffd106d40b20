// What a widget sends to the page: its model, for the part that is there already, and a view, for a part that stands in
// another widget, such as a box, or in a host that keeps widgets apart. The view asks for its page, so that no saved
// state holds it; the answer shows that the kernel is there.

import { initialize, page, register } from "./link.js";

function render({ model, el }) {
  const hear = ({ html }) => {
    if (!page.models.has(model.get("name"))) register(model);
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
