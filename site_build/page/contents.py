"""The page's contents for learners: the lessons with the outputs of their run, and a list of them."""

import html
import json
import re

from exercises.content import lessons
from exercises.quizzes.linked import LINK, MOUNT
from exercises.quizzes.quiz_widget import Quiz
from figures.page.hosts import as_attribute
from figures.page.player import SCRIPT
from figures.page.style import compact, page_sheet
from site_build import ROOT, TITLE, doors
from site_build.book import STATIC, texts

NOTEBOOKS = ROOT / "notebooks"
SHEET, WITH_QUIZ = page_sheet(), page_sheet() + compact(Quiz.looks)
SCRIPTS = {  # files that outputs share on the page
    "backprop-labs.js": SCRIPT,
    "backprop-quiz.js": f"{LINK}\n{Quiz.script}\n{MOUNT.replace('KIND', 'Quiz')}",
}
# JupyterLab would resolve an element's own address in the notebook's folder, as it does for an image.
LOAD = '<script>document.head.append(Object.assign(document.createElement("script"), { src: "NAME" }));</script>'
SHARED = {f"<style>{WITH_QUIZ}</style>": "", f"<style>{SHEET}</style>": ""}  # the page has the sheet
SHARED |= {f'<script type="module">{text}</script>': LOAD.replace("NAME", name) for name, text in SCRIPTS.items()}
# JupyterLite itself would write this into a notebook: if opening changed one, it would ask to be saved.
METADATA = {
    "kernelspec": {"display_name": "Python (Pyodide)", "language": "python", "name": "python"},
    "language_info": {
        "codemirror_mode": {"name": "python", "version": 3},
        **{"file_extension": ".py", "mimetype": "text/x-python", "name": "python"},
        **{"nbconvert_exporter": "python", "pygments_lexer": "ipython3", "version": "3.8"},
    },
}
SPEC = re.compile(r"data-spec='([^']*)'")
INPUTS = "Run this cell to use these inputs."
RECORDED = "A recorded run: step through it. Run this cell to use the inputs yourself."

# Cells whose output is about a learner: verdicts, what their own machine gives, their progress. Of those that run
# on the learner's engine a lab is kept: it says that it shows a recorded run.
LEARNERS_TAGS = {"exercise", "varies"}
LEARNERS = re.compile(r"\bcheck\.|\bexercises\.(?:card|course_map|exam|examine|explained|gym|my_engine|self_test)\(")


def write(contents, runs):
    """Write the notebooks into a folder, with the outputs of those that were run, and the list that each links to.

    runs: {path in the folder of notebooks: the notebook, run}.
    """
    for place in sorted(NOTEBOOKS.rglob("*.ipynb")):
        if ".ipynb_checkpoints" not in place.parts:
            notebook = json.loads(place.read_text(encoding="utf-8"))
            if ran := runs.get(place.relative_to(NOTEBOOKS)):
                show(notebook, ran)
            notebook["metadata"] |= METADATA
            first = notebook["cells"][0]  # its door would lead to this very page
            first["source"] = doors.RUNS.sub("", joined(first["source"])).splitlines(keepends=True)
            copy = contents / place.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    text = f"# {TITLE}\n\n## The lessons\n\n{texts.lessons()}\n"
    (contents / "README.md").write_text(text, encoding="utf-8")


def show(notebook, ran):
    """Give a notebook, as a file has it, the outputs of its run. JupyterLab shows them whole only if it trusts cells.

    A server would look for its own signature there; a page has none, and believes the file.
    """
    for cell, done in zip(notebook["cells"], ran.cells, strict=True):
        if cell["cell_type"] == "code":
            cell["metadata"]["trusted"] = True
            cell["outputs"] = [clean_output(output) for output in done.outputs if is_shown(cell, output)]


def is_shown(cell, output):
    """Return whether an output is shown before the learner has run the cell."""
    tags = cell["metadata"].get("tags", ())
    if not LEARNERS_TAGS.isdisjoint(tags) or LEARNERS.search("".join(cell["source"])):
        return False
    return "own-engine" not in tags or "bp-embed" in joined(output.get("data", {}).get("text/html", ""))


def clean_output(output):
    """Return an output without its run's number, each text as one string, its labs with a sentence on their inputs.

    JupyterLite, unlike a server, does not join the lines in a file on disk.
    """
    kept = {key: value for key, value in output.items() if key != "execution_count"}
    if output["output_type"] == "execute_result":
        kept["execution_count"] = None
    if "data" in kept:
        kept["data"] = {kind: joined(data) for kind, data in kept["data"].items() if "widget" not in kind}
        if page := kept["data"].get("text/html"):
            for whole, instead in SHARED.items():
                page = page.replace(whole, instead)
            kept["data"]["text/html"] = SPEC.sub(add_notice, page)
    if "text" in kept:
        kept["text"] = joined(kept["text"])
    return kept


def joined(data):
    """Return a text that may be a list of lines as one string; other data unchanged."""
    return "".join(data) if isinstance(data, list) else data


def add_notice(found):
    """Return the data of a lab that says what its inputs need."""
    spec = json.loads(html.unescape(found[1]))
    return as_attribute({**spec, "alone": RECORDED if spec.get("run") else INPUTS})


def share(folder):
    """Write the shared files. Their names never change, because learners keep outputs that name them."""
    chips = {kind: (STATIC / f"chips.{kind}").read_text(encoding="utf-8") for kind in ("css", "js")}
    (folder / "backprop-labs.css").write_text(f"{WITH_QUIZ}\n{chips['css']}", encoding="utf-8")
    for name, text in SCRIPTS.items():  # run again for each output
        also = chips["js"] if text == SCRIPT else ""
        (folder / name).write_text(f"(() => {{\n{text}\n}})();\n{also}", encoding="utf-8")


def list_notebooks():
    """Return the notebooks for the page's menu, the core first: [path, title, minutes]."""
    found = [(each, NOTEBOOKS / each.file) for each in lessons.BY_NUMBER.values()]
    return [[path.relative_to(ROOT).as_posix(), title(path), each.minutes] for each, path in found]


def title(path):
    """Return a notebook's first heading, without marks."""
    (cell, *_) = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return "".join(cell["source"]).splitlines()[0].removeprefix("# ").replace("`", "")
