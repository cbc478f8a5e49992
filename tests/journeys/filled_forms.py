"""The POST forms of a page as a person fills them in: a text in each field, and one submission for each button."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser

# What a person types into an empty field, by the type of the input. It is long enough to be recovered.
TYPED = {
    "": "What a person typed",
    "text": "What a person typed",
    "search": "What a person typed",
    "textarea": "What a person typed in a paragraph",
    "email": "what-was-typed@example.org",
    "url": "https://example.org/what-was-typed",
    "number": "1",
    "date": "2099-01-31",
    "password": "what was typed, in secret",
}
TEXTS = {"", "text", "search", "textarea", "email", "url"}
# What `kept_texts.js` keeps, and the forms that it leaves alone.
KEPT = {"text", "textarea", "email", "url"}
NOT_KEPT = {"data-not-kept", "data-autosaved"}
Attributes = dict[str, str]


@dataclass(slots=True)
class Control:
    """A field of a form: its type, its value, and for a choice the values that are offered."""

    name: str
    type: str
    value: str
    is_chosen: bool = False
    is_secret: bool = False
    options: list[tuple[str, bool]] = field(default_factory=list)


@dataclass(slots=True)
class FilledForm:
    """A form with its address, that of htmx, its fields, and its buttons as pairs of name and value."""

    action: str
    part_of: str
    is_kept: bool
    controls: list[Control] = field(default_factory=list)
    buttons: list[tuple[str, str]] = field(default_factory=list)

    @property
    def has_kept_texts(self) -> bool:
        """Whether the browser keeps a text that a person types into the form."""
        is_secret = any(each.is_secret for each in self.controls)
        return self.is_kept and not is_secret and any(each.type in KEPT for each in self.controls)

    def values(self, typed: Mapping[str, str], suffix: str = "") -> dict[str, list[str]]:
        """What is sent without a button. `typed` replaces values by name; `suffix` is added to each text."""
        sent: dict[str, list[str]] = {}
        for each in self.controls:
            values = [typed[each.name]] if each.name in typed else list(_sent(each))
            if each.type in TEXTS:
                values = [f"{value}{suffix}" for value in values]
            if values and not (each.type == "radio" and each.name in sent):
                sent.setdefault(each.name, []).extend(values)
        return sent

    def texts(self, sent: Mapping[str, list[str]]) -> list[str]:
        """The texts that a person typed or left, of those that are sent."""
        names = dict.fromkeys(each.name for each in self.controls if each.type in TEXTS)
        return [value for name in names for value in sent.get(name, ()) if value.strip()]


def _sent(control: Control) -> Iterator[str]:
    if control.options:
        chosen = [value for value, is_chosen in control.options if is_chosen and value]
        yield from (chosen or [value for value, _ in control.options if value])[:1]
    elif control.type == "checkbox":
        yield from [control.value] if control.is_chosen else []
    elif control.type != "file":
        yield control.value or TYPED.get(control.type, "")


class _Forms(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.forms: list[tuple[str, FilledForm]] = []
        self.controls: list[tuple[str, Control]] = []
        self.buttons: list[tuple[str, tuple[str, str]]] = []
        self._form, self._open = "", None
        self._open: Control | None
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        had = {name: value or "" for name, value in attrs}
        owner = had.get("form", self._form)
        if tag == "form" and had.get("method") == "post":
            self._form = had.get("id") or f"form {len(self.forms)}"
            is_kept = not (NOT_KEPT & had.keys() or "draft" in had.get("class", "").split())
            form = FilledForm(had.get("action", ""), had.get("data-hx-post", ""), is_kept)
            self.forms.append((self._form, form))
        elif tag == "button" and had.get("type", "submit") == "submit" and "disabled" not in had:
            self.buttons.append((owner, (had.get("name", ""), had.get("value", ""))))
        elif tag == "option" and self._open:
            self._open.options.append((had.get("value", ""), "selected" in had))
        elif tag in {"input", "textarea", "select"} and had.get("name") and "readonly" not in had:
            kind = had.get("type", "") if tag == "input" else tag
            value = had.get("value", "on" if kind == "checkbox" else "")
            is_ticked = "checked" in had or (kind == "checkbox" and "required" in had)
            is_secret = kind == "password" or had.get("autocomplete") == "one-time-code"
            control = Control(had["name"], kind, value, is_ticked, is_secret)
            self.controls.append((owner, control))
            self._open = control if tag != "input" else None

    def handle_data(self, data: str) -> None:
        if self._open and self._open.type == "textarea":
            self._open.value += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = ""
        elif tag in {"textarea", "select"} and self._open:
            self._open.value = self._open.value.removeprefix("\n")
            self._open = None


def filled_forms(html: str) -> list[FilledForm]:
    """The POST forms of a page, with the controls that name a form elsewhere on it."""
    found = _Forms(html)
    for owner, form in found.forms:
        # A radio button that is chosen precedes the others of its name, which are then left out.
        form.controls = sorted(
            (each for name, each in found.controls if name == owner), key=lambda each: not each.is_chosen
        )
        form.buttons = list(dict.fromkeys(each for name, each in found.buttons if name == owner))
    return [form for _, form in found.forms]
