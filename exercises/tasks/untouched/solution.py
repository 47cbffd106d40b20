"""Which rows does a batch look up? Only those get contributions. Write down the windows of both names.

A sign that is looked up several times still has one row. Do not forget what fills the windows up.
"""

untouched = 30 - len(set(".redgrey"))
