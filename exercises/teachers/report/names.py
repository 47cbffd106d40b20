"""Learners' names and texts in a form that is safe to print and store: in a terminal, a page, a spreadsheet."""

FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # what spreadsheets run


def printable(text):
    r"""Escape what should not be sent to a terminal: control characters, say, become \x1b and the like.

    So do bytes of a file's name that are not UTF-8, which Python keeps as lone surrogates.
    """
    return "".join(c if c.isprintable() else escaped(c) for c in text)


def escaped(character):
    r"""Return the escape of an unprintable character: \x1b, \u202e or, for a byte that is no text, \xff."""
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def cell(thing):
    """Return the content of a table's cell, protected so that no spreadsheet takes it for a formula."""
    text = printable(str(thing))
    return f"'{text}" if text.lstrip(" \u00a0").startswith(FORMULAS) else text
