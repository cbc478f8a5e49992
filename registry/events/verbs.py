"""The types of public events: those of cases, and those of namespaces, with their public details.

An event has one flat object of optional details. A type for each verb would need a discriminator that private events,
which have no verb, lack, and generated clients would choose between thirty types that mostly look the same.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from registry.audit_log.details import Detail
from registry.cases.workflow.definition import CaseAction
from registry.cases.workflow.table import EVENT_TYPE_BY_NAME
from registry.namespaces.history import event_types


@dataclass(frozen=True)
class PublicDetail:
    """A public detail, and the verbs of the events that have it."""

    name: str
    kind: type
    text: str
    verbs: list[str] = field(default_factory=list)

    @property
    def description(self) -> str:
        return f"{self.text} Of {', '.join(f'`{verb}`' for verb in self.verbs)}."


def details_of(verb: str) -> tuple[Detail, ...]:
    """The details that events with this verb have, public or not."""
    of_case = EVENT_TYPE_BY_NAME.get(verb)
    return of_case.details if of_case else event_types()[verb].details


def _description(verb: str) -> str:
    """What happened, and the public details."""
    of_case = EVENT_TYPE_BY_NAME.get(verb)
    if of_case is None:
        happened = str(event_types()[verb].past)
    elif isinstance(of_case, CaseAction):
        happened = of_case.label
    else:  # a function needs an event
        happened = of_case.past if isinstance(of_case.past, str) else verb.replace("_", " ").capitalize()
    names = [f"`{each.name}`" for each in details_of(verb) if each.is_public]
    return happened + (f" (details: {', '.join(names)})" if names else "")


def _public_details() -> Iterator[PublicDetail]:
    found: dict[str, PublicDetail] = {}
    for verb in PUBLIC_VERBS:
        for each in details_of(verb):
            if each.is_public:
                known = found.setdefault(each.name, PublicDetail(each.name, each.kind, each.text))
                known.verbs.append(verb)
    yield from found.values()


PUBLIC_VERBS = tuple(sorted({*EVENT_TYPE_BY_NAME, *event_types()}))
VERB_CHOICES = tuple((verb, _description(verb)) for verb in PUBLIC_VERBS)
DETAILS = {each.name: each for each in _public_details()}
