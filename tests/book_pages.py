"""Ask a page of the book, in JavaScript, how it looks on a phone and on paper, and how long its lines are."""

# On a phone: words of labs and headings on two lines; buttons under something else; recorded runs whose inputs are
# not one line of chips.
NARROW = """() => {
  document.documentElement.style.scrollBehavior = 'auto';
  const seen = (part) => part.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true });
  const broken = [];
  for (const part of document.querySelectorAll('h1, h2, h3, button, legend, :is(.bp-sum, .bp-head, .bp-controls) *')) {
    for (const node of seen(part) ? part.childNodes : []) {
      for (const word of node.nodeType === 3 ? node.data.matchAll(/[A-Za-z]+/g) : []) {
        const range = document.createRange();
        range.setStart(node, word.index);
        range.setEnd(node, word.index + word[0].length);
        if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push(word[0]);
      }
    }
  }
  const covered = [...document.querySelectorAll('.bp button')].filter(seen).filter((button) => {
    button.scrollIntoView({ block: 'center' });
    const { left, top, width, height } = button.getBoundingClientRect();
    return !button.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  }).map((button) => button.outerHTML.slice(0, 80));
  const runs = [...document.querySelectorAll('.bp-player')].filter(({ player }) => player.run);
  const loose = runs.filter((run) => {
    const tops = [...run.querySelectorAll('.bp-chips li')].map((chip) => chip.getBoundingClientRect().top);
    return new Set(tops).size > 1 || run.querySelector('.bp-controls, .bp-panel button');
  }).length;
  return { broken, covered, loose };
}"""
# In print: questions that are not seen, and buttons that are.
PRINTED = """() => {
  const seen = (part) => part.checkVisibility({ visibilityProperty: true });
  const all = (selector) => [...document.querySelectorAll(selector)].filter((part) => !part.closest('details'));
  return all('.bp-question').filter((part) => !seen(part)).length + all('.bp button').filter(seen).length;
}"""
# On paper: which answers are at the end, which should be, and which labs are higher than a page.
PAPER = """() => {
  dispatchEvent(new Event('beforeprint'));
  const folded = [...document.querySelectorAll('details > summary')].map(({ textContent }) => textContent.trim());
  const asked = folded.filter((said) => ['Answer', 'Solution'].includes(said)).length;
  const answers = document.querySelectorAll('.bp-printed > :is(div, ol)').length;
  const quizzes = document.querySelectorAll('.bp-quiz').length;
  const labs = [...document.querySelectorAll('.bp-player')].map((lab) => lab.getBoundingClientRect().height);
  return { lost: asked + quizzes - answers, answers, tall: labs.filter((height) => height > 1030) };
}"""
A4 = {"width": 710, "height": 1038}  # its room for text
LINES = """() => {
  const lines = [];
  for (const part of document.querySelectorAll('article section > p')) {
    const found = new Map();
    const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      for (let i = 0; i < walker.currentNode.length; i += 1) {
        const range = document.createRange();
        range.setStart(walker.currentNode, i);
        range.setEnd(walker.currentNode, i + 1);
        const { width, bottom } = range.getBoundingClientRect();
        const line = Math.round(bottom / 15);
        if (width) found.set(line, (found.get(line) || 0) + 1);
      }
    }
    if (found.size > 2) lines.push(...[...found.values()].slice(0, -1));
  }
  return lines.sort((a, b) => a - b);
}"""
