"""Which rows does a batch look up? Only those get contributions. Write down the windows of both names.

A character that is looked up several times still has one row. Don't forget what pads the windows.
"""

untouched = 30 - len(set(".redgrey"))
