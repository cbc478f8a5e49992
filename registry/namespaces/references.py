"""Where a namespace is defined, as IANA's registry cites it: words to show and an address to follow."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

_WEB = re.compile(r"https?://", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reference:
    """One of `Namespace.references`. `url` is empty where there is no page to follow."""

    words: str
    url: str


def reference(stored: Mapping[str, str]) -> Reference:
    """The stored {"type", "target", "label"} as words and address. Only web addresses become links."""
    kind, target, label = stored.get("type", ""), stored.get("target", ""), stored.get("label", "")
    match kind:
        case "rfc":
            return Reference(
                label or _spaced(target), f"https://www.rfc-editor.org/{_folder(target)}/{target}"
            )
        case "rfc-errata":
            return Reference(
                label or f"RFC Errata {target}", f"https://www.rfc-editor.org/errata/eid{target}"
            )
        case "draft":
            draft = re.sub(r"^RFC-(draft-)?", "draft-", target)
            return Reference(label or draft, f"https://datatracker.ietf.org/doc/html/{draft}")
        case "registry":
            return Reference(label or target, f"https://www.iana.org/assignments/{target}")
        case "uri" if _WEB.match(target):
            return Reference(label or target, target)
    return Reference(label or target, "")


def _folder(target: str) -> str:
    return "rfc" if target.startswith("rfc") else "info"


def _spaced(target: str) -> str:
    """ "rfc8141" as people write it: "RFC 8141"."""
    return re.sub(r"^([A-Z]+)([0-9]+)$", r"\1 \2", target.upper())
