"""Who gets the mails about a case: its editors, those who are to act, and those who have subscribed.

Only explicit choices are stored. Participation is read from the case, its comments and its events, in one query.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.contrib.postgres.aggregates import ArrayAgg
from django.db import models, transaction
from django.db.models import Exists, OuterRef, QuerySet, prefetch_related_objects

from registry.accounts.models import RoleName, User, verified_addresses
from registry.audit_log.models import Event
from registry.cases.competing_cases import cases_with_similar_nid
from registry.cases.deadlines import WITH_REGISTRANT
from registry.cases.drafts.drafts import requested_nid
from registry.cases.models import (
    PERSONAL_ACTIONS,
    Case,
    CaseQuerySet,
    CoEditor,
    Comment,
    Recusal,
    Review,
    State,
    Subscription,
)
from registry.cases.permissions import is_disinterested, is_editor, is_expert, is_registrant
from registry.cases.workflow.available import transitions_open_in
from registry.cases.workflow.declarations.definition import Audience
from registry.cases.workflow.declarations.transitions import REQUEST_COMPLETION
from registry.core.database.prepared_reader import prepared
from registry.core.exceptions import NotPermitted
from registry.core.names import folded
from registry.mail.kinds import FOLLOWED, KINDS, MENTIONS, OWN_CASES, TASKS, Delivery, MailKind
from registry.mail.models import MailPreference
from registry.organisations.models import EDITING_PARTS, Membership, members_of

Columns = tuple[models.QuerySet[Any], str, str]


def _keys(*sources: Columns, of: str, **which: Any) -> models.QuerySet[Any]:
    """The keys of people (of="person", case=…) or of cases (of="case", person=…) in the union of these rows.

    Each source names its columns for the case and the person.
    """
    first, *rest = (
        rows.filter(**{columns[name]: key for name, key in which.items()}).order_by().values_list(columns[of])
        for rows, columns in ((rows, {"case": case, "person": person}) for rows, case, person in sources)
    )
    return first.union(*rest) if rest else first


def _participant_keys(**which: Any) -> models.QuerySet[Any]:
    """The keys of those who take part in a case, or of the cases in which a person takes part."""
    return _keys(
        (Case.objects.filter(organisation=None), "pk", "registrant"),
        (Membership.objects.current(), "organisation__cases", "user"),
        (CoEditor.objects.all(), "case", "user"),
        (Comment.objects.all(), "round__case", "author"),
        (
            Event.objects.filter(case_number__isnull=False).exclude(verb__in=PERSONAL_ACTIONS),
            "case_number",
            "actor",
        ),
        **which,
    )


def _subscription_keys(**which: Any) -> models.QuerySet[Any]:
    """The keys of the subscribers of a case, or of the cases to which a person is subscribed."""
    unsubscribed = _keys(
        (Subscription.objects.filter(is_stopped=True), "case", "user"),
        (Recusal.objects.all(), "case", "user"),
        **which,
    )
    explicit = _keys((Subscription.objects.filter(is_stopped=False), "case", "user"), **which)
    return explicit.union(_participant_keys(**which).difference(unsubscribed))


@prepared
def _subscribers(case: int) -> models.QuerySet[User]:
    people = User.objects.filter(is_active=True, pk__in=_subscription_keys(of="person", case=case))
    return people.order_by("name", "email")


def subscribers_of(case: Case) -> list[User]:
    return list(User.objects.raw(*_subscribers(case.pk)))


def subscribers_except(case: Case, by: User) -> list[User]:
    return [person for person in subscribers_of(case) if person != by]


def mentioned_in(comment: Comment) -> list[User]:
    """Those who take part in the case and whom a comment mentions: “@” with their whole name, in any case of its letters.

    Also those who unsubscribed; not those who recused themselves or turned such mail off.
    """
    if "@" not in comment.text:
        return []
    case, text = comment.round.case, folded(comment.text)
    people = User.objects.filter(is_active=True, pk__in=_participant_keys(of="person", case=case.pk))
    left = Recusal.objects.filter(case=case).values("user")
    silent = MailPreference.objects.filter(kind=MENTIONS.name, delivery=Delivery.OFF).values("person")
    others = people.exclude(pk=comment.author_id).exclude(pk__in=left).exclude(pk__in=silent).order_by("pk")
    named = {person: folded(str(person)) for person in others}
    longest_first = sorted(named.values(), key=len, reverse=True)
    names = "|".join(map(re.escape, longest_first)) or "(?!)"
    mentioned = set(re.findall(rf"(?<!\w)@({names})(?!\w)", text))
    return [person for person, name in named.items() if name in mentioned]


def subscribed_by(user: User) -> CaseQuerySet:
    """The public cases to which a person is subscribed."""
    return Case.objects.public().filter(pk__in=_subscription_keys(of="case", person=user.pk))


def subscribe(case: Case, *, by: User) -> None:
    """Subscribe `by` to the mail of a public case."""
    _set_subscription(case, by, is_stopped=False)


def unsubscribe(case: Case, *, by: User) -> None:
    """Unsubscribe `by` from the mail of the case, even if they take part in it later.

    The registrant and the people who can act are still notified of transitions.
    """
    _set_subscription(case, by, is_stopped=True)


@transaction.atomic
def _set_subscription(case: Case, by: User, *, is_stopped: bool) -> None:
    if not Case.objects.public().filter(pk=case.pk).exists():
        raise NotPermitted(f"There is no public case {case.pk} to subscribe to.")
    Subscription.objects.update_or_create(case=case, user=by, defaults={"is_stopped": is_stopped})


KIND_BY_AUDIENCE = {
    Audience.REGISTRANT: OWN_CASES,
    Audience.EDITORS_WHO_LOSE_NID: OWN_CASES,
    Audience.EDITORS_WHO_SHARE_NID: OWN_CASES,
    Audience.NEXT_TO_ACT: TASKS,
    Audience.ABLE_TO_ACT: TASKS,
    Audience.PREVIOUSLY_ABLE_TO_ACT: TASKS,
    Audience.LEADERS_OF_SPLIT_EXPERTS: TASKS,
    Audience.SUBSCRIBERS: FOLLOWED,
}


@dataclass(frozen=True, slots=True)
class Recipients:
    """By the name of each mail: its addresses, with the kind of mail that it is for each of them; None: always sent.

    `editors` are the addresses of the editors of the case, whose mails address them as such.
    """

    by_mail: Mapping[str, Mapping[str, MailKind | None]] = field(default_factory=dict)
    editors: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Occasion:
    """An action of `by` in a case that was in the state `before`; `person` is the person whom it concerns, `invited`
    the address that it invites.
    """

    case: Case
    by: User
    before: State
    person: User | None = None
    invited: str = ""


def addresses_of(mails: Mapping[str, Collection[Audience]], occasion: Occasion) -> Recipients:
    """The e-mail addresses of the audiences of each mail, with the kind of mail that it is for each of them."""
    people = {mail: _with_kinds(audiences, occasion) for mail, audiences in mails.items()}
    known = verified_addresses(set().union(*people.values()))
    by_mail = {
        mail: {known[pk]: kind for pk, kind in people[mail].items() if pk in known}
        | dict.fromkeys(_addresses(audiences, occasion))
        for mail, audiences in mails.items()
    }
    return Recipients(by_mail, editor_addresses(occasion.case))


def _with_kinds(audiences: Collection[Audience], occasion: Occasion) -> dict[int, MailKind | None]:
    """The people in these audiences by key, each with the first kind that fits. None comes first: always at once."""
    found: dict[int, MailKind | None] = {}
    order = [None, *KINDS]
    for audience in audiences:
        kind = _kind_of(audience, occasion)
        for person in _people(audience, occasion):
            found[person.pk] = min(kind, found.get(person.pk, kind), key=order.index)
    return found


def _kind_of(audience: Audience, occasion: Occasion) -> MailKind | None:
    """The kind of a mail for this audience. A decision after which it is the registrant's turn is always sent at once."""
    if audience == Audience.REGISTRANT and _asks_registrant(occasion):
        return None
    return KIND_BY_AUDIENCE.get(audience)


def _asks_registrant(occasion: Occasion) -> bool:
    """Whether it is now the registrant's turn. On the fast track, also in review: they request completion."""
    case = occasion.case
    is_returned = case.state != occasion.before and case.state in WITH_REGISTRANT
    return is_returned or (REQUEST_COMPLETION.is_open(case) and not is_registrant(occasion.by, case))


def _addresses(audiences: Collection[Audience], occasion: Occasion) -> list[str]:
    """The addresses of audiences that are not people with accounts."""
    fixed = {Audience.DISCUSSION_LIST: settings.DISCUSSION_LIST, Audience.INVITED_ADDRESS: occasion.invited}
    return [address for audience, address in fixed.items() if audience in audiences]


def _people(audience: Audience, occasion: Occasion) -> Iterable[User]:
    return PEOPLE[audience](occasion) if audience in PEOPLE else ()


def editors(case: Case) -> list[User]:
    """The registrant, or those who edit for the organisation, and the co-editors.

    The number of queries does not depend on the number of co-editors.
    """
    links = list(case.co_editors.all())
    prefetch_related_objects(links, "user")
    first = (
        [case.registrant]
        if case.organisation_id is None
        else list(members_of(case.organisation_id, EDITING_PARTS))
    )
    return [*first, *(link.user for link in links)]


def editor_addresses(case: Case) -> frozenset[str]:
    """The addresses of the editors, verified or not."""
    return frozenset(person.email for person in editors(case))


def holders(case: Case) -> list[User]:
    """The registrant, or all members of the organisation."""
    return [case.registrant] if case.organisation_id is None else list(members_of(case.organisation_id))


def next_to_act(case: Case, state: State | None = None) -> list[User]:
    """The people who can act in `state`, or else in the state of the case.

    A new round goes back to the experts who had the case, when there are any.
    """
    if state is not None:
        case = copy(case)
        case.state = state
    able = able_to_act(case)
    returns = [person for person in able if person.has_reviewed]  # type: ignore[attr-defined]
    return [person for person in able if not (returns and is_expert(person, case)) or person in returns]


@prepared
def _role_holders(case: int) -> QuerySet[User, Any]:
    """The people with roles, their roles, and whether they have reviewed the case."""
    reviews = Review.objects.filter(round__case=case, expert=OuterRef("pk"))
    holders = User.objects.filter(is_active=True, granted_roles__isnull=False)
    return holders.annotate(names_of_roles=ArrayAgg("granted_roles__name"), has_reviewed=Exists(reviews))


def able_to_act(case: Case) -> list[User]:
    """The people with a role in which they can make a transition."""
    permissions = dict.fromkeys(each.permission for each in transitions_open_in(case))
    holders: list[Any] = list(User.objects.raw(*_role_holders(case.pk)))
    for person in holders:
        # Also suspended roles: the mail leads the person to a second factor.
        person.roles = frozenset(person.names_of_roles)
    return [
        person
        for person in holders
        if any(permits(person, case) for permits in permissions) and not is_editor(person, case)
    ]


def competing_editors(case: Case, *, with_similar: bool = False) -> list[User]:
    """The editors of other open cases that ask for the same NID, or a similar one, or revise the same namespace."""
    nid = case.requested_nid
    if not nid:
        return []
    others = Case.objects.open().filter(is_revision=case.is_revision).exclude(pk=case.pk)
    is_similar_enough = with_similar and not case.is_revision
    others = cases_with_similar_nid(nid, others) if is_similar_enough else others.filter(requested_nid=nid)
    others = others.select_related("registrant")
    found = [person for other in others.prefetch_related("co_editors__user") for person in editors(other)]
    return [person for person in found if not is_editor(person, case)]


def _is_first_request_of_nid(case: Case) -> bool:
    """Whether the latest round is the first of this case that asks for its NID."""
    if case.latest_round_number < 2:
        return True
    earlier = case.rounds.order_by("-number")[1:2].first()
    return earlier is None or requested_nid(case, earlier.template) != case.requested_nid


def leaders(is_eligible: Callable[[User], bool] = lambda _: True) -> list[User]:
    """The leaders of the experts; if there are none, the administrators."""
    for role in (RoleName.LEADER, RoleName.ADMINISTRATOR):
        having = User.objects.filter(is_active=True, granted_roles__name=role)
        if found := [person for person in having if is_eligible(person)]:
            return found
    return []


def _are_experts_split(case: Case) -> bool:
    """Whether the latest round has different verdicts, each of which would decide the case."""
    latest = case.rounds.order_by("-number").values("pk")[:1]
    given = Review.objects.deciding().filter(round__in=latest)
    return given.values("verdict").distinct().count() > 1


def _leaders_of_split_experts(occasion: Occasion) -> list[User]:
    """The leaders who can hand the case over: without a conflict of interest, and not the expert who disagreed."""
    if not _are_experts_split(occasion.case):
        return []
    return leaders(lambda person: person != occasion.by and is_disinterested(person, occasion.case))


PEOPLE: Mapping[Audience, Callable[[Occasion], list[User]]] = {
    Audience.REGISTRANT: lambda mailing: holders(mailing.case),
    Audience.SUBSCRIBERS: lambda mailing: subscribers_except(mailing.case, mailing.by),
    Audience.PERSON: lambda mailing: [mailing.person] if mailing.person else [],
    Audience.NEXT_TO_ACT: lambda mailing: next_to_act(mailing.case),
    Audience.ABLE_TO_ACT: lambda mailing: able_to_act(mailing.case),
    Audience.PREVIOUSLY_ABLE_TO_ACT: lambda mailing: next_to_act(mailing.case, mailing.before),
    Audience.LEADERS_OF_SPLIT_EXPERTS: _leaders_of_split_experts,
    Audience.EDITORS_WHO_LOSE_NID: lambda mailing: (
        [] if mailing.case.is_revision else competing_editors(mailing.case)
    ),
    Audience.EDITORS_WHO_SHARE_NID: lambda mailing: (
        competing_editors(mailing.case, with_similar=True) if _is_first_request_of_nid(mailing.case) else []
    ),
}
