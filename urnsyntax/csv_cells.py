"""Texts in the cells of CSV files that people open with a spreadsheet, which takes some of them for formulas.

An apostrophe before such a text makes it one (OWASP, CSV Injection).
"""

import re

_FORMULA = re.compile(r"'*[=+\-@\t\r]")


def written(text: str) -> str:
    """The text as a cell: after an apostrophe, if it would be a formula with or without those that it begins with.

    >>> written("=1+1"), written("-7"), written("'=1"), written("'s Gravenhage")
    ("'=1+1", "'-7", "''=1", "'s Gravenhage")
    """
    return f"'{text}" if _FORMULA.match(text) else text


def read(cell: str) -> str:
    """The text of a cell that `written` made.

    >>> read("'=1+1"), read("-7"), read("''=1"), read("'s Gravenhage")
    ('=1+1', '-7', "'=1", "'s Gravenhage")
    """
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
