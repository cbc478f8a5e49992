"""The texts for people are plain English: short sentences on pages and in mails, and no archaic words.

The strings of the code are read, too: labels, help texts and the messages of exceptions.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.conf import settings

from tests.contracts.source_code import syntax_tree

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
    r"\b(whoever|whatever|somebody|nobody|anybody|everybody|meanwhile|any ?more|hitherto|besides|for ever|one['’]s own|has to do with"
    r"|(is|are) told)\b",
    re.IGNORECASE,
)
# “has failed since”, not “fails since”.
WRONG_TENSE = re.compile(r"\b(is|are|was|were|fails?|works?)( \w+)? since\b", re.IGNORECASE)
MODULES = sorted(path for package in ("registry", "urnsyntax") for path in (ROOT / package).rglob("*.py"))
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


def strings(module: ast.Module) -> Iterator[str]:
    """The strings of more than one word in a module, except docstrings. An expression counts as one word."""
    left_out: set[ast.AST] = set()
    for node in ast.walk(module):
        match node:
            case ast.Expr(value=ast.Constant() as docstring):
                left_out.add(docstring)
            case ast.JoinedStr(values=parts):
                left_out.update(parts)
                yield "".join(str(each.value) if isinstance(each, ast.Constant) else "X" for each in parts)
            case ast.Constant(value=str(text)) if " " in text and node not in left_out:
                yield text


@cache
def texts() -> list[tuple[Path, str]]:
    written = [(path, path.read_text(encoding="utf-8")) for path in WRITTEN]
    return written + [(path, text) for path in MODULES for text in strings(syntax_tree(path))]


@pytest.mark.parametrize("pattern", [ARCHAIC, WRONG_TENSE], ids=["archaic", "tense"])
def test_no_text_has_archaic_words_or_a_wrong_tense(pattern: re.Pattern[str]) -> None:
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}" for path, text in texts() for match in pattern.finditer(text)
    ]
    assert found == []


def test_the_strings_of_a_module_are_read() -> None:
    module = ast.parse(
        '"""A docstring."""\nraise Wrong(f"{x} is down " "since then.", "one", label="a label")'
    )
    assert list(strings(module)) == ["X is down since then.", "a label"]
    assert WRONG_TENSE.search("X is down since then.")
    assert not WRONG_TENSE.search("X has been down since then.")
