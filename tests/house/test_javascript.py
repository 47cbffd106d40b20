"""The JavaScript of the pages: its lint, its unit tests in Node, and the scripts made from its modules."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from exercises.course import selftest_page
from exercises.quizzes import linked, quiz_widget
from figures.page import player, scripts

ROOT = Path(__file__).parents[2]
HERE = ROOT / "tests" / "js"
NODE = shutil.which("node")
ESLINT = HERE / "node_modules" / "eslint" / "bin" / "eslint.js"
SCRIPTS = {
    "player": player.SCRIPT,
    "model": player.MODEL,
    "linked": linked.Linked._esm,
    "quiz": linked.LINK + "\n" + quiz_widget.Quiz.script,
    "selftest": linked.LINK + "\n" + selftest_page.SelfTest.script,
}
MOST = 29_850  # bytes of the player's script in a page

with_node = pytest.mark.skipif(
    NODE is None, reason="no Node here; to add one (20.19 or newer): apt install nodejs npm, or nodejs.org"
)


def node(*arguments, folder=ROOT):
    environment = {name: value for name, value in os.environ.items() if name != "NODE_OPTIONS"}
    done = subprocess.run(
        [NODE, *map(str, arguments)], cwd=folder, env=environment, capture_output=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@with_node
@pytest.mark.skipif(
    not ESLINT.exists(), reason="ESLint is not installed; to add it, where there is npm: npm --prefix tests/js install"
)
def test_eslint_finds_nothing():
    """Not even functions longer than a screen: see eslint.config.js."""
    folders = "figures", "exercises", "site_build", "tests/js"
    node(ESLINT, "--max-warnings=0", "--config", HERE / "eslint.config.js", *folders)


@with_node
def test_node_unit_tests_pass():
    said = node("--test", folder=HERE)
    counted = {word: int(count) for word, count in re.findall(r"^\W*(pass|fail|skipped) (\d+)", said, re.MULTILINE)}
    assert counted["pass"] >= 14 and counted["fail"] == counted["skipped"] == 0


@pytest.mark.parametrize("name", SCRIPTS)
def test_joined_script_is_valid_and_loads_nothing(name, tmp_path):
    """It is read as a module: two of its parts with one name would be an error."""
    text = SCRIPTS[name]
    assert not re.search(r"^import\b|\bimport\(|^export (?!default)|^\s|\s$|(^|\s)//", text, re.MULTILINE)
    assert "export default" not in text or name in ("model", "linked")
    if NODE:
        (tmp_path / "joined.mjs").write_text(text, encoding="utf-8")
        node("--check", tmp_path / "joined.mjs")


def test_every_module_is_used_in_order_and_scripts_are_small():
    for names in (scripts.PLAYER, (*scripts.LINK, "model")):
        for place, name in enumerate(names):
            source = (scripts.BROWSER / f"{name}.js").read_text(encoding="utf-8")
            assert set(re.findall(r'from "\./(\w+)\.js"', source)) <= set(names[:place]), name
    used = {*scripts.PLAYER, *scripts.LINK, "model"}
    assert used == {place.stem for place in scripts.BROWSER.glob("*.js")}
    assert len(player.SCRIPT.encode()) <= MOST
    assert len(player.MODEL.encode()) <= 2_000, "what the kernel sends of each player"
