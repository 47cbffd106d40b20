"""The book: all lessons, run again, as pages that need no kernel and no network; `build(out)` makes it."""

import io
import tempfile
from pathlib import Path

from exercises.content.lessons import LESSONS
from site_build import TITLE, doors, folder_for, lecture, put

STATIC = Path(__file__).with_name("static")
PAGE = "page/lab/index.html?path={}"  # where a lesson runs in the browser, in the folder next to the book's
ROOM = "site_build.book"
OWN = ("reference", "metadata", "look", "search")
EXTENSIONS = ("myst_nb", "sphinx.ext.autodoc", *(f"{ROOM}.{name}" for name in OWN))
MARK = "searchindex.js"  # a folder with this file is a book


def build(out, said=print, runs=None):
    """Make the book in a folder, which is replaced if it holds a book; return its first page.

    said: a function that gets a message about each step. runs: a folder that keeps runs of the lessons. Raise
    RuntimeError, with Sphinx's own messages, if there is a warning, and ValueError if the folder holds something else.
    What only this function needs is imported here: each lesson's kernel imports the package.
    """
    from site_build.book import finish, fonts, lessons, pages, run
    from site_build.book.shared import Shared

    out, site = folder_for(out, MARK, "book"), doors.address()
    address = site and f"{site}{out.name}/"
    with tempfile.TemporaryDirectory() as work:
        source, made = Path(work, "source"), Path(work, "made")
        source.mkdir()
        notebooks, files = run.run_all(said, runs), Shared()
        page = where_lessons_run(out.parent)
        lessons.write(notebooks, source / "lessons", files, page)
        pages.write(notebooks, source, files, page)
        files.write(source / "shared")
        fonts.lay(source / "shared" / "fonts")
        said("writing pages")
        sphinx(source, made, files, address)
        finish.pages(made, address)
        said("exporting the lecture")
        lecture.build(made / "lecture")
        put(made, out, ".buildinfo", "objects.inv", ".doctrees")
    return out / "index.html"


def where_lessons_run(folder):
    """Return the address of a page here that runs a lesson, with {} for its notebook; "" if there is none.

    JupyterLite keeps its notebooks in a folder of its site, `files`. The address is relative to this folder.
    """
    files = folder / "page" / "files"
    found = next(iter(sorted(files.rglob(LESSONS[0].file))), None)
    return PAGE.format(f"{found.parent.relative_to(files).as_posix()}/{{}}".removeprefix("./")) if found else ""


def sphinx(source, made, files, address):
    """Let Sphinx make pages of the sources. Raise RuntimeError with its warnings, if there are any."""
    from sphinx.application import Sphinx

    warnings = io.StringIO()
    app = Sphinx(
        **{"srcdir": source, "confdir": None, "outdir": made, "doctreedir": made / ".doctrees", "buildername": "html"},
        **{
            "confoverrides": configuration(source, files, address),
            "status": None,
            "warning": warnings,
            "freshenv": True,
        },
    )
    app.build()
    if found := warnings.getvalue().strip():
        raise RuntimeError(f"Sphinx warns:\n{found}")


def configuration(source, files, address):
    """Return Sphinx's settings."""
    from site_build.book import look

    return {
        "project": TITLE,
        "html_title": TITLE,
        "language": "en",
        "extensions": list(EXTENSIONS),
        "html_theme": "furo",
        "html_baseurl": address,
        "html_favicon": str(STATIC / "icon.svg"),
        "html_theme_options": {f"{theme}_css_variables": look.variables(theme) for theme in ("light", "dark")},
        "pygments_style": "site_build.book.look.Light",
        "html_static_path": [str(STATIC), str(source / "shared")],
        "html_css_files": [*files.names("css"), "book.css", "chips.css"],
        "html_js_files": [(name, {"defer": "defer"}) for name in (*files.names("js"), "chips.js", "book.js")],
        "html_copy_source": False,
        "html_show_sourcelink": False,
        "html_show_copyright": False,
        "html_show_sphinx": False,
        "nb_execution_mode": "off",
        "myst_heading_anchors": 3,
        "myst_heading_slug_func": "site_build.book.lessons.slug",
        "autodoc_member_order": "bysource",
        "exclude_patterns": ["shared"],
    }
