"""Comparison of states of cases and of registrants with the audit log, from which both follow."""

from collections.abc import Iterator

from registry.audit_log.committed_texts import NamedText, differences, text_check
from registry.audit_log.models import Event
from registry.cases.models import Case, State
from registry.namespaces.models import Namespace
from registry.namespaces.services.registrants import REGISTRANT_EVENTS, controller_after
from registry.organisations.models import NO_CONTROLLER, Controller


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
    """Compare who controls public cases and namespaces: a person or an organisation."""
    of_cases = _controllers_of_cases()

    def recorded() -> Iterator[NamedText]:
        for number, controller in of_cases.items():
            yield f"the registrant of case {number}", str(controller)
        for nid, controller in _controllers_of_namespaces(of_cases).items():
            if controller.is_known:
                yield f"the registrant of “{nid}”", str(controller)

    def stored() -> Iterator[NamedText]:
        cases = Case.objects.public().only("registrant", "organisation")
        for case in cases.iterator():
            yield f"the registrant of case {case.pk}", str(case.controller)
        held = Namespace.objects.exclude(registrant=None, organisation=None)
        for namespace in held.only("nid", "registrant", "organisation").iterator():
            yield f"the registrant of “{namespace.nid}”", str(namespace.controller)

    yield from differences(recorded(), stored())


def _controllers_of_cases() -> dict[int | None, Controller]:
    """The person who submitted the rounds of each case, as its registrant, or the organisation for which they did."""
    rounds = Event.objects.filter(verb="submit").order_by("number")
    return {
        number: Controller(organisation=details["organisation"])
        if "organisation" in details
        else Controller(person=actor)
        for number, actor, details in rounds.values_list("case_number", "actor", "details").iterator()
    }


def _controllers_of_namespaces(of_cases: dict[int | None, Controller]) -> dict[str, Controller]:
    """Who controls each namespace: who registered it first, until a transfer or a claim. A revision changes nothing.

    NO_CONTROLLER if the account was erased.
    """
    found: dict[str, Controller] = {}
    for event in Event.objects.filter(verb__in=("assign", *REGISTRANT_EVENTS)).order_by("number").iterator():
        if event.verb == "assign":
            found.setdefault(event.nid, of_cases.get(event.case_number, NO_CONTROLLER))
        else:
            found[event.nid] = controller_after(event)
    return found
