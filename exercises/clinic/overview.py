"""`Overview`: the readings of all instruments on a learner's own program, as text and as a table."""

import html
from dataclasses import dataclass, field

from exercises.sandbox.guard import ENDLESS
from exercises.verdicts.results import printable_text

SECONDS, TIMEOUT = 60.0, 300.0  # of CPU time, and of wall-clock time, for one instrument
WIDTHS = ("", "white-space:nowrap", "max-width:46em", "min-width:17em")  # the styles of the table's columns


@dataclass(frozen=True)
class Row:
    """The result of one instrument. dials: [(Dial, its word)]. beside: whether a healthy word is notable, too."""

    title: str
    says: str
    dials: list = ()
    failed: bool = False
    beside: bool = False

    @property
    def sign(self):
        """✓ healthy, ~ noticed (it may be meant), ✗ ill or an error, – if there was nothing to read."""
        if self.failed or any(dial.ill(word) for dial, word in self.dials):
            return "✗"
        if self.beside or any(word in dial.noticed for dial, word in self.dials):
            return "~"
        return "✓" if self.dials else "–"


@dataclass(frozen=True)
class Overview:
    """The results of all instruments on a program. sums: sentences on the whole. readings: {name: Reading}."""

    rows: tuple
    sums: tuple
    readings: dict = field(default_factory=dict)

    def __repr__(self):
        lines = [*self.sums, ""]
        for row in self.rows:
            lines.append(f"{row.sign} {row.title}: {row.says}")
            odd = [(dial, word) for dial, word in row.dials if word not in dial.healthy]
            lines += [f"    {dial.title}: {word}; healthy: {' or '.join(dial.healthy)}" for dial, word in odd]
        return printable_text("\n".join(lines))

    def html(self):
        """Return the Overview as an HTML table, one instrument per row."""
        left = "text-align:left;vertical-align:top"
        head = "".join(f'<th scope="col" style="{left}">{each}</th>' for each in ("", "instrument", "reads", "dials"))
        rows = []
        for row in self.rows:
            dials = "<br>".join(map(dial_html, *zip(*row.dials))) if row.dials else ""
            cells = (row.sign, html.escape(row.title), html.escape(row.says), dials)
            tds = "".join(f'<td style="{left};{more}">{cell}</td>' for more, cell in zip(WIDTHS, cells))
            rows.append(f"<tr>{tds}</tr>")
        sums = "".join(f'<p style="margin:.3em 0;max-width:52em">{html.escape(each)}</p>' for each in self.sums)
        return printable_text(f"{sums}<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>")

    def _repr_mimebundle_(self, **kwargs):
        return {"text/html": self.html(), "text/plain": repr(self)}


def dial_html(dial, word):
    """Return a dial and its word as HTML; if the word is not healthy, add what a healthy program reads."""
    said = html.escape(f"{dial.title}: {word}")
    return said if word in dial.healthy else f"<b>{said}</b>, not “{html.escape(' or '.join(dial.healthy))}”"


def called_off(title, error):
    """Return the Row of an instrument that could not be read."""
    if error.kind == ENDLESS:
        says = f"It had not finished after {SECONDS:g} seconds of work, or {TIMEOUT:g} in all, and was stopped."
        return Row(title, says, failed=True)
    return Row(title, " ".join(error.sentences[1:]), failed=True)
