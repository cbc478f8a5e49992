"""Who is told of a move, and in which words: one mail a person, put in the outbox with the move itself.

The words are `templates/emails/<move>/`. A submission's plain text is posted to the discussion list
(RFC 8141, section 6.2, step 2).
"""

from django.conf import settings

from registry.accounts.models import RoleName, User, addresses, holding
from registry.mail import outbox
from registry.record.models import Event
from registry.registrations import permissions
from registry.registrations.models import OPEN_STATES, Registration, Review, State

# Who acts next, by the state that a case has come to.
NEXT_ROLE = {
    State.IN_REVIEW: RoleName.EXPERT,
    State.AWAITING_DIRECTION: RoleName.LIAISON,
    State.APPROVED: RoleName.ADMINISTRATOR,
}


def announce(event: Event, case: Registration) -> None:
    """Put the mails of one move in the outbox, in the caller's transaction."""
    submission = case.submissions.order_by("-round").first()
    if submission is None:
        return  # a draft concerns its editors alone, and they made the move
    context = {"case": case, "event": event, "submission": submission, "origin": settings.PUBLIC_ORIGIN}
    people = [*editors(case), *next_to_act(case)]
    outbox.post(event.verb, to=addresses(people), context=context, event_number=event.number)
    if event.verb == "submit":
        outbox.post("post_to_list", to=[settings.DISCUSSION_LIST], context=context, event_number=event.number)
    if event.to_state == State.REGISTERED:
        outbox.post(
            "rival_registered", to=addresses(rivals(case)), context=context, event_number=event.number
        )


def editors(case: Registration) -> list[User]:
    return [case.registrant, *(link.user for link in case.co_editors.select_related("user"))]


def next_to_act(case: Registration) -> list[User]:
    """Those who can make the next move; a new round goes back to the experts who had the case."""
    role = NEXT_ROLE.get(State(case.state))
    if role is None:
        return []
    able = [person for person in holding(role) if permissions.is_disinterested(person, case)]
    if role != RoleName.EXPERT:
        return able
    had_it = set(Review.objects.filter(submission__registration=case).values_list("expert", flat=True))
    return [person for person in able if person.pk in had_it] or able


def rivals(case: Registration) -> list[User]:
    """The editors of other open cases that ask for the NID which this case just registered."""
    if case.is_revision or not case.requested_nid:
        return []
    others = Registration.objects.filter(
        requested_nid=case.requested_nid, state__in=OPEN_STATES, is_revision=False
    ).exclude(pk=case.pk)
    return [person for other in others for person in editors(other)]
