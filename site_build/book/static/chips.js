// The inputs of a recorded run, which nobody can move, as a line of chips that follow the frame; its buttons, which
// nobody can press, are left out. A player calls `show` of its inputs, so chips take their place. It runs after players.

{
  const text = ({ kind, value }) => {
    if (kind === "toggle") return value ? "on" : "off";
    return typeof value === "number" ? String(Number(value.toPrecision(4))).replace("-", "−") : value;
  };

  class Chips {
    // The run has all inputs, each as often as it has values. Those that never change come last.
    constructor(player) {
      this.player = player;
      this.values = {};
      this.parts = new Map();
      for (const input of player.run[1].filter(({ kind }) => kind !== "button")) {
        if (!this.parts.has(input.name)) this.parts.set(input.name, { label: input.label, texts: new Set() });
        this.parts.get(input.name).texts.add(text(input));
      }
      this.node = document.createElement("ul");
      this.node.className = "bp-chips";
      this.node.setAttribute("aria-label", "Inputs");
      const parts = [...this.parts.values()].sort((a, b) => (a.texts.size === 1) - (b.texts.size === 1));
      this.node.hidden = !parts.length;
      this.node.append(...parts.map((part) => this.chip(part)));
    }

    chip(part) {
      part.node = document.createElement("li");
      part.value = document.createElement("b");
      if (part.texts.size === 1) part.node.toggleAttribute("data-fixed", true);
      else part.value.style.minWidth = `${Math.max(...[...part.texts].map(({ length }) => length))}ch`; // nothing jumps
      part.node.append(`${part.label} `, part.value);
      return part.node;
    }

    // The controls of a frame. A chip that differs from the frame before is marked.
    show(controls) {
      const { player } = this;
      const before = player.frames[player.index - 1]?.panel.map((place) => player.run[1][place]);
      const [now, known] = [controls, before || controls].map((all) => new Map(all.map((each) => [each.name, text(each)])));
      for (const [name, { node, value }] of this.parts) {
        node.style.visibility = now.has(name) ? "" : "hidden";
        node.toggleAttribute("data-changed", now.has(name) && now.get(name) !== known.get(name));
        value.textContent = now.get(name) ?? "";
      }
      this.node.scrollLeft = (this.node.querySelector("[data-changed]")?.offsetLeft ?? 0) - 40;
    }
  }

  for (const { player } of document.querySelectorAll(".bp-player")) {
    if (!player.run || player.inputs instanceof Chips) continue;
    const chips = new Chips(player);
    player.inputs.node.replaceWith(chips.node);
    player.inputs = chips;
    player.show(player.index);
  }
}
