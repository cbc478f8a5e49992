"""The elements of a page that a walk follows and submits."""

import re
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser

# The inputs that a browser submits although nothing was typed.
HIDDEN = {"hidden", "submit"}
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
# The classes with which Django's admin names tables and their columns, which look alike.
NAMES_IN_ADMIN = re.compile(r"\b(app|column|field|model)-[\w-]+")
Kind = tuple[str, ...]


@dataclass(slots=True)
class Form:
    """A POST form: its address, that of htmx, and the values that it submits by itself."""

    action: str
    part_of: str
    sends: dict[str, str] = field(default_factory=dict)


class Elements(HTMLParser):
    """The links, forms and kinds of elements of a page, each kind with its parent, and the addresses of its parts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links, self.posted, self.parts = list[str](), list[Form](), list[str]()
        self.kinds = set[Kind]()
        self._above: list[tuple[str, str]] = [("", "")]
        self._form: Form | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        had = {name: value or "" for name, value in attrs}
        here = (tag, NAMES_IN_ADMIN.sub(r"\1", had.get("class", "")))
        self.kinds.add((*self._above[-1], *here, *sorted(had.keys() - {"class"})))
        if tag not in VOID:
            self._above.append(here)
        self.links += [had[name] for name in ("href", "src") if name in had]
        self.parts += [had["data-hx-get"]] if "data-hx-get" in had else []
        if tag == "form" and had.get("method") == "post":
            self._form = Form(had.get("action", ""), had.get("data-hx-post", ""))
            self.posted.append(self._form)
        elif self._form and "name" in had and _sends_itself(tag, had):
            self._form.sends.setdefault(had["name"], had.get("value", ""))

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None
        tags = [each for each, _ in self._above]
        if tag in tags[1:]:
            del self._above[len(tags) - 1 - tags[::-1].index(tag) :]


def _sends_itself(tag: str, had: dict[str, str]) -> bool:
    """A hidden field, or the button that is pressed."""
    return (tag == "button" and had.get("type", "submit") == "submit") or had.get("type") in HIDDEN


@cache
def elements_of(html: str) -> Elements:
    return Elements(html)
