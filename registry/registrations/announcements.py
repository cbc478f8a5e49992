"""Who is told of a move, and in which words: one mail a person, put in the outbox with the move itself.

The words are `templates/emails/<move>/`. A submission's plain text is posted to the discussion list
(RFC 8141, section 6.2, step 2).
"""

from copy import copy
from dataclasses import dataclass

from django.conf import settings

from registry.accounts.models import User, addresses
from registry.mail import outbox
from registry.record.models import Event
from registry.registrations.models import OPEN_STATES, Registration, Review, State
from registry.registrations.permissions import is_editor, is_expert
from registry.registrations.workflow import moves_open_to


@dataclass(frozen=True, slots=True)
class Readers:
    """The addresses that a move is told to, and those of the rivals who lost by it."""

    of_move: list[str]
    rivals: list[str]


def readers_of(verb: str, case: Registration, before: State) -> Readers:
    """Who is to be told of the move that brought `case` from `before` to where it is.

    Asked before the event is written: whoever writes one holds up every other writer until the commit.
    """
    case = Registration.objects.prefetch_related("co_editors__user", "recusals").get(pk=case.pk)
    people = editors(case)
    if verb != "advise":  # advice changes nobody's turn
        people += next_to_act(case)
    if verb == "withdraw":
        people += next_to_act(case, before)
    lost = rivals(case) if case.state == State.REGISTERED else []
    return Readers(addresses(people), addresses(lost))


def announce(event: Event, case: Registration, readers: Readers) -> None:
    """Put the mails of one move in the outbox, in the caller's transaction."""
    submission = case.submissions.order_by("-round").first()
    if submission is None:
        return  # a draft concerns its editors alone, and they made the move
    context = {"case": case, "event": event, "submission": submission, "origin": settings.PUBLIC_ORIGIN}
    outbox.post(event.verb, to=readers.of_move, context=context, event_number=event.number)
    if event.verb == "submit":
        outbox.post("post_to_list", to=[settings.DISCUSSION_LIST], context=context, event_number=event.number)
    outbox.post("rival_registered", to=readers.rivals, context=context, event_number=event.number)


def editors(case: Registration) -> list[User]:
    return [case.registrant, *(link.user for link in case.co_editors.all())]


def next_to_act(case: Registration, state: State | None = None) -> list[User]:
    """Those who hold a role in which a move is open to them, in the state that the case has or had.

    A new round goes back to the experts who had the case, when there are any.
    """
    if state is not None:
        case = copy(case)
        case.state = state
    holders = User.objects.filter(is_active=True, granted_roles__isnull=False).distinct()
    holders = holders.prefetch_related("granted_roles")
    able = [person for person in holders if moves_open_to(person, case) and not is_editor(person, case)]
    had_it = set(Review.objects.filter(submission__registration=case).values_list("expert", flat=True))
    returns = [person for person in able if person.pk in had_it]
    return [person for person in able if not (returns and is_expert(person, case)) or person in returns]


def rivals(case: Registration) -> list[User]:
    """The editors of other open cases that ask for the NID which this case just registered."""
    if case.is_revision or not case.requested_nid:
        return []
    others = Registration.objects.filter(
        requested_nid=case.requested_nid, state__in=OPEN_STATES, is_revision=False
    ).exclude(pk=case.pk)
    return [person for other in others for person in editors(other)]
