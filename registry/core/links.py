"""URLs in texts that people wrote, as links."""

import re
from collections.abc import Iterator

from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString

_URL = re.compile(r"\bhttps?://\w[^\s<>\"'\u201c\u201d\u2018\u2019«»`]{1,2000}", re.IGNORECASE)
_OPENER_BY_CLOSER = {")": "(", "]": "[", "}": "{"}


def with_links(text: str) -> SafeString:
    """The text as HTML: escaped, with its web addresses as links, which search engines do not count."""
    return format_html_join("", "{}", ((part,) for part in _parts(text)))


def _parts(text: str) -> Iterator[SafeString]:
    end = 0
    for match in _URL.finditer(text):
        url = _without_punctuation(match[0])
        yield escape(text[end : match.start()])
        yield format_html('<a href="{}" rel="nofollow ugc">{}</a>', url, url)
        end = match.start() + len(url)
    yield escape(text[end:])


def _without_punctuation(url: str) -> str:
    """The URL without the punctuation of the sentence around it."""
    while True:
        opener = _OPENER_BY_CLOSER.get(url[-1])
        if url[-1] not in ".,:;!?" and (opener is None or url.count(url[-1]) <= url.count(opener)):
            return url
        url = url[:-1]
