"""Each class in a template is in a stylesheet, and each class in a stylesheet is in a template or set by a program."""

import re
from functools import cache

from django.conf import settings

ASSETS = settings.BASE_DIR / "registry" / "assets"
TEMPLATES = settings.BASE_DIR / "templates"
# The pages that these style come from Django and Swagger UI.
OF_OTHERS = {"admin.css", "api.css"}
SET_BY_HTMX = {"htmx-request"}
SET_BY_SCRIPTS = {"kept-text"}
SET_BY_PYTHON = {"item"}  # registry.registration_template.paragraphs
# Look like the element or the base class. The first marks the sentence that only copies have.
UNSTYLED = {"copy", "section-status-to_do", "section-status-unchanged"}


@cache
def styled_classes() -> frozenset[str]:
    sheets = [path.read_text() for path in ASSETS.glob("*.css") if path.name not in OF_OTHERS]
    rules = re.sub(r"/\*.*?\*/", "", "".join(sheets), flags=re.DOTALL)
    return frozenset(re.findall(r"\.([a-z][\w-]*)", re.sub(r"\{[^{}]*\}", "{}", rules)))


@cache
def template_classes() -> frozenset[str]:
    """The classes in templates; “badge-*” for one that ends in a variable."""
    text = "".join(path.read_text() for path in TEMPLATES.rglob("*.*"))
    values = re.findall(r'\bclass="((?:\{%.*?%\}|\{\{.*?\}\}|[^"])*)"', text)
    plain = [re.sub(r"\{\{.*?\}\}", "*", re.sub(r"\{%.*?%\}", " ", value)) for value in values]
    return frozenset(" ".join(plain).split())


def matches(name: str, known: frozenset[str]) -> bool:
    """Whether `name` is known; “*” stands for the end of a class."""
    return any(re.fullmatch(re.escape(each).replace(r"\*", ".+"), name) for each in known if each != "*")


def test_every_class_in_a_template_is_styled() -> None:
    unstyled = [
        each
        for each in template_classes() - UNSTYLED - {"*"}
        if not any(matches(name, frozenset({each})) for name in styled_classes())
    ]
    assert unstyled == []


def test_every_styled_class_is_in_a_template() -> None:
    known = template_classes() | SET_BY_HTMX | SET_BY_SCRIPTS | SET_BY_PYTHON
    assert [each for each in styled_classes() if not matches(each, known)] == []


def test_this_test_sees_an_unknown_class() -> None:
    assert not matches("tally", styled_classes())
    assert matches("badge-approved", frozenset({"badge-*"}))
    assert not matches("approved", frozenset({"badge-*", "*"}))
