// The quiz: questions one at a time, each with feedback for every answer. It needs no kernel; where there is one, the
// first answer to each question is told to it.

const BROAD = 520; // pixels: a wider graph stands above the answers, not beside them

// Whether a number typed is the answer, rounded to the decimals that were typed (to two, where fewer were).
function matches(typed, answer) {
  const decimals = (typed.split(/e/i)[0].split(".")[1] || "").length;
  const slack = decimals >= 2 ? 0.5 * 10 ** -Math.min(decimals, 4) : 0.00005;
  return Math.abs(Number(typed) - answer) <= slack + 1e-9 * Math.max(1, Math.abs(answer));
}

// What was typed as a number that JavaScript reads; "" if it is none. A fraction such as 1/4 is one.
function numeral(text) {
  const typed = text.trim().replaceAll("−", "-").replace(",", ".");
  const fraction = typed.match(/^(-?\d+(?:\.\d+)?)\s*\/\s*(\d+(?:\.\d+)?)$/);
  if (fraction && Number(fraction[2]) !== 0) return String(fraction[1] / fraction[2]);
  return typed !== "" && Number.isFinite(Number(typed)) ? typed : "";
}

let groups = 0; // so that the radios of two quizzes in a page are told apart

function mount(root, spec, name) {
  const several = spec.questions.length > 1;
  const firsts = new Map(); // for each question answered, by its place: whether the first answer was right
  const done = new Set(); // the places of those answered rightly, at whichever try
  let current = 0;
  let kernel = null;

  const at = make("span", { class: "bp-at" });
  const deck = make("div", { class: "bp-deck" });
  const score = make("p", { class: "bp-score", role: "status" });
  const back = make("button", { type: "button", ...quiet }, "Back");
  const next = make("button", { type: "button", ...quiet }, "Next");
  const marks = spec.questions.map((_, place) => {
    const mark = make("button", { type: "button", ...quiet }, String(place + 1));
    mark.addEventListener("click", () => show(place));
    return mark;
  });
  const foot = make("div", { class: "bp-foot" }, score);
  if (several) foot.prepend(back, next);
  const jumps = make("div", { class: "bp-jumps", role: "group", "aria-label": "Questions" }, ...marks);
  const head = make("div", { class: "bp-head" }, make("span", { class: "bp-title" }, spec.title), at);
  const section = make("div", { class: "bp bp-quiz", role: "group", "aria-label": spec.title }, head);
  if (several) section.append(jumps);
  section.append(deck, foot);

  const questions = spec.questions.map(made);
  deck.append(...questions.map((question) => question.form));
  root.replaceChildren(section);
  back.addEventListener("click", () => show(current - 1));
  next.addEventListener("click", () => show(current + 1));
  section.addEventListener("keydown", (event) => event.stopPropagation()); // keys in here are no one else's

  function made(question, place) {
    const body = make("div", { class: "bp-body" });
    const beside = make("div", { class: "bp-beside" }); // what the question is about: code, a graph
    const answers = make("div", { class: "bp-answers" });
    const legend = make("legend");
    legend.innerHTML = question.text;
    if (question.source) legend.prepend(make("small", {}, question.source));
    if (question.code) beside.append(make("pre", {}, make("code", {}, question.code)));
    const said = make("p", { class: "bp-feedback", role: "status" });
    const room = make("p", { class: "bp-feedback", "aria-hidden": "true" });
    const check = make("button", { type: "submit", class: "bp-check", ...quiet }, "Check");
    const choice = question.options ? choices(question, answers, place) : entry(question, answers);
    room.innerHTML = choice.longest;
    if (question.graph) {
      const graph = make("div", { class: "bp-graph" });
      graph.innerHTML = question.graph;
      if (graph.firstElementChild.getAttribute("width") > BROAD) beside.classList.add("bp-broad");
      beside.append(graph);
    }
    if (beside.hasChildNodes()) body.append(beside);
    body.append(answers);
    const form = make(
      "form",
      { class: "bp-question", novalidate: "" },
      make("fieldset", {}, legend, body),
      make("div", { class: "bp-row" }, check, make("div", { class: "bp-said" }, room, said)),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (done.has(place) && place + 1 < questions.length) {
        show(place + 1, true);
        return;
      }
      const verdict = choice.verdict();
      said.dataset.state = verdict.right ? "right" : verdict.right === false ? "wrong" : "";
      said.innerHTML = verdict.sentence;
      if (verdict.right === undefined) return;
      if (!firsts.has(place)) {
        firsts.set(place, verdict.right);
        tell();
      }
      if (verdict.right) {
        done.add(place);
        if (place + 1 < questions.length) check.textContent = "Next question";
      }
      update();
    });
    choice.changed(() => { // another answer is meant: what was said of the last one no longer stands
      if (done.has(place)) return;
      said.innerHTML = said.dataset.state = "";
    });
    return { form, focus: choice.focus };
  }

  // A question with options, one of which is right.
  function choices(question, answers, place) {
    const group = `bp-quiz-${(groups += 1)}`;
    const inputs = question.options.map((option, i) => {
      const input = make("input", { type: "radio", name: group, value: i, ...quiet });
      const text = make("span", { class: "bp-words" });
      text.innerHTML = option.text;
      answers.append(make("label", { class: "bp-option" }, input, text, make("span", { class: "bp-sign" })));
      return input;
    });
    return {
      longest: longest(question.options.map((option) => said(option.right, option.feedback))),
      focus: () => (inputs.find((input) => input.checked) || inputs[0]).focus(),
      changed: (act) => answers.addEventListener("change", act),
      verdict() {
        const chosen = inputs.findIndex((input) => input.checked);
        if (chosen < 0) return { sentence: "Choose one of the answers first." };
        const { right, feedback } = question.options[chosen];
        const label = inputs[chosen].parentElement;
        label.dataset.state = right ? "right" : "wrong";
        label.querySelector(".bp-sign").textContent = right ? "✓ right" : "✗ not this";
        return { right: Boolean(right), sentence: said(right, feedback) };
      },
    };
  }

  // A question that asks for a number.
  function entry(question, answers) {
    const { answer, shown, feedback, wrong, otherwise } = question.number;
    const input = make("input", { type: "text", inputmode: "decimal", autocomplete: "off", ...quiet });
    answers.append(make("label", { class: "bp-number-entry" }, make("span", {}, "Your number"), input));
    return {
      longest: longest([...wrong.map(([, sentence]) => sentence), feedback, otherwise].map((each) => said(false, each))),
      focus: () => input.focus(),
      changed: (act) => input.addEventListener("input", act),
      verdict() {
        const typed = numeral(input.value);
        if (typed === "") return { sentence: "Type a number, such as -4 or 0.25." };
        if (matches(typed, answer)) return { right: true, sentence: said(true, `${shown}. ${feedback}`) };
        const named = wrong.filter(([number]) => matches(typed, number)).map(([, sentence]) => sentence);
        return { right: false, sentence: said(false, named.join(" Or: ") || otherwise) };
      },
    };
  }

  function said(right, feedback) {
    return `<b>${right ? "✓ Right." : "✗ Not yet."}</b> ${feedback}`;
  }

  function longest(texts) {
    return texts.reduce((found, text) => (text.length > found.length ? text : found), "");
  }

  function show(place, focus = false) {
    if (place < 0 || place >= questions.length) return;
    current = place;
    update();
    if (focus) questions[place].focus();
  }

  function update() {
    questions.forEach(({ form }, place) => form.classList.toggle("bp-off", place !== current));
    at.textContent = several ? `Question ${current + 1} of ${questions.length}` : "";
    back.setAttribute("aria-disabled", String(current === 0)); // not `disabled`: the focus must not be lost
    next.setAttribute("aria-disabled", String(current === questions.length - 1));
    marks.forEach((mark, place) => {
      const state = done.has(place) ? (firsts.get(place) ? "first" : "later") : firsts.has(place) ? "wrong" : "";
      const words = { first: "right at the first try", later: "right, not at the first try", wrong: "not right yet", "": "not answered" };
      mark.dataset.state = state;
      mark.textContent = `${place + 1}${{ first: " ✓", later: " ✓", wrong: " ✗", "": "" }[state]}`;
      mark.setAttribute("aria-label", `Question ${place + 1}: ${words[state]}`);
      if (place === current) mark.setAttribute("aria-current", "step");
      else mark.removeAttribute("aria-current");
    });
    const right = [...firsts.values()].filter(Boolean).length;
    if (!several || firsts.size === 0) score.textContent = "";
    else if (done.size === questions.length) score.textContent = `All done: ${right} of ${questions.length} at the first try.`;
    else score.textContent = `Right at the first try: ${right} of ${firsts.size} answered.`;
  }

  // The kernel is told of all first answers, each time: it notes those that are new.
  function tell() {
    if (!kernel) return;
    kernel.set("answers", Object.fromEntries([...firsts].map(([place, right]) => [spec.questions[place].id, right])));
    kernel.save_changes();
  }

  link(name, (model) => {
    kernel = model;
    if (firsts.size) tell();
  });
  update();
}
