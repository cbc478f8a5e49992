"""The reasons why a URN is not resolved, each with what a client can do."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from registry.core.exceptions import RegistryError
from registry.core.http.urls import absolute_url
from registry.core.validators import shortened
from registry.namespaces.queries import NotRegistered, similar_registered_nids
from registry.namespaces.suggestions import suggestions_for, suggestions_for_unregistered
from registry.resolution.namespace_data import NamespaceData
from registry.resolution.resolving import Outcome, ResolvedURN, reason_of
from registry.resolution.serializers import ServiceSerializer
from urnsyntax import InvalidURN, NIDKind, classify
from urnsyntax.profiles import Suggestion

EXAMPLES = ("/resolve/urn:isbn:0451450523", "/uri-res/I2L?urn:isbn:0451450523")


class NotAURN(RegistryError):
    """The text is not a URN. `position` is the index of the first invalid character, `rule` the broken rule."""

    status = HTTPStatus.BAD_REQUEST
    title = "This is not a URN"
    slug = "not-a-urn"

    def __init__(self, fault: InvalidURN) -> None:
        super().__init__(str(fault))
        self.fault = fault
        self.suggestions = suggestions_for(fault.text)
        self.members = {
            "urn": shortened(fault.text, 1_000),
            **{name: getattr(fault, name) for name in ("position", "rule", "section", "document", "reason")},
            "did_you_mean": _as_members(self.suggestions),
        }


class URNMissing(RegistryError):
    """The address names no URN. `examples` are addresses that do."""

    status = HTTPStatus.BAD_REQUEST
    title = "No URN in this address"

    def __init__(self) -> None:
        super().__init__("Write a URN at the end of the address, as in the examples.")
        self.members = {"examples": [absolute_url(each) for each in EXAMPLES]}


class NamespaceNotRegistered(NotRegistered):
    """No namespace has the NID of the URN. `similar_nids` lists registered NIDs that look like it."""

    title = "Namespace not registered"

    def __init__(self, resolved: ResolvedURN) -> None:
        super().__init__(resolved.urn.nid.lower())
        similar = sorted(similar_registered_nids(self.nid))
        self.suggestions = suggestions_for_unregistered(resolved.urn) if similar else []
        self.members = {"similar_nids": similar, "did_you_mean": _as_members(self.suggestions)}


class InformalNamespaceNotAssigned(NotRegistered):
    """The NID of the URN is one of an informal namespace whose number is not assigned."""

    title = "Informal namespace not assigned"

    def __init__(self, resolved: ResolvedURN) -> None:
        nid = resolved.urn.nid.lower()
        rule = "The registry assigns the numbers of informal namespaces (RFC 8141, Section 5.2)."
        super().__init__(nid, f"The informal namespace “{nid}” is not assigned. {rule}")


class NotConformant(RegistryError):
    """The URN breaks a rule of its namespace. `repair` is a URN that was probably meant, or null."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "The URN breaks a rule of its namespace"

    def __init__(self, resolved: ResolvedURN) -> None:
        judgement = resolved.judgement
        assert judgement is not None  # nosec B101  # the outcome follows from the judgement
        super().__init__(reason_of(resolved))
        self.members = {
            "urn": str(resolved.urn),
            "reason": judgement.reason,
            "position": judgement.position,
            "rule": judgement.rule,
            "expected": judgement.expected or None,
            "repair": judgement.repair,
        }


class NoServices(RegistryError):
    """The namespace is registered, and the registry knows no services of it. `specifications` say what its names mean."""

    status = HTTPStatus.NOT_FOUND
    title = "No services known"

    def __init__(self, resolved: ResolvedURN) -> None:
        super().__init__(reason_of(resolved))
        self.members = _responsible(_namespace_data_in(resolved))


class NoSuitableService(RegistryError):
    """The services of the namespace are for other names, or of another kind than the request asks for."""

    status = HTTPStatus.NOT_FOUND
    title = "No service for this name"

    def __init__(self, resolved: ResolvedURN) -> None:
        super().__init__(reason_of(resolved))
        self.members = _responsible(_namespace_data_in(resolved))


class NoSafeAddress(RegistryError):
    """The address of each service would be one that servers or clients could understand as another."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "No safe address for this name"

    def __init__(self, resolved: ResolvedURN) -> None:
        reasons = [{"service": each.service.title, "reason": each.reason} for each in resolved.refused]
        super().__init__(reason_of(resolved))
        self.members = {"reasons": reasons}


class ServicesDown(RegistryError):
    """All services for the name have failed for a long time. `since` is the first failure. `services` lists them."""

    status = HTTPStatus.CONFLICT
    title = "The service is down"

    def __init__(self, resolved: ResolvedURN) -> None:
        super().__init__(f"{reason_of(resolved)} You can still try it.")
        self.members = {
            "since": resolved.best[0].health.failing_since,
            "services": ServiceSerializer(resolved.choices, many=True).data,
            **_responsible(_namespace_data_in(resolved)),
        }


class UnknownURIService(RegistryError):
    """There is no such service of RFC 2169 or RFC 2483. `services` lists the names."""

    status = HTTPStatus.NOT_FOUND
    title = "Unknown service"

    def __init__(self, name: str, names: list[str]) -> None:
        fault = f"“{shortened(name)}” is not a service" if name else "The address names no service"
        super().__init__(f"{fault}. Use one of: {', '.join(names)}.")
        self.members = {"services": names}


REFUSALS: Mapping[Outcome, type[RegistryError]] = {
    Outcome.NOT_REGISTERED: NamespaceNotRegistered,
    Outcome.NOT_CONFORMANT: NotConformant,
    Outcome.NO_SERVICES: NoServices,
    Outcome.NO_SUITABLE_SERVICE: NoSuitableService,
    Outcome.NO_SAFE_ADDRESS: NoSafeAddress,
    Outcome.DOWN: ServicesDown,
}


def refusal_of(resolved: ResolvedURN) -> RegistryError | None:
    """Why no service resolves the URN; None if one does."""
    if (
        resolved.outcome == Outcome.NOT_REGISTERED
        and classify(resolved.urn.nid.lower()).kind == NIDKind.INFORMAL
    ):
        return InformalNamespaceNotAssigned(resolved)
    refusal: Any = REFUSALS.get(resolved.outcome)
    return refusal(resolved) if refusal else None


def _namespace_data_in(resolved: ResolvedURN) -> NamespaceData:
    assert resolved.namespace_data is not None  # nosec B101  # only an unregistered namespace has none
    return resolved.namespace_data


def _responsible(namespace_data: NamespaceData) -> dict[str, Any]:
    """Who is responsible for a namespace, and the specifications of its names."""
    profile = namespace_data.profile
    return {
        "nid": namespace_data.nid,
        "organisation": (profile and profile.organisation) or None,
        "homepage": (profile and profile.homepage) or None,
        "specifications": [
            {"title": each.title, "url": each.url or None}
            for each in (profile.specifications if profile else ())
        ],
    }


def _as_members(suggestions: tuple[Suggestion, ...] | list[Suggestion]) -> list[dict[str, str]]:
    return [{"urn": each.urn, "reason": each.reason} for each in suggestions]
