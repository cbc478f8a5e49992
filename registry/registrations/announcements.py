"""Who is told of what happens in a case, and in which words: one mail a person, put in the outbox with the
change itself.

The words are `templates/emails/<move, act or occasion>/`. A submission's plain text is posted to the
discussion list (RFC 8141, section 6.2, step 2).
"""

from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db.models import Q

from registry.accounts.models import User, addresses
from registry.mail import outbox
from registry.record.models import Event
from registry.registrations.drafts import requested_nid
from registry.registrations.models import OPEN_STATES, Comment, Registration, Review, State
from registry.registrations.permissions import is_editor, is_expert
from registry.registrations.watching import watchers_of
from registry.registrations.workflow import moves_open_to

# They change nobody's turn, so whoever can act is not told once more.
CHANGES_NO_TURN = {"advise", "add_co_editor", "remove_co_editor"}


@dataclass(frozen=True, slots=True)
class Readers:
    """The addresses to which something is told: that it happened, that a rival got the NID, that one came."""

    of_move: list[str]
    who_lost: list[str]
    who_met: list[str]


def readers_of(
    verb: str, case: Registration, *, by: User, before: State | None = None, also: Iterable[User] = ()
) -> Readers:
    """Who is to be told what `by` did in the case, which was `before` where it is no more.

    Its registrant and those who can act next always are; those who watch, unless they did it themselves.
    Asked before the event is written: whoever writes one holds up every other writer until the commit.
    """
    cases = Registration.objects.select_related("registrant")
    case = cases.prefetch_related("co_editors__user", "recusals").get(pk=case.pk)
    people = [case.registrant, *also, *(person for person in watchers_of(case) if person.pk != by.pk)]
    if verb not in CHANGES_NO_TURN:
        people += next_to_act(case)
    if verb == "withdraw":
        people += next_to_act(case, before)
    lost = rivals(case) if case.state == State.REGISTERED and not case.is_revision else []
    met = rivals(case) if verb == "submit" and _asks_anew(case) else []
    return Readers(addresses(people), addresses(lost), addresses(met))


def announce(event: Event, case: Registration, readers: Readers, **more: Any) -> None:
    """Put the mails of one event in the outbox, in the caller's transaction."""
    submission = case.submissions.order_by("-round").first()
    if submission is None:
        return  # a draft concerns its editors alone, and they made the move
    context = {"case": case, "event": event, "submission": submission, "origin": settings.PUBLIC_ORIGIN}
    context |= {"by": event.actor} | more
    outbox.post(event.verb, to=readers.of_move, context=context, event_number=event.number)
    if event.verb == "submit":
        outbox.post("post_to_list", to=[settings.DISCUSSION_LIST], context=context, event_number=event.number)
    outbox.post("rival_registered", to=readers.who_lost, context=context, event_number=event.number)
    outbox.post("rival_submitted", to=readers.who_met, context=context, event_number=event.number)


def tell_editors(verb: str, case: Registration, *, by: User, person: User) -> None:
    """Tell the editors of a draft, of which there is no event, that `person` joined or left them."""
    people = [each for each in [*editors(case), person] if each.pk != by.pk]
    context = {"case": case, "by": by, "person": person, "origin": settings.PUBLIC_ORIGIN}
    outbox.post(verb, to=addresses(people), context=context)


def readers_of_comments(case: Registration, *, by: User) -> list[str]:
    """Those who watch, but for the author."""
    return addresses(person for person in watchers_of(case) if person.pk != by.pk)


def announce_comment(comment: Comment, case: Registration, readers: Iterable[str]) -> None:
    context = {"case": case, "comment": comment, "submission": comment.submission}
    outbox.post("comment", to=readers, context=context | {"origin": settings.PUBLIC_ORIGIN})


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
    """The editors of other open cases that ask for the same NID, or revise the same namespace."""
    if not case.requested_nid:
        return []
    same = Q(requested_nid=case.requested_nid, is_revision=case.is_revision, state__in=OPEN_STATES)
    others = Registration.objects.filter(same).exclude(pk=case.pk).select_related("registrant")
    found = [person for other in others.prefetch_related("co_editors__user") for person in editors(other)]
    return [person for person in found if not is_editor(person, case)]


def _asks_anew(case: Registration) -> bool:
    """Whether the latest round is the first of this case that asks for its NID."""
    earlier = case.submissions.order_by("-round")[1:2].first()
    return earlier is None or requested_nid(case, earlier.submission) != case.requested_nid
