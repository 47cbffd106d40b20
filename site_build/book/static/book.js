// Code, results and stages that are wider than their column scroll; so that keys scroll them too, they take the focus then.
const watch = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.scrollWidth > target.clientWidth + 1) target.tabIndex = 0;
    else target.removeAttribute("tabindex");
  }
});
for (const block of document.querySelectorAll(".highlight pre, .cell_output pre, .bp-stage, .bp-chips")) watch.observe(block);

// In a rail that is longer than the screen, the page's own line and its contents are in sight.
const rail = document.querySelector(".sidebar-scroll");
const here = rail?.querySelector(".current-page");
if (here && here.getBoundingClientRect().bottom > innerHeight) {
  rail.scrollTo({ top: here.offsetTop - rail.clientHeight / 4, behavior: "instant" });
}

// On paper nothing opens: what answers a question stands at the end, on a page of its own.
const FOLDED = /^(Answer|Solution|Hint \d|Its code)$/;

// The answers to a quiz, in the order of its questions; or what is folded under "Answer" or "Solution".
function answersIn(part) {
  const list = document.createElement(part.dataset.spec ? "ol" : "div");
  if (part.dataset.spec) {
    const known = new Map(JSON.parse(part.dataset.spec).questions.map((question) => [question.id, question]));
    for (const { dataset } of part.querySelectorAll("[data-question]")) {
      const { options, number } = known.get(dataset.question);
      const right = options?.find((option) => option.right);
      const item = list.appendChild(document.createElement("li"));
      item.innerHTML = right ? `${right.text} ${right.feedback}` : `${number.shown}. ${number.feedback}`;
    }
  } else {
    list.append(...[...part.cloneNode(true).childNodes].filter(({ nodeName }) => nodeName !== "SUMMARY"));
  }
  for (const each of list.querySelectorAll("[id]")) each.removeAttribute("id");
  return list;
}

/** Hide a folded answer where it is, and return whether a part, a quiz or a fold, belongs on the page of answers. */
function hasAnswers(part) {
  const folded = part.querySelector(":scope > summary")?.textContent.trim();
  if (folded === undefined) return true;
  if (FOLDED.test(folded)) part.classList.add("bp-unprinted");
  return FOLDED.test(folded) && /Answer|Solution/.test(folded);
}

addEventListener("beforeprint", () => {
  const article = document.querySelector("article > section");
  const answers = document.createElement("section");
  answers.className = "bp-printed";
  answers.innerHTML = "<h2>Answers</h2>";
  let heading;
  for (const part of article?.querySelectorAll("h2, h3, details, .bp-linked[data-kind=Quiz]") || []) {
    if (part.matches("h2, h3")) heading = part.firstChild.textContent;
    else if (hasAnswers(part)) {
      if (!part.matches("details")) heading = JSON.parse(part.dataset.spec).title;
      if (heading) answers.append(Object.assign(document.createElement("h4"), { textContent: heading }));
      heading = "";
      answers.append(answersIn(part));
    }
  }
  if (answers.children.length > 1) article.append(answers);
});
addEventListener("afterprint", () => document.querySelector(".bp-printed")?.remove());
