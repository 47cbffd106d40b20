"""The lessons' notebooks as sources of the book's pages, without sentences that need a kernel."""

import re

import nbformat

from site_build import doors
from site_build.book import shared

RUN = "Run this lesson in the browser"
ANSWER = re.compile(  # how a check asks for an answer
    r"(?:[Ww]rite your (?:answer|class) in the cell above,?(?: and)? run it|Fix each one, run the cell above), "
    r"then run this cell again\."
)
CASE = re.compile(r"case (\d+) of the bug hunt")
SAID = {  # what lessons say to those who run cells, and what the book says
    "Run one cell at a time with Shift+Enter": "Take one cell at a time",
}


def slug(heading):
    """Return a heading as the notebooks' links name it: with hyphens for spaces."""
    return heading.replace(" ", "-")


def case_link(number, text, way=""):
    """Return the link to a case of the bug hunt. way: from the page to the book's folder, "../" or the like."""
    return f'<a href="{way}bughunt.html#case-{number}">{text}</a>'


def write(notebooks, folder, files, page):
    """Write executed notebooks, {path: notebook}, as sources. files: the Shared.

    page: the address of a page that runs a lesson, with {} for its notebook; "" if there is none.
    """
    for place, notebook in notebooks.items():
        shared.outputs(notebook, files)
        up = "../" * len(place.parts)
        way = page and f"../{up}{page.format(place.as_posix())}"
        for cell in notebook.cells:
            if cell.cell_type == "markdown":
                cell.source = cell.source.replace("/README.md#the-lessons)", "/index.md#The-lessons)")
                cell.source = CASE.sub(case_link(r"\1", r"\g<0>", up), cell.source)
                for said, here in SAID.items():
                    cell.source = cell.source.replace(said, here)
            for output in cell.get("outputs", ()):
                if "text/html" in output.get("data", ()):
                    output.data["text/html"] = without_kernel(output.data["text/html"], way)
        notebook.cells[0].source = doors.RUNS.sub("", notebook.cells[0].source, count=1)  # this page runs it
        if page:
            link = f'<p class="bp-run"><a data-runs-lesson href="{way}">{RUN}</a></p>'
            title, rest = notebook.cells[0].source.split("\n", 1)
            notebook.cells[0].source = f"{title}\n\n{link}\n{rest}"
        target = folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, target)


def without_kernel(page, way):
    """Return an output's HTML without sentences that need a kernel. way: the lesson where it runs, or ""."""
    there = f'<a href="{way}">{RUN}</a> to answer.' if way else "To answer, open the lesson's notebook in JupyterLab."
    return ANSWER.sub(lambda found: there, page)
