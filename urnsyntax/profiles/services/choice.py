"""The choice of services for a URN.

The r-component is never part of an address, and the q-component only if the service passes it. The f-component is no
data for a service: it stands after the address, as its fragment (RFC 8141, Section 2.3.3).
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from ...urn import URN, normal_nss
from ..errors import InvalidProfile, InvalidRules, UnsafeAddress
from ..verdicts import Verdict
from .forms import FormFunction, form_function
from .service import Service
from .templates import Variable

if TYPE_CHECKING:
    from ..grammar.matching import Grammar
    from ..profile import Names

NSS = "nss"
"""The variable that stands for the whole NSS."""


class ServiceAddress(NamedTuple):
    """A service that applies to a URN, with its address.

    `ignored` lists the names in the r-component that mean nothing to the service. `is_selected` says whether the
    service understands one of them. `ignores_q` says whether the URN has a q-component that the service does not get.
    """

    service: Service
    address: str
    ignored: tuple[str, ...] = ()
    is_selected: bool = False
    ignores_q: bool = False


def distinct(services: Iterable[ServiceAddress]) -> Iterator[ServiceAddress]:
    """The services without those whose kind and address an earlier one has."""
    seen = set()
    for each in services:
        if (what := (each.service.kind, each.address)) not in seen:
            seen.add(what)
            yield each


@dataclass(frozen=True, slots=True)
class RefusedService:
    """A service that applies to a URN, whose address would not be safe, and why."""

    service: Service
    reason: str


@dataclass(frozen=True, slots=True)
class Resolution:
    """The services that apply to a URN, the best first, and those without a safe address."""

    services: tuple[ServiceAddress, ...] = ()
    refused: tuple[RefusedService, ...] = ()


class ServiceFinder:
    """Finds the services of one namespace that apply to a name."""

    def __init__(self, nid: str, names: "Names", services: tuple[Service, ...]) -> None:
        """Raise `InvalidProfile` if a service contradicts itself, or does not fit the namespace."""
        self._names = names
        for index, each in enumerate(services):
            _check_service(each, nid, f"services[{index}]")
        self._bound = [_BoundService(each, names, f"services[{i}]") for i, each in enumerate(services)]
        self._ranked = _ranked(self._bound, ())
        self._parts = frozenset(part for each in self._bound for part in each.parts)
        if names.grammar and self._parts:
            _check_all(names.grammar, self._parts)

    def services_of(self, urn: URN, name: str | None = None) -> "ServicesOfName":
        """The services for a URN of the namespace. The grammar is run here, and not again.

        `name` is the part of the normalized NSS that the rules are for; by default, it is the whole.
        """
        nss = normal_nss(urn.nss) if name is None else name
        parts = self._parts_of(nss)
        # Only a name that matches the grammar has parts.
        rules = self._names.rules
        verdict = rules.verdict_on_match(nss) if len(parts) > 1 else rules.verdict_on(nss)
        parsed = _Name(parts, urn.q_component, _names_in(urn.r_component), urn.f_component)
        ranked = _ranked(self._bound, parsed.r_names) if parsed.r_names else self._ranked
        return ServicesOfName(parsed, verdict, ranked)

    def resolve(self, urn: URN) -> Resolution:
        """The services that apply to a URN of the namespace; none if it breaks the rules of the namespace."""
        return self.services_of(urn).resolution

    def _parts_of(self, nss: str) -> dict[str, list[str]]:
        """The texts of the parts that services use, by the name of the part, and the whole NSS."""
        grammar = self._names.grammar
        parts = {NSS: [nss]}
        if grammar and self._parts and len(nss) <= grammar.longest_nss:
            for part in grammar.parts_of(nss, self._parts):
                parts.setdefault(part.rule, []).append(nss[part.start : part.end])
        return parts


class ServicesOfName:
    """The services of a namespace for one URN, which is judged once.

    No service applies to a name that breaks the rules of the namespace, by its `verdict`, or that a list of sub-namespaces
    forbids; see `conforms`.
    """

    def __init__(
        self,
        name: "_Name",
        verdict: Verdict,
        ranked: "_Ranked",
        below: "tuple[ServicesOfName, ...]" = (),
        *,
        is_forbidden: bool = False,
    ) -> None:
        """`below` are the services of the sub-namespaces that the name belongs to, the innermost first."""
        self.verdict = verdict
        self.conforms = verdict.conformant is not False and not is_forbidden
        self._name = name
        self._ranked = ranked if self.conforms else ()
        self._below = below if self.conforms else ()

    def in_subnamespaces(
        self, below: "tuple[ServicesOfName, ...]", *, is_forbidden: bool
    ) -> "ServicesOfName":
        """The same for a name of these sub-namespaces, or for one that their list forbids."""
        return ServicesOfName(self._name, self.verdict, self._ranked, below, is_forbidden=is_forbidden)

    @property
    def below(self) -> tuple[Service, ...]:
        """All services of the sub-namespaces, the innermost first, whether they apply or not."""
        return tuple(each.service for part in self._below for equal in part._ranked for each in equal)

    @cached_property
    def resolution(self) -> Resolution:
        """All services that apply, the best first, and those without a safe address."""
        ranked = [(part._name, equal) for part in (*self._below, self) for equal in part._ranked]
        found = [each.apply_to(name) for name, equal in ranked for each in equal]
        return Resolution(
            tuple(each for each in found if isinstance(each, ServiceAddress)),
            tuple(each for each in found if isinstance(each, RefusedService)),
        )

    def best(self, wanted: Container[int]) -> tuple[ServiceAddress, ...]:
        """The first of `resolution.services` whose identity (`id`) is wanted, and the wanted ones that are as good as it.

        That is, those of the same namespace or sub-namespace with its priority that understand a name in the r-component or
        not, like it. Services after them are not expanded, so this takes less time.
        """
        for part in (*self._below, self):
            for equal in part._ranked:
                found = [each.apply_to(part._name) for each in equal if id(each.service) in wanted]
                if addresses := tuple(distinct(each for each in found if isinstance(each, ServiceAddress))):
                    return addresses
        return ()


class _BoundService:
    """A service with the functions that compute the values of its variables."""

    def __init__(self, service: Service, names: "Names", at: str) -> None:
        self.service = service
        self.template = service.address_template
        used = [each.name for each in self.template.variables]
        self.parts = frozenset([*used, *service.requires, *service.conditions]) - {NSS}
        for each in self.template.variables:
            _check_part(names, f"{at}.template", each.name, f"column {each.position + 1}")
        for key, parts in (("requires", service.requires), ("only", service.conditions)):
            for part in parts:
                _check_part(names, f"{at}.{key}", part)
        self._forms = [(each.name, tuple(_functions(each, names, at))) for each in self.template.variables]
        self._conditions = tuple((part, each.holds) for part, each in service.conditions.items())
        self._required = frozenset([*service.requires, *service.conditions])

    def rank(self, r_names: tuple[str, ...]) -> tuple[bool, int]:
        """The rank for these names in an r-component: lower ones come first, and services with one rank are equally good."""
        return not any(each in self.service.r_components for each in r_names), self.service.priority

    def apply_to(self, name: "_Name") -> ServiceAddress | RefusedService | None:
        """The address of the service for a name, or why it has none; None if the service does not apply."""
        applies = not self._required or self._applies_to(name)
        values = self._values(name) if applies else None
        if values is None:
            return None
        try:
            address = self.template.expand(values, name.q_component)
        except UnsafeAddress as error:
            return RefusedService(self.service, error.reason)
        address += name.fragment
        ignores_q = name.q_component is not None and not self.service.passes_q
        if not name.r_names:
            return ServiceAddress(self.service, address, ignores_q=ignores_q)
        ignored = tuple(each for each in name.r_names if each not in self.service.r_components)
        return ServiceAddress(self.service, address, ignored, len(ignored) < len(name.r_names), ignores_q)

    def _applies_to(self, name: "_Name") -> bool:
        if not all(map(name.parts.__contains__, self._required)):
            return False
        return all(all(map(holds, name.parts[part])) for part, holds in self._conditions)

    def _values(self, name: "_Name") -> list[str] | None:
        """The value of each variable; None if a part is missing, or has not the form."""
        values = []
        for form in self._forms:
            value = name.value(form)
            if value is None:
                return None
            values.append(value)
        return values


_Ranked = Sequence[Sequence[_BoundService]]
"""Services by rank; those of one rank are equally good."""


def _ranked(services: Sequence[_BoundService], r_names: tuple[str, ...]) -> _Ranked:
    """The services by their rank for these names in an r-component."""

    def rank(each: _BoundService) -> tuple[bool, int]:
        return each.rank(r_names)

    return [list(equal) for _, equal in groupby(sorted(services, key=rank), key=rank)]


_Form = tuple[str, tuple[FormFunction, ...]]
"""A part with the functions of its forms."""


class _Name:
    """What services can use of a URN: the texts of its parts, its q-component, and the names in its r-component.

    `fragment` is the f-component after its “#”, and "" without one.
    """

    __slots__ = ("_values", "fragment", "parts", "q_component", "r_names")

    def __init__(
        self,
        parts: Mapping[str, list[str]],
        q_component: str | None,
        r_names: tuple[str, ...],
        f_component: str | None,
    ) -> None:
        self.fragment = "" if f_component is None else f"#{f_component}"
        self.parts = parts
        self.q_component = q_component
        self.r_names = r_names
        self._values: dict[_Form, str | None] = {}

    def value(self, form: _Form) -> str | None:
        """The value of a part in a form; None if the name does not have the part exactly once."""
        part, functions = form
        texts = self.parts.get(part, ())
        value = texts[0] or None if len(texts) == 1 else None
        if not functions:
            return value
        if form not in self._values:
            for function in functions:
                value = function(value) if value else None
            self._values[form] = value or None
        return self._values[form]


def _functions(variable: Variable, names: "Names", at: str) -> Iterator[FormFunction]:
    for form in variable.forms:
        function = form_function(form, variable.name, names)
        if function is None:
            reason = f"“{variable.name}” has no check digits at its end."
            place = f"column {variable.position + 1}"
            raise InvalidProfile(f"{at}.template", reason, f"Add a check, or remove “:{form}”.", place=place)
        yield function


def _check_all(grammar: "Grammar", parts: frozenset[str]) -> None:
    """Raise `InvalidProfile` if the parts of all services are too many to be found together."""
    try:
        grammar.check_parts(parts)
    except InvalidRules as error:
        raise InvalidProfile.from_rules("services", error) from None


def _check_part(names: "Names", at: str, part: str, place: str = "") -> None:
    """Raise `InvalidProfile` if the names do not have a part."""
    if part == NSS:
        return
    if names.grammar is None:
        advice = f"State the grammar, or use {{{NSS}}} alone."
        raise InvalidProfile(at, f"“{part}” needs a grammar.", advice, place=place)
    if part not in names.grammar.part_names:
        try:
            names.grammar.check_parts([part])
        except InvalidRules as error:
            raise InvalidProfile(at, error.reason, error.advice, place=place) from None


def _names_in(r_component: str | None) -> tuple[str, ...]:
    """The names in an r-component, which is read as ``name=value&…``."""
    if not r_component:
        return ()
    names = (each.partition("=")[0] for each in r_component.split("&"))
    return tuple(dict.fromkeys(filter(None, names)))


def _check_service(service: Service, nid: str, at: str) -> None:
    """Raise `InvalidProfile` if the template of a service contradicts it, or if an example has another NID."""
    if service.passes_q != service.address_template.takes_q:
        advice = "Write {q} in the template and passes_q = true, or neither."
        raise InvalidProfile(f"{at}.passes_q", "The template says otherwise.", advice)
    for number, example in enumerate(service.examples):
        if URN.parse(example).nid.lower() != nid:
            reason = f"“{example}” belongs to another namespace."
            raise InvalidProfile(f"{at}.examples[{number}]", reason, f"Write urn:{nid}: and a name.")
