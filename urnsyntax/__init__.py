"""Uniform Resource Names: RFC 8141, its predecessor RFC 2141, and Universal Document Identifiers of 1992.

>>> from urnsyntax import URN, equivalent, is_urn
>>> urn = URN.parse("urn:example:weather?=op=map#today")
>>> urn.nid, urn.nss, urn.q_component
('example', 'weather', 'op=map')
>>> is_urn("urn:example:"), equivalent("URN:EXAMPLE:a", "urn:example:a")
(False, True)

The package needs only the standard library. Further modules are `nid`, `equivalence`, `encoding`, `bulk`,
`text_search`, `resolution`, `confusable_characters`, `recognition`, `rfc2141`, `compatibility` and `udi`.
`profiles` needs two more packages, and `offline` the data of a registry. For the command line, see ``python -m urnsyntax --help``.
"""

from .equivalence import equivalence_key, equivalent
from .errors import InvalidIdentifier, InvalidNID, InvalidURN
from .faults import Fault
from .nid import NIDKind, NIDStatus, classify
from .notes import Note
from .urn import URN, is_urn

__all__ = [
    "URN",
    "Fault",
    "InvalidIdentifier",
    "InvalidNID",
    "InvalidURN",
    "NIDKind",
    "NIDStatus",
    "Note",
    "classify",
    "equivalence_key",
    "equivalent",
    "is_urn",
]
