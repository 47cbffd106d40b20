// A gradient that flows: in a step that uses an edge backward, a copy of the number in the part with data-flows moves
// along the edge, against its arrow. A step that comes while one moves takes it away. Steps that come fast move none.

const TIME = 350; // milliseconds

const still = globalThis.matchMedia?.("(prefers-reduced-motion: reduce)");

export class Travel {
  constructor(stage) {
    this.stage = stage;
    this.copy = null;
    this.last = -Infinity; // when the last step came
  }

  // The edges that are used backward in the frame that is shown.
  edges() {
    return [...this.stage.node.querySelectorAll('.edge[data-state~="backward"]')];
  }

  // Calls `draw`, which shows the next frame, and lets its number flow.
  over(draw) {
    const [before, now] = [this.edges(), performance.now()];
    const fast = now - this.last < TIME;
    this.last = now;
    draw();
    const number = this.stage.node.querySelector("[data-flows]")?.textContent;
    const edge = this.edges().find((each) => !before.includes(each));
    if (number && edge && !fast && !still?.matches) this.start(edge, number);
  }

  start(edge, number) {
    const path = edge.querySelector("path");
    const copy = document.createElementNS(path.namespaceURI, "text");
    for (const [name, value] of [["class", "bp-flow"], ["aria-hidden", "true"]]) copy.setAttribute(name, value);
    copy.textContent = number;
    edge.parentNode.append(copy); // after the boxes, and so over them
    this.copy = copy;
    const length = path.getTotalLength();
    let began;
    const move = (now) => {
      if (this.copy !== copy) return;
      const share = Math.min(1, (now - (began ??= now)) / TIME);
      const { x, y } = path.getPointAtLength(length * (1 - share * share * (3 - 2 * share)));
      copy.setAttribute("x", x);
      copy.setAttribute("y", y + 4);
      if (share < 1) requestAnimationFrame(move);
      else this.stop();
    };
    requestAnimationFrame(move);
  }

  stop() {
    this.copy?.remove();
    this.copy = null;
  }
}
