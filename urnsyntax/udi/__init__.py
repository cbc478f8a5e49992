"""Universal Document Identifiers, as proposed in 1992: the predecessors of URLs and URNs.

Rule names are those of the BNF in the proposal. Where the BNF contradicts the examples in the proposal, the
examples are accepted, with a note:

* the BNF has no hyphen in ``xalpha``; four of the examples have one (``internet-drafts``);
* the BNF puts a slash between ``gtype`` and ``selector``; the Gopher example has none (``/00/About``).

Where the BNF contradicts the prose, the prose decides:

* the BNF has a user name in ``telnetaddress`` only; the section "Internet protocol parts" has one for every scheme of
  an Internet protocol, so ``http://me@h`` has the user ``me``, with a note;
* the BNF derives ``http://h@`` with the host ``h@``; by the same section, a host must follow the user name;
* the BNF derives ``news:a@`` as a group; by the section "News", the "@" makes it an article, whose host is missing.

A scheme that the BNF describes is read by its own rule only, never as ``generic``: the rest of a UDI has "a
format depending on the scheme".
"""

from .escaping import escape, unescape
from .parsing import UDI, InvalidUDI, parse
from .partial import abbreviate, resolve

__all__ = ["UDI", "InvalidUDI", "abbreviate", "escape", "parse", "resolve", "unescape"]
