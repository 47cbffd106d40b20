"""The book's search: besides words it finds operators, such as +=."""

import re

from sphinx.search.en import SearchEnglish

OPERATORS = r"[+*/@=]=|\*\*|[+*@]"


class Operators(SearchEnglish):
    """English, with operators as words."""

    js_splitter_code = (
        r"const TERM = new RegExp(String.raw`[\p{Letter}\p{Number}_]+|" + OPERATORS + "`, 'gu');\n"
        "function splitQuery(query) { return query.match(TERM) || []; }"
    )

    def split(self, input):
        return [*super().split(input), *re.findall(OPERATORS, input)]


def setup(app):
    """Register with Sphinx, in the place of its English."""
    app.add_search_language(Operators)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
