"""The lessons' notebooks as sources of the book's pages."""

import nbformat

from site_build import doors
from site_build.book import shared

RUN = "Run this lesson in the browser"


def slug(heading):
    """A heading as the notebooks' links name it: with hyphens for spaces."""
    return heading.replace(" ", "-")


def write(notebooks, folder, files, page):
    """Write executed notebooks, {path: notebook}, as sources. files: the Shared.

    page: the address of a lesson where it runs, with {} for its notebook; "" if there is none.
    """
    for place, notebook in notebooks.items():
        shared.outputs(notebook, files)
        for cell in notebook.cells:
            if cell.cell_type == "markdown":
                cell.source = cell.source.replace("](../README.md#the-lessons)", "](../index.md#The-lessons)")
        notebook.cells[0].source = doors.RUNS.sub("", notebook.cells[0].source, count=1)  # here it is shown as it runs
        if page:
            way = "../" * (1 + len(place.parts)) + page.format(place.as_posix())
            link = f'<p class="bp-run"><a data-runs-lesson href="{way}">{RUN}</a></p>'
            title, rest = notebook.cells[0].source.split("\n", 1)
            notebook.cells[0].source = f"{title}\n\n{link}\n{rest}"
        target = folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, target)
