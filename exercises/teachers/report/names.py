"""Names and texts of learners as anything can print and hold them: a terminal, a page, a spreadsheet."""

FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # what spreadsheets run


def printable(text):
    r"""A text without what no terminal should be sent: what is none, or controls, stands in it as \x1b does.

    So bytes of a file's name that are no UTF-8, which Python keeps as halves of characters.
    """
    return "".join(c if c.isprintable() else escaped(c) for c in text)


def escaped(character):
    r"""A character that is not printed, as \x1b, \u202e or, for a byte that is no text, \xff."""
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def cell(thing):
    """What stands in a cell of a table: no spreadsheet takes it for a formula."""
    text = printable(str(thing))
    return f"'{text}" if text.lstrip(" \u00a0").startswith(FORMULAS) else text
