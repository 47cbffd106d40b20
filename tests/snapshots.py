"""A safety net for refactoring: the texts of checks, labs, lessons and a learner's files, compared with approved ones.

`python -m tests.snapshots` compares with `approved/snapshots.txt`, a hash for each exercise, lab, lesson and
file, and names what differs; `--against COMMIT` shows both texts, with those of that commit from a separate checkout.
`--approve` takes the current texts: a commit has to explain the lines that change in the file. All of it takes minutes;
names of exercises, labs and lessons, as in `python -m tests.snapshots slope nudge 07`, leave out the rest.
"""

import argparse
import contextlib
import difflib
import hashlib
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
APPROVED = Path(__file__).parent / "approved" / "snapshots.txt"
FILES = Path(__file__).parent / "approved" / "files"  # a learner's engine and progress
LABS = (  # each as a learner opens it, and with other inputs than it begins with
    "figures.attention()",
    "figures.attention(predict=True)",
    "figures.attention_map()",
    "figures.attention_map(predict=True)",
    "figures.border('circle')",
    "figures.border('moons', [3, 7], points=37, flipped=12, seed=77)",
    "figures.broadcast((3, 1), (2, 3, 4))",
    "figures.broadcast(predict=True)",
    "figures.broadcast((4, 1), (1, 3))",
    "figures.broadcast((2, 3), (2, 3))",
    "figures.classifier(4)",
    "figures.clip()",
    "figures.deep_training(30)",
    "figures.depth_first(graph())",
    "figures.descent('valley', lr=0.2)",
    "figures.descent(lr=0.25)",
    "figures.descent(lr=0.5, zero=False)",
    "figures.drag(graph())",
    "figures.embedding()",
    "figures.embedding('bubble', predict=True)",
    "figures.expression('tanh(a*b) ** 2 - exp(a) * sqrt(b) + log(b)')",
    "figures.forward_mode(graph())",
    "figures.goal()",
    "figures.jacobian()",
    "figures.lottery()",
    "figures.matmul()",
    "figures.matmul(wants='graph')",
    "figures.matmul(predict=True)",
    "figures.memory(4, 32, predict=True)",
    "figures.microscope(depth=30)",
    "figures.neuron((2, 0), (-3, 1), 6.88, 1.0)",
    "figures.neuron(target=1.0, steps=True)",
    "figures.nudge()",
    "figures.order(graph())",
    "figures.order(graph(), predict=True)",
    "figures.paths(graph())",
    "figures.paths(graph(), predict=True)",
    "figures.policy()",
    "figures.policy(predict=True)",
    "figures.sampling(temperature=0.7)",
    "figures.shape()",
    "figures.stale()",
    "figures.stale(predict=True)",
    "figures.step_backward(graph(), predict=True)",
    "figures.step_forward(graph())",
    "figures.step_through(graph())",
    "figures.step_through(graph(), predict=True)",
    "figures.xor([8, 8])",
)
ROUNDED = {"build_a_patient", "diagnoses", "matmul_vjps", "revive"}  # whose verdicts have numbers that processors round
VARIES = (  # what differs in every process, or is no text of a page: the pattern, and what replaces it
    (r"(?s)<style>.*?</style>|(?<=;base64,)[\w+/=]+", "…"),
    (r"0x[0-9a-f]+|\b[0-9a-f]{32}\b", "…"),
    (r"\d{4}-\d\d-\d\d", "a day"),
    (r"\d[\d,.]* (?:s|ms|µs)\b", "a time"),
    (r"(?<=\.\d{10})\d+", ""),  # the last digits are the processor's
    (r"(?<=manages )\d+|(?<=stops at )\d+", "so many"),  # nested calls, besides those that are open already
)


def texts(names=()):
    """Yield (name, text) of everything, or of exercises, labs and lessons of these names."""
    if names:
        yield from texts_of_names(names)
        return
    yield from verdicts()
    yield from identified()
    yield from labs()
    yield from pages()
    yield from files()


def texts_of_names(names):
    exercises, calls, paths = named_texts()
    if chosen := [name for name in names if name in exercises]:
        yield from verdicts(chosen)
    yield from labs([call for call, name in calls.items() if name in names])
    yield from pages([path for path, number in paths.items() if number in names])


def named_texts():
    """Return what has a name: the exercises; {a call in LABS: its lab}; {a lesson's path: its number}."""
    from exercises.engine_file import check
    from tests import notebooks

    calls = {call: call.removeprefix("figures.").partition("(")[0] for call in LABS}
    return check.LESSON_OF, calls, {path: notebooks.number(path) for path in notebooks.EVERY}


def refuse_names(names):
    """Return a sentence about names that nothing has; "" if there are none."""
    exercises, calls, paths = named_texts()
    odd = sorted({*names} - {*exercises, *calls.values(), *paths.values()})
    said = f"{', '.join(odd)}: no exercise, no lesson's number, and no lab of LABS in tests/snapshots.py, into which a "
    return f"{said}new one comes as a learner opens it" if odd else ""


def verdicts(names=None):
    """Yield what each check, or each of these, says to its solution, its stub and all known mistakes' spellings."""
    from exercises.content import library
    from exercises.engine_file import check
    from exercises.explaining.catalogue import known_mistakes
    from tests import notebooks

    for name in names or check.LESSON_OF:
        checked, solution = getattr(check, name), library.solution(name).code
        answers = {"solution": solution, "stub": library.stub(name)}
        for each in known_mistakes(name):
            answers |= {f"{each.mistake.name} {i}": code for i, code in enumerate(each.codes(solution))}
        for answer, code in answers.items():
            text = checked.judge(*checked.answers(code)).render_text()
            text = re.sub(notebooks.NUMBER, "…", text) if name in ROUNDED else text
            yield f"verdict {name}: {answer}", text


def identified():
    """Yield what every wrong engine is identified as."""
    import exercises
    from exercises.engines.wrong_engines import WRONG_ENGINES

    for wrong in WRONG_ENGINES:
        yield f"identify {wrong.id}", repr(exercises.identify(wrong.engine))


def labs(calls=LABS):
    """Yield the text mode of each lab, its first and last stage, and its answers to inputs, presses and a few steps."""
    import figures
    from autograd import Value
    from tests.labs import answers

    def graph():
        a, b = Value(2.0, label="a"), Value(-3.0, label="b")
        return (a * b + a).tanh() * b

    for call in calls:
        random.seed(0)
        lab = eval(call, {"figures": figures, "graph": graph})
        yield f"lab {call}", lab.render_text()
        if hasattr(lab, "recording"):
            frames = lab.recording.frames
            for place in {0, len(frames) - 1}:
                yield f"stage {place} {call}", lab.recording.render(frames[place].updates)
        yield f"answers {call}", "\n".join(answers(lab))


def pages(paths=None):
    """Yield the output of each cell of each lesson, or of these, unsolved: its text and its page."""
    from tests import forked, notebooks

    for path in notebooks.EVERY if paths is None else paths:
        for cell in notebooks.cells(notebooks.ran(path), "code"):
            if not forked.varies(cell):
                shown = [output.get("data", {"text/plain": output.get("text", "")}) for output in cell.outputs]
                for kind in ("text/plain", "text/html"):  # a stream may come in pieces
                    if text := "".join(data.get(kind, "") for data in shown):
                        text = re.sub(notebooks.NUMBER, "…", normalise(text)) if notebooks.rounded(path, cell) else text
                        yield f"page {notebooks.number(path)} {cell.id} {kind[5:]}", text


def files():
    """Yield what is read from a learner's files."""
    from exercises.engine_file import store
    from exercises.storage import progress

    for place in sorted(FILES.glob("my_engine*.py")):
        sources = store.sources_of({place.name: place.read_text(encoding="utf-8")})
        yield f"file {place.name}", "\n".join(f"{item.name}: {item.text}" for _, item in sources.theirs())
    for place in sorted(FILES.glob("progress*.json")):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "progress.json").write_bytes(place.read_bytes())
            os.environ["BACKPROP_DATA_DIR"] = folder
            names = sorted(progress.read()["exercises"])
            yield f"file {place.name}", json.dumps([progress.passed(name) for name in names])


def normalise(text):
    """Return a text without what differs in every process or place."""
    text = text.replace(str(ROOT), "the course")
    for pattern, word in (*VARIES, (rf"{re.escape(tempfile.gettempdir())}/[\w.-]+", "a folder")):
        text = re.sub(pattern, word, text)
    return text


def hash_text(text):
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:12]


def hash_groups(texts):
    """Return {a line of the file: hash} for {name: text}: the texts of one exercise, lab, lesson or file together."""
    groups = {}
    for name, text in texts.items():
        groups.setdefault(group_of(name), []).append(f"{name}\n{text}")
    return {group: hash_text("\n".join(those)) for group, those in groups.items()}


def group_of(name):
    """Return the line of the file that a text counts to."""
    kind, _, rest = name.partition(" ")
    return (
        f"{kind} {rest.partition(':')[0]}"
        if kind == "verdict"
        else " ".join(name.split()[:2])
        if kind == "page"
        else name
    )


def approved():
    lines = APPROVED.read_text(encoding="utf-8").splitlines() if APPROVED.exists() else []
    return {name: digest for digest, _, name in (line.partition(" ") for line in lines)}


def merged(old, new):
    """Return what was approved with some new hashes; a new name follows the last of its kind."""
    names = list(old)
    for name in (each for each in new if each not in old):
        alike = [i for i, each in enumerate(names) if each.split()[0] == name.split()[0]]
        names.insert(alike[-1] + 1 if alike else len(names), name)
    return {name: (old | new)[name] for name in names}


def texts_of_commit(commit):
    """Return {name: text} of a commit, run in a separate checkout."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "-C", str(ROOT), "worktree", "add", "--quiet", "--detach", folder, commit], check=True)
        try:
            place = Path(folder, "said.json")
            command = [sys.executable, "-m", "tests.snapshots", "--write", str(place)]
            subprocess.run(command, cwd=folder, env={**os.environ, "PYTHONPATH": folder}, check=True)
            return json.loads(place.read_text(encoding="utf-8"))
        finally:
            subprocess.run(["git", "-C", str(ROOT), "worktree", "remove", "--force", folder], check=True)


def main(arguments=None):
    """Compare, and print what differs; return 1 if anything does."""
    parser = argparse.ArgumentParser(prog="python -m tests.snapshots", description=__doc__.partition("\n")[0])
    parser.add_argument("--approve", action="store_true", help="take what is said now")
    parser.add_argument("--against", metavar="COMMIT", help="show both texts of what differs from what a commit says")
    parser.add_argument("--write", metavar="FILE", help="write what is said now, as JSON, and compare nothing")
    parser.add_argument("names", metavar="NAME", nargs="*", help="an exercise, a lab or a lesson's number; else all")
    asked = parser.parse_args(arguments)
    if asked.names and asked.against:
        parser.error("--against compares all that is said: it takes no names")
    if said := refuse_names(asked.names):
        parser.error(said)
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as kept:
        for name in ("BACKPROP_DATA_DIR", "BACKPROP_ENGINE_DIR", "BACKPROP_TEST_RUNS"):
            kept.callback(os.environ.__setitem__, name, os.environ.get(name, ""))
            os.environ[name] = folder
        now = {name: normalise(text) for name, text in texts(asked.names)}
    if asked.write:
        Path(asked.write).write_text(json.dumps(now), encoding="utf-8")
        return 0
    if asked.approve:
        digests = merged(approved(), hash_groups(now)) if asked.names else hash_groups(now)
        lines = (f"{digest} {name}" for name, digest in digests.items())
        APPROVED.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return 0
    before, after = (texts_of_commit(asked.against), now) if asked.against else (approved(), hash_groups(now))
    if asked.names:  # of the rest nothing is known
        before = {name: digest for name, digest in before.items() if name in after}
    different = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    for name in different:
        print(f"{'new' if name not in before else 'gone' if name not in after else 'another'}: {name}")
        if asked.against:
            old, new = before.get(name, "").splitlines(), now.get(name, "").splitlines()
            print("\n".join(difflib.unified_diff(old, new, "before", "now", lineterm="", n=1)))
    print(f"{len(different)} of {len(after):,} differ." if different else "All is as it was.")
    return bool(different)


if __name__ == "__main__":
    sys.exit(main())
