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
from registry.audit_log.models import Event
from registry.cases.drafts.drafts import requested_nid
from registry.cases.models import OPEN_STATES, Case, Comment, Review, State
from registry.cases.notifications.subscriptions import subscribers_of
from registry.cases.permissions import is_editor, is_expert
from registry.cases.workflow.table import transitions_allowed_for
from registry.mail import outbox

# They change nobody's turn, so whoever can act is not told once more.
CHANGES_NO_TURN = {"advise", "add_co_editor", "remove_co_editor"}


@dataclass(frozen=True, slots=True)
class Recipients:
    """The addresses to which something is told: that it happened, that a rival got the NID, that one came."""

    of_transition: list[str]
    of_lost_nid: list[str]
    of_competing_case: list[str]


def recipients_of(
    verb: str, case: Case, *, by: User, before: State | None = None, also: Iterable[User] = ()
) -> Recipients:
    """Who is to be told what `by` did in the case, which was `before` where it is no more.

    Its registrant and those who can act next always are; those who watch, unless they did it themselves.
    Asked before the event is written: whoever writes one holds up every other writer until the commit.
    """
    cases = Case.objects.select_related("registrant")
    case = cases.prefetch_related("co_editors__user", "recusals").get(pk=case.pk)
    people = [case.registrant, *also, *(person for person in subscribers_of(case) if person.pk != by.pk)]
    if verb == "answer_of_first_expert":
        people += able_to_act(case)
    elif verb not in CHANGES_NO_TURN:
        people += next_to_act(case)
    if verb == "withdraw":
        people += next_to_act(case, before)
    lost = competing_editors(case) if case.state == State.REGISTERED and not case.is_revision else []
    met = competing_editors(case) if verb == "submit" and _asks_anew(case) else []
    return Recipients(addresses(people), addresses(lost), addresses(met))


def notify(event: Event, case: Case, recipients: Recipients, **more: Any) -> None:
    """Put the mails of one event in the outbox, in the caller's transaction."""
    round_ = case.rounds.order_by("-number").first()
    if round_ is None:
        return  # a draft concerns its editors alone, and they made the move
    context = {"case": case, "event": event, "round": round_, "origin": settings.PUBLIC_ORIGIN}
    context |= {"by": event.actor} | more
    outbox.post(event.verb, to=recipients.of_transition, context=context, event_number=event.number)
    if event.verb == "submit":
        outbox.post("post_to_list", to=[settings.DISCUSSION_LIST], context=context, event_number=event.number)
    outbox.post(
        "competing_case_registered", to=recipients.of_lost_nid, context=context, event_number=event.number
    )
    outbox.post(
        "competing_case_submitted",
        to=recipients.of_competing_case,
        context=context,
        event_number=event.number,
    )


def notify_editors(verb: str, case: Case, *, by: User, person: User) -> None:
    """Tell the editors of a draft, of which there is no event, that `person` joined or left them."""
    people = [each for each in [*editors(case), person] if each.pk != by.pk]
    context = {"case": case, "by": by, "person": person, "origin": settings.PUBLIC_ORIGIN}
    outbox.post(verb, to=addresses(people), context=context)


def comment_recipients(case: Case, *, by: User) -> list[str]:
    """Those who watch, but for the author."""
    return addresses(person for person in subscribers_of(case) if person.pk != by.pk)


def notify_of_comment(comment: Comment, case: Case, recipients: Iterable[str]) -> None:
    context = {"case": case, "comment": comment, "round": comment.round}
    outbox.post("comment", to=recipients, context=context | {"origin": settings.PUBLIC_ORIGIN})


def editors(case: Case) -> list[User]:
    return [case.registrant, *(link.user for link in case.co_editors.all())]


def next_to_act(case: Case, state: State | None = None) -> list[User]:
    """Those who can act in the state that the case has or had.

    A new round goes back to the experts who had the case, when there are any.
    """
    if state is not None:
        case = copy(case)
        case.state = state
    able = able_to_act(case)
    had_it = set(Review.objects.filter(round__case=case).values_list("expert", flat=True))
    returns = [person for person in able if person.pk in had_it]
    return [person for person in able if not (returns and is_expert(person, case)) or person in returns]


def able_to_act(case: Case) -> list[User]:
    """Those who hold a role in which a move is open to them."""
    holders = User.objects.filter(is_active=True, granted_roles__isnull=False).distinct()
    holders = holders.prefetch_related("granted_roles")
    return [
        person for person in holders if transitions_allowed_for(person, case) and not is_editor(person, case)
    ]


def competing_editors(case: Case) -> list[User]:
    """The editors of other open cases that ask for the same NID, or revise the same namespace."""
    if not case.requested_nid:
        return []
    same = Q(requested_nid=case.requested_nid, is_revision=case.is_revision, state__in=OPEN_STATES)
    others = Case.objects.filter(same).exclude(pk=case.pk).select_related("registrant")
    found = [person for other in others.prefetch_related("co_editors__user") for person in editors(other)]
    return [person for person in found if not is_editor(person, case)]


def _asks_anew(case: Case) -> bool:
    """Whether the latest round is the first of this case that asks for its NID."""
    earlier = case.rounds.order_by("-number")[1:2].first()
    return earlier is None or requested_nid(case, earlier.template) != case.requested_nid
