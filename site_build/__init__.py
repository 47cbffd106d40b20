"""Sites made of the course: static files that need no server of their own."""

import shutil
from pathlib import Path

ROOT = Path(__file__).parents[1]
TITLE = "Backpropagation from scratch"
HUNT_FILE = ROOT / "exercises" / "course" / "bughunt.html"  # the game, which the wheel and both sites have


def folder_for(out, mark, kind):
    """The whole path of a folder for a site. ValueError if it holds something else than such a site, with its mark."""
    out = Path(out).resolve()
    if out.exists() and (not out.is_dir() or any(out.iterdir())) and not (out / mark).exists():
        raise ValueError(f"{out} holds something else than a {kind}. Name another folder, or empty it.")
    return out


def put(made, out, *left_out):
    """Put a site that was made into its folder, in place of what is there, without the files of these patterns."""
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(made, out, ignore=shutil.ignore_patterns(*left_out))
    shutil.copy(HUNT_FILE, out)
    for name in ("LICENSE", "THIRD_PARTY_NOTICES.md"):  # whose texts go with what is passed on
        shutil.copy(ROOT / name, (out / name).with_suffix(".txt"))
