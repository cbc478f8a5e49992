"""The form that sets the naming rules of a namespace and tests them on names."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django import forms

from registry.accounts.models import User
from registry.core.exceptions import RegistryError
from registry.core.text_limits import MAX_BASIS_LENGTH
from registry.namespaces.forms.changes import ChangeForm
from registry.namespaces.models import Namespace, RulesVersion
from registry.namespaces.rules.naming_rules import Rules, parse_ignored
from registry.namespaces.rules.patterns import parse_pattern
from registry.namespaces.services import rules
from registry.registration_template.checks.example_checks import SECTIONS_WITH_EXAMPLES
from registry.registration_template.checks.examples import find_examples
from urnsyntax import URN, InvalidURN
from urnsyntax.profiles.equivalence import IGNORABLE
from urnsyntax.profiles.grammar.patterns import MAX_PATTERN

MAX_NAMES_TRIED = 50
MAX_LENGTH_TRIED = 20_000
PLAIN = {"autocapitalize": "none", "autocomplete": "off", "spellcheck": "false"}


@dataclass(frozen=True, slots=True)
class Trial:
    """The test result of one line. `same_as` is the number of an earlier line with an equivalent name."""

    number: int
    text: str
    fault: str = ""
    same_as: int | None = None


def trials_of(rules: Rules, namespace: Namespace, lines: list[str]) -> Iterator[Trial]:
    """The test result of each line. A line that does not begin with “urn:” is an NSS of the namespace."""
    seen: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        text = line if line[:4].lower() == "urn:" else f"urn:{namespace.nid}:{line}"
        try:
            urn = URN.parse(text)
        except InvalidURN as fault:
            yield Trial(number, text, f"Not a valid URN: at position {fault.position}, {fault.reason}.")
            continue
        if urn.nid.lower() != namespace.nid:
            yield Trial(number, text, f"This name belongs to another namespace, {urn.nid.lower()}.")
            continue
        first = seen.setdefault(rules.key_of(urn), number)
        yield Trial(number, text, rules.fault_in(urn) or "", None if first == number else first)


class SetRulesForm(ChangeForm):
    label = "Set naming rules"
    button = "Set these rules"
    effect = (
        "Rules describe the structure of names, and which differences are ignored in comparison. "
        "Programs use them to check names. They are public, and every version is kept. "
        "To remove the rules, empty the pattern and both options, and state the basis of the removal."
    )
    success_message = "The rules were set. The registrant was notified by e-mail."
    page = "namespaces/set_rules.html"
    check_who = staticmethod(rules.check_may_set_rules)
    action = staticmethod(rules.set_rules)

    nss_pattern = forms.CharField(
        label="NSS pattern",
        help_text=(
            "An RE2 regular expression that the whole NSS must match, with percent-encodings "
            "in upper case: <code>[0-9]{1,5}:[0-9]+</code>. If empty, every NSS is allowed."
        ),
        max_length=MAX_PATTERN,
        required=False,
        widget=forms.Textarea({"rows": 3, "class": "nid", **PLAIN}),
    )
    ignores_case = forms.BooleanField(
        label="Ignore upper and lower case when names are compared", required=False
    )
    ignored_characters = forms.CharField(
        label="Characters to ignore when names are compared",
        help_text=f"For example, <code>-.</code> for hyphens and full stops. Allowed: <code>{IGNORABLE}</code>".replace(
            "&'", "&amp;'"
        ),
        max_length=len(IGNORABLE),
        required=False,
        widget=forms.TextInput({"class": "nid", **PLAIN}),
    )
    basis = forms.CharField(
        label="Basis in the registration",
        help_text="The section and its text, such as: Syntax, “Names are compared without their hyphens.” This is public.",
        max_length=MAX_BASIS_LENGTH,
        widget=forms.Textarea({"rows": 4}),
    )
    examples = forms.CharField(
        label="Test names",
        help_text="One per line: URNs, or namespace specific strings. Testing changes nothing.",
        max_length=MAX_LENGTH_TRIED,
        required=False,
        widget=forms.Textarea({"rows": 5, "class": "nid", **PLAIN}),
    )
    replaces = forms.IntegerField(widget=forms.HiddenInput, min_value=0)

    def __init__(self, *args: Any, namespace: Namespace, **kwargs: Any) -> None:
        current = namespace.rules_versions.last()
        self.current = current if current and not current.value.is_empty else None
        super().__init__(*args, namespace=namespace, initial=_initial(namespace, current), **kwargs)

    def may_be_tried(self) -> bool:
        """Whether the rules are valid. A test does not need the basis."""
        self.fields["basis"].required = False
        will_do = self.is_valid()
        self.fields["basis"].required = True
        return will_do

    def clean_nss_pattern(self) -> str:
        return self._parsed("nss_pattern", parse_pattern)

    def clean_ignored_characters(self) -> str:
        return self._parsed("ignored_characters", parse_ignored)

    def _parsed(self, name: str, parse: Any) -> str:
        try:
            return str(parse(self.cleaned_data[name]))
        except RegistryError as error:
            raise forms.ValidationError(str(error), code="invalid") from error

    def clean_examples(self) -> str:
        if len(_lines(self.cleaned_data["examples"])) > MAX_NAMES_TRIED:
            raise forms.ValidationError(f"Test at most {MAX_NAMES_TRIED} names at once.", code="too_many")
        return str(self.cleaned_data["examples"])

    @property
    def trials(self) -> list[Trial]:
        """The test results; none if the rules or the names are not valid."""
        typed = self.cleaned_data if self.is_bound else self.initial
        names = ("nss_pattern", "ignores_case", "ignored_characters")
        if self.is_bound and any(name in self.errors for name in (*names, "examples")):
            return []
        rules = Rules(**{name: typed[name] for name in names})
        return list(trials_of(rules, self.namespace, _lines(typed["examples"])))

    @staticmethod
    def check_open(namespace: Namespace) -> None:
        """Rules can be set at any time."""

    def perform(self, *, by: User) -> RulesVersion:
        values = {name: value for name, value in self.cleaned_data.items() if name != "examples"}
        try:
            return self.action(self.namespace, by=by, **values)
        except rules.StaleRules as stale:
            # The page now shows the current rules, so the next attempt replaces those.
            self.data = {**self.data.dict(), "replaces": str(stale.current)}  # type: ignore[attr-defined]
            raise


def _initial(namespace: Namespace, current: RulesVersion | None) -> dict[str, Any]:
    return {
        "nss_pattern": current.nss_pattern if current else "",
        "ignores_case": bool(current and current.ignores_case),
        "ignored_characters": current.ignored_characters if current else "",
        "basis": current.basis if current and not current.value.is_empty else "",
        "examples": "\n".join(_examples_in(namespace)),
        "replaces": current.version if current else 0,
    }


def _examples_in(namespace: Namespace) -> list[str]:
    """The example names in the current registration."""
    if namespace.latest is None:
        return []
    template = namespace.latest.template
    found = (each for key in SECTIONS_WITH_EXAMPLES for each in find_examples(getattr(template, key)))
    own = dict.fromkeys(each.text for each in found if each.nid == namespace.nid)
    return list(own)[:MAX_NAMES_TRIED]


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]
