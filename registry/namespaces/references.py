"""References of a namespace, as in IANA's registry: a text and a link."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

_IS_WEB = re.compile(r"https?://", re.IGNORECASE)
RFC_LABEL = re.compile(r"(RFC|BCP|STD)([0-9]+)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Reference:
    """One of `Namespace.references`. `url` is empty if there is no web page."""

    text: str
    url: str


def reference(stored: Mapping[str, str]) -> Reference:
    """The stored {"type", "target", "label"} as text and URL. Only web addresses become links."""
    target = stored.get("target", "")
    text = stored.get("label", "") or target
    numbered = RFC_LABEL.fullmatch(text)
    return Reference(
        text=f"{numbered[1]} {numbered[2]}" if numbered else text,
        url=target if _IS_WEB.match(target) else "",
    )
