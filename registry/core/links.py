"""What texts that people wrote refer to, as links: web addresses, RFCs and their sections, cases, and URNs."""

import re
from collections.abc import Iterator, Mapping
from urllib.parse import quote

from django.urls import reverse
from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString

# Search engines do not count links with this relation.
REL = "nofollow ugc"
_TEXT = r"[^\s<>\"'\u201c\u201d\u2018\u2019«»`]"
_NUMBERED = r"(?:Section\s+[0-9]+|Appendix\s+(?-i:[A-Z]))(?:\.[0-9]+)*(?!\w)"
_URL = re.compile(rf"\bhttps?://\w{_TEXT}{{1,2000}}", re.IGNORECASE)
REFERENCE = re.compile(
    rf"{_URL.pattern}"
    rf"|(?P<urn>(?<![\w:?+#%/-])urn:[a-z0-9][a-z0-9-]{{0,30}}[a-z0-9]:\w{_TEXT}{{0,2000}})"
    rf"|\bRFC[ -]?(?P<rfc>[0-9]{{1,5}})\b(?:,?\s+(?P<part>{_NUMBERED}))?"
    rf"|\b(?P<part_before>{_NUMBERED})\s+of\s+RFC[ -]?(?P<rfc_after>[0-9]{{1,5}})\b"
    r"|\bcase\s+(?P<case>[1-9][0-9]{0,8})\b",
    re.IGNORECASE,
)
_OPENER_BY_CLOSER = {")": "(", "]": "[", "}": "{"}


def with_links(text: str) -> SafeString:
    """The text as HTML: escaped, with its web addresses as links."""
    return _as_html(links_in(text, _URL))


def with_references(text: str) -> SafeString:
    """Like `with_links`, for pages of this registry: RFCs, cases and URNs are links too."""
    return _as_html(links_in(text))


def links_in(text: str, pattern: re.Pattern[str] = REFERENCE) -> Iterator[tuple[str, str]]:
    """Return the parts of a text, each with the address to which it leads, or ""."""
    end = 0
    for match in pattern.finditer(text):
        found = _without_punctuation(match[0]) if ":" in match[0] else match[0]
        yield text[end : match.start()], ""
        yield found, _address(found, match.groupdict())
        end = match.start() + len(found)
    yield text[end:], ""


def titles_in(text: str, addresses: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Like `links_in`, for titles of sections that are in quotation marks, or beside the word “section”."""
    title = "|".join(map(re.escape, addresses)) or "(?!)"
    pattern = rf"(?<=[“\"])(?:{title})(?=[”\"])|(?<=[Ss]ection )(?:{title})\b|\b(?:{title})(?= section\b)"
    end = 0
    for match in re.finditer(pattern, text):
        yield text[end : match.start()], ""
        yield match[0], addresses[match[0]]
        end = match.end()
    yield text[end:], ""


def _address(found: str, groups: dict[str, str | None]) -> str:
    if groups.get("urn"):
        return f"{reverse('urns:check')}?urn={quote(found, safe=':')}"
    if groups.get("case"):
        return reverse("cases:detail", args=[groups["case"]])
    if number := groups.get("rfc") or groups.get("rfc_after"):
        kind, _, part = " ".join((groups["part"] or groups["part_before"] or "").split()).partition(" ")
        fragment = f"#{kind.lower()}-{part.upper()}" if part else ""
        return f"https://www.rfc-editor.org/rfc/rfc{int(number)}{fragment}"
    return found


def link(text: str, address: str) -> SafeString:
    """A link that someone wrote, as HTML."""
    return format_html('<a href="{}" rel="{}">{}</a>', address, REL, text)


def _as_html(parts: Iterator[tuple[str, str]]) -> SafeString:
    shown = (link(text, address) if address else escape(text) for text, address in parts)
    return format_html_join("", "{}", ((each,) for each in shown))


def _without_punctuation(url: str) -> str:
    """The URL without the punctuation of the sentence around it."""
    while True:
        opener = _OPENER_BY_CLOSER.get(url[-1])
        if url[-1] not in ".,:;!?" and (opener is None or url.count(url[-1]) <= url.count(opener)):
            return url
        url = url[:-1]
