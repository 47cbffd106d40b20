"""Check the English of docstrings, comments and texts that learners read against a table of phrases to avoid.

A row: the pattern, what to write instead, and how many are still allowed in documentation (docstrings and comments) and
in texts (strings of exercises and figures, Markdown, quizzes; None: not searched). Lower a number when you remove one.
"""

import ast
import functools
import io
import json
import os
import re
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PHRASES = (
    (r"\A(?:What|Whether|That of|The same of)\b", "“Return …”, “Return whether …”, “True if …” or a noun", 0, None),
    (r"\bbeside\b(?!:)", "next to, compared with", 0, 5),
    (r"\banew\b(?![:=(])", "again", 0, 0),
    (r"\bas (?:it|they) (?:was|were)\b", "unchanged", 0, 14),
    (r"\bof (?:its|their|one's|his) own\b", "its own …, a separate …", 0, 34),
    (r"\bof a learner's(?= (?:that|look|runs?|ran)\b|[.,;:])", "a learner's …", 0, 0),
    (r"\bwhere (?:there (?:is|are)|(?:it|they|that) (?:is|are|do|does)(?: not)?)(?=[,.;:)]|$)", "if", 0, 5),
    (r"\b(?:is|are|was|were|be) (?:told|said)\b", "say who reports it; the message", 0, 9),
    (r"\ba (?:number|line|sentence|list|name|word) a (?:row|line|batch|class|node|test)\b", "one … per …", 0, 0),
    (r"\b(?:is|are|was|were) asked for\b|\bnothing made (?:it|them)\b", "say who asks for it, or makes it", 0, 6),
    (r"\bby way of\b", "through", 0, 1),
    (r"\bhand(?:s|ed|ing)? on\b", "pass back, pass on", 0, 0),
    (r"\bmend(?:s|ed|ing)?\b", "fix, repair", 0, 0),
    (r"\bby heart\b", "memorise, overfit", 0, 19),
    (r"\bway back\b", "backward pass", 0, 15),
    (r"\bso many times as\b", "k times as large as", 0, 0),
    (r"\breckon", "calculate", 0, 0),
    (r"\bstands (?:after|before|there)\b", "comes, appears, is", 0, 4),
    (r"\bhas (?:its|their) say\b", "counts, has an effect", 0, 0),
)
FOLDERS = ("autograd", "figures", "exercises", "site_build", "benchmarks", "notebooks", "tests", ".github")
SUFFIXES = {".py", ".md", ".toml", ".json", ".ipynb"}
LEFT_OUT = re.compile(  # what others wrote, quoted answers, recorded outputs, and release notes
    r"tests/(?!.*\.py$)|tests/(?:approved|attempts|examples)/|/(?:stub|solution|test_plain_words)\.py$|/given/|"
    r"clinic/programs/|/recorded/|CHANGELOG|NOTICES|RESULTS|CODE_OF_CONDUCT|benchmarks/.*\.toml"
)
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
CODE = re.compile(r"(?s)```.*?```|`[^`\n]*`")
ANY = re.compile("|".join(pattern.removeprefix(r"\b").replace(r"\A", "[\"'# ]") for pattern, *_ in PHRASES))


def files():
    """Yield the files with texts, without a walk through installed packages."""
    yield from ROOT.glob("*.md")
    for folder in FOLDERS:
        for where, inner, names in os.walk(ROOT / folder):
            inner[:] = [name for name in inner if name not in ("node_modules", "__pycache__")]
            yield from (Path(where) / name for name in names if Path(name).suffix in SUFFIXES)


def strings_in(data):
    """Yield all texts in JSON data."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, list | dict):
        for each in data.values() if isinstance(data, dict) else data:
            yield from strings_in(each)


def python_texts(text, is_read):
    """Yield (kind, line, text) of a module's docstrings, comments and, if learners read them, its other strings."""
    nodes = [*ast.walk(ast.parse(text))]
    docs = {node.body[0].value for node in nodes if isinstance(node, DOCUMENTED) and ast.get_docstring(node)}
    yield from (("documentation", node.lineno, node.value) for node in docs)
    for node in nodes:
        if is_read and node not in docs and isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield "texts", node.lineno, node.value
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield "documentation", token.start[0], token.string.lstrip("# ")


def texts_of(path, text):
    """Yield (kind, line, text) of a file's pieces."""
    if path.suffix == ".py":
        yield from python_texts(text, path.relative_to(ROOT).parts[0] in ("exercises", "figures", "autograd"))
    elif path.suffix in (".json", ".ipynb"):
        data = json.loads(text)
        if path.suffix == ".ipynb":
            data = ["".join(cell["source"]) for cell in data["cells"] if cell["cell_type"] == "markdown"]
        for each in strings_in(data):
            first = json.dumps(each.partition("\n")[0], ensure_ascii=False)[1:-1]
            yield "texts", text.count("\n", 0, max(text.find(first), 0)) + 1, each
    else:
        yield "texts", 1, text


@functools.cache
def occurrences():
    """Return {(row of the table, kind): ["file:line: “phrase”", …]}."""
    found = {(row, kind): [] for row in range(len(PHRASES)) for kind in ("documentation", "texts")}
    for path in sorted(files()):
        name = path.relative_to(ROOT).as_posix()
        if LEFT_OUT.search(f"/{name}") or not ANY.search(text := path.read_text(encoding="utf-8")):
            continue
        for kind, line, piece in texts_of(path, text):
            piece = CODE.sub(lambda code: "\n" * code[0].count("\n") + "…", piece)
            for row, (pattern, *_) in enumerate(PHRASES):
                for match in re.finditer(pattern, piece):
                    found[row, kind].append(f"{name}:{line + piece.count(chr(10), 0, match.start())}: “{match[0]}”")
    return found


@pytest.mark.parametrize("row", range(len(PHRASES)), ids=[pattern for pattern, *_ in PHRASES])
def test_phrases_occur_no_more_often_than_allowed_and_allowances_fall_with_them(row):
    _, instead, *allowed = PHRASES[row]
    for kind, most in zip(("documentation", "texts"), allowed):
        found = occurrences()[row, kind]
        assert most is None or len(found) <= most, f"{kind}: write “{instead}” in\n" + "\n".join(found)
        assert most is None or len(found) == most, f"Only {len(found)} are left in {kind}: lower {most} in the table."
