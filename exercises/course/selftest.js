// The live row of the self-test: the browser calls the kernel, and the row says whether it has answered.

import { link, make } from "../../figures/page/browser/link.js";

const PATIENCE = 10000; // milliseconds after which the row says what to try

export function mount(root, spec, name) {
  const row = root.querySelector("[data-row='widgets']");
  const [sign, state, details] = [...row.querySelectorAll("span"), row.lastElementChild];
  row.querySelector(".bp-state").setAttribute("role", "status");

  function say(mark, word, sentence) {
    row.dataset.state = word;
    sign.textContent = mark;
    state.textContent = word;
    details.textContent = sentence;
  }

  const patience = setTimeout(() => {
    say("✗", "does not work", "No answer from the kernel. Run this cell again; if that does not help, restart the kernel and reload the page. In a page without a kernel, quizzes and steps work all the same.");
  }, PATIENCE);

  // A widget's own script comes as a blob, which a strict server forbids.
  const blob = URL.createObjectURL(new Blob([""], { type: "text/javascript" }));
  const probe = make("script", { type: "module", src: blob });
  probe.onerror = () => {
    clearTimeout(patience);
    say("✗", "does not work", "This server does not let widgets load. Its administrator has to allow blob: in the script-src of its Content-Security-Policy.");
  };
  document.head.append(probe);

  link(name, (model) => {
    const hear = () => {
      clearTimeout(patience);
      say("✓", "works", "The browser called, and the kernel answered.");
    };
    model.on("change:answer", hear);
    model.set("call", model.get("call") + 1);
    model.save_changes();
  });
}
