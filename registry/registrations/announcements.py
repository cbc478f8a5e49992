"""Who is told of a move, and in which words: one mail a person, put in the outbox with the move itself.

The words are `templates/emails/<move>/`. A submission's plain text is posted to the discussion list
(RFC 8141, section 6.2, step 2).
"""

from copy import copy

from django.conf import settings

from registry.accounts.models import User, addresses
from registry.mail import outbox
from registry.record.models import Event
from registry.registrations.models import OPEN_STATES, Registration, Review, State
from registry.registrations.permissions import is_editor, is_expert
from registry.registrations.workflow import moves_open_to


def announce(event: Event, case: Registration) -> None:
    """Put the mails of one move in the outbox, in the caller's transaction."""
    submission = case.submissions.order_by("-round").first()
    if submission is None:
        return  # a draft concerns its editors alone, and they made the move
    context = {"case": case, "event": event, "submission": submission, "origin": settings.PUBLIC_ORIGIN}
    people = editors(case)
    if event.verb != "advise":  # advice changes nobody's turn
        people += next_to_act(case)
    if event.verb == "withdraw":
        people += next_to_act(case, State(event.from_state))
    outbox.post(event.verb, to=addresses(people), context=context, event_number=event.number)
    if event.verb == "submit":
        outbox.post("post_to_list", to=[settings.DISCUSSION_LIST], context=context, event_number=event.number)
    if event.to_state == State.REGISTERED:
        outbox.post(
            "rival_registered", to=addresses(rivals(case)), context=context, event_number=event.number
        )


def editors(case: Registration) -> list[User]:
    return [case.registrant, *(link.user for link in case.co_editors.select_related("user"))]


def next_to_act(case: Registration, state: State | None = None) -> list[User]:
    """Those who hold a role in which a move is open to them, in the state that the case has or had.

    A new round goes back to the experts who had the case, when there are any.
    """
    if state is not None:
        case = copy(case)
        case.state = state
    holders = User.objects.filter(is_active=True, granted_roles__isnull=False).distinct()
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
