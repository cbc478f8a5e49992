"""The texts for people are plain English: short sentences on pages and in mails, and no archaic words."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.conf import settings

ROOT = Path(settings.BASE_DIR)
MAX_WORDS = 20
TEXTS = sorted(path for path in (ROOT / "templates").rglob("*") if path.suffix in {".html", ".txt"})
# The texts, and the documentation with the description of the API.
WRITTEN = (
    *TEXTS,
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "registry").rglob("*.md")),
    *sorted((ROOT / "clients").glob("*/README.md")),
)
ARCHAIC = re.compile(
    r"\b(whoever|whatever|somebody|nobody|anybody|everybody|meanwhile|hitherto|besides|for ever|one['’]s own|has to do with"
    r"|(is|are) told)\b",
    re.IGNORECASE,
)
INLINE = {"a", "b", "code", "em", "small", "span", "strong", "time"}
# Between two of these tags, a page shows one text or the other.
SEPARATE = "block|elif|else|empty|endblock|endfor|for|include"


class _Paragraphs(HTMLParser):
    """The text of a page; an element that is not inline ends a paragraph."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.text += "" if tag in INLINE else "\n\n"

    def handle_endtag(self, tag: str) -> None:
        self.text += "" if tag in INLINE else "\n\n"

    def handle_data(self, data: str) -> None:
        self.text += data


def sentences(template: str, *, is_html: bool) -> Iterator[str]:
    """The sentences of a template. A variable counts as one word."""
    text = re.sub(r"\{#.*?#\}", "", template, flags=re.DOTALL)
    text = re.sub(rf"\{{%\s*({SEPARATE})\b.*?%\}}", "\n\n", text, flags=re.DOTALL)
    text = re.sub(r"\{%.*?%\}", "", text, flags=re.DOTALL)
    text = re.sub(r"\{\{.*?\}\}", "X", text, flags=re.DOTALL)
    for paragraph in re.split(r"\n\s*\n", _Paragraphs(text).text if is_html else text):
        yield from (" ".join(each.split()) for each in re.split(r"(?<=[.!?:;·])\s+", paragraph))


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.relative_to(ROOT / "templates").as_posix())
def test_sentences_are_short(path: Path) -> None:
    found = sentences(path.read_text(encoding="utf-8"), is_html=path.suffix == ".html")
    assert [each for each in found if len(each.split()) > MAX_WORDS] == []


def test_a_long_sentence_is_found() -> None:
    words = " ".join(["word"] * MAX_WORDS)
    assert [
        len(each.split()) for each in sentences(f"<p>{words} {{{{ name }}}}.</p>", is_html=True) if each
    ] == [21]
    halves = f"<p>{words}{{% if a %}}.{{% else %}} more.{{% endif %}}</p>"
    assert max(len(each.split()) for each in sentences(halves, is_html=True)) == MAX_WORDS


def test_no_text_has_archaic_words() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in WRITTEN
        for match in ARCHAIC.finditer(path.read_text(encoding="utf-8"))
    ]
    assert found == []
