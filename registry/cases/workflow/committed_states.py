"""Comparison of states of cases and of registrants with the audit log, from which both follow."""

from collections.abc import Iterator

from registry.audit_log.committed_texts import NamedText, differences, text_check
from registry.audit_log.models import Event
from registry.cases.models import Case, State
from registry.namespaces.models import Namespace
from registry.namespaces.services.registrants import REGISTRANT_EVENTS


@text_check
def changed_states() -> Iterator[str]:
    def recorded() -> Iterator[NamedText]:
        transitions = Event.objects.filter(case_number__isnull=False).exclude(to_state="")
        latest = transitions.order_by("case_number", "-number").distinct("case_number")
        for number, state in latest.values_list("case_number", "to_state").iterator():
            yield f"the state of case {number}", state

    def stored() -> Iterator[NamedText]:
        for number, state in Case.objects.exclude(state=State.DRAFT).values_list("pk", "state").iterator():
            yield f"the state of case {number}", state

    yield from differences(recorded(), stored())


@text_check
def changed_registrants() -> Iterator[str]:
    """Compare the registrants of public cases and of namespaces."""
    submitters = _submitters()

    def recorded() -> Iterator[NamedText]:
        for number, person in submitters.items():
            yield f"the registrant of case {number}", str(person)
        for nid, person in _registrants(submitters).items():
            if person is not None:
                yield f"the registrant of “{nid}”", str(person)

    def stored() -> Iterator[NamedText]:
        for number, person in Case.objects.public().values_list("pk", "registrant").iterator():
            yield f"the registrant of case {number}", str(person)
        held = Namespace.objects.exclude(registrant=None)
        for nid, holder in held.values_list("nid", "registrant").iterator():
            yield f"the registrant of “{nid}”", str(holder)

    yield from differences(recorded(), stored())


def _submitters() -> dict[int | None, int | None]:
    """The person who submitted the rounds of each case: only its registrant can."""
    rounds = Event.objects.filter(verb="submit").order_by("number")
    return dict(rounds.values_list("case_number", "actor").iterator())


def _registrants(submitters: dict[int | None, int | None]) -> dict[str, int | None]:
    """The registrant of each namespace: who registered it first, until a transfer or a claim. A revision changes nothing.

    None if the account was erased.
    """
    found: dict[str, int | None] = {}
    for event in Event.objects.filter(verb__in=("assign", *REGISTRANT_EVENTS)).order_by("number").iterator():
        if event.verb == "assign":
            found.setdefault(event.nid, submitters.get(event.case_number))
        else:
            found[event.nid] = event.details.get("person")
    return found
