"""Where a namespace is defined, as IANA's registry cites it: words to show and an address to follow."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

_IS_WEB = re.compile(r"https?://", re.IGNORECASE)
RFC_LABEL = re.compile(r"(RFC|BCP|STD)([0-9]+)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Reference:
    """One of `Namespace.references`. `url` is empty where there is no page to follow."""

    words: str
    url: str


def reference(stored: Mapping[str, str]) -> Reference:
    """The stored {"type", "target", "label"} as words and address. Only web addresses become links."""
    target = stored.get("target", "")
    words = stored.get("label", "") or target
    numbered = RFC_LABEL.fullmatch(words)
    return Reference(
        words=f"{numbered[1]} {numbered[2]}" if numbered else words,
        url=target if _IS_WEB.match(target) else "",
    )
