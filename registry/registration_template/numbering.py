"""The identifier `urn-N`, which stands for the number of an informal namespace until its registration."""

import re
from dataclasses import replace
from typing import Any

from registry.registration_template.sections import TEXT_SECTIONS
from registry.registration_template.template import RegistrationTemplate

UNNUMBERED_NID = "urn-n"
# Hosts and variables stay as they are.
_UNNUMBERED = re.compile(
    r"(https?://[^/\s]*|\{[^{}\s]*\})|(?<![A-Za-z0-9-])urn-n(?![A-Za-z0-9-])", re.IGNORECASE
)


def numbered(text: str, nid: str) -> str:
    """The text with `nid` in place of `urn-N`."""
    return _UNNUMBERED.sub(lambda found: found[1] or nid, text)


def numbered_template(template: RegistrationTemplate, nid: str) -> RegistrationTemplate:
    """The template with `nid` in place of `urn-N` in its texts, to which the registrant agrees at each submission."""
    texts: dict[str, Any] = {key: numbered(getattr(template, key), nid) for key in TEXT_SECTIONS}
    return replace(template, **texts)
