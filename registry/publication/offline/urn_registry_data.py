"""Data of a registry of URN namespaces (RFC 8141), for programs without a network. `urnsyntax.offline` answers questions with it.

>>> import urn_registry_data
>>> urn_registry_data.read("namespaces")["isbn"]["kind"]
'formal'

`AS_OF` is the day of the last event of the audit log that the data has (YYYY-MM-DD, in UTC). `HEAD` is the newest published head of
that log, a signed note with its cosignatures; "" without one.
"""

import json
from functools import cache
from importlib.resources import files
from typing import Any

PARTS = ("about", "namespaces", "profiles", "subnamespaces", "unregistered", "proofs")


@cache
def read(name: str) -> Any:
    """Return a part of the data, one of `PARTS`: `unregistered` is a list, and each other part an object. Raises KeyError."""
    if name not in PARTS:
        raise KeyError(f"There is no part “{name}”. The parts are {', '.join(PARTS)}.")
    return json.loads(files(__name__).joinpath(f"{name}.json").read_text("utf-8"))


AS_OF: str
HEAD: str
_ABOUT = {"AS_OF": "as_of", "HEAD": "head"}


def __getattr__(name: str) -> str:
    """Read `AS_OF` or `HEAD` when it is asked for."""
    if name not in _ABOUT:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return str(read("about")[_ABOUT[name]])


def proof(nid: str) -> str | None:
    """Return the proof that the registration of a NID is in the log (https://c2sp.org/tlog-proof); None if the package has none."""
    steps: str | None = read("proofs").get(nid.lower())
    return None if steps is None else f"{steps}{read('about')['head']}"
