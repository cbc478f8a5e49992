"""Which events of all apps are public, and which of their details."""

from registry.audit_log.history import Detail
from registry.audit_log.publicity import PublicEvents
from registry.cases.workflow.declarations.transitions import EVENT_TYPE_BY_NAME
from registry.namespaces.history import event_types

PUBLIC_VERBS = tuple(sorted({*EVENT_TYPE_BY_NAME, *event_types()}))


def details_of(verb: str) -> tuple[Detail, ...]:
    """The details that events with this verb have, public or not."""
    of_case = EVENT_TYPE_BY_NAME.get(verb)
    return of_case.details if of_case else event_types()[verb].details


PUBLIC_EVENTS = PublicEvents(
    of_cases=frozenset(EVENT_TYPE_BY_NAME),
    others=frozenset(event_types()),
    opening="submit",
    # A name is public for all verbs, or for none.
    details=frozenset(each.name for verb in PUBLIC_VERBS for each in details_of(verb) if each.is_public),
)
