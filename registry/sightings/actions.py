"""Actions on sightings: report, confirm, decline and remove. With `loading`, the only writers of `Sighting`."""

import re
from collections.abc import Mapping
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.core.validators import URLValidator
from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone

from registry.accounts.gravity import Gravity
from registry.accounts.models import RoleName, User, addresses
from registry.accounts.waiting import Line, WaitingKind, declare
from registry.actions.declarations import Action, ActionContext, Condition, Person, SubjectType
from registry.actions.engine import performs
from registry.actions.parameters import Name, Text
from registry.actions.people import PERSON, is_the_person
from registry.audit_log.history import private
from registry.audit_log.models import Event
from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.names import NameRefused, check_name
from registry.core.validators import (
    MAX_NAME_LENGTH,
    MAX_REASON_LENGTH,
    MAX_REFERENCE_LENGTH,
    TextRefused,
    check_optional_text,
    check_text,
    shortened,
)
from registry.mail import outbox
from registry.namespaces.models import Namespace
from registry.namespaces.queries import nid_in
from registry.sightings.models import (
    MAX_SIGHTED_LENGTH,
    SIGHTED,
    Sighting,
    SightingQuerySet,
    SightingState,
)


class InvalidSighting(TextRefused, RegistryError):
    """The NID, the example or the source of a sighting is not what it should be."""

    title = "Not accepted as a sighting"


class SightedNIDRegistered(RegistryError):
    """A namespace has the NID, so that it can't be an unregistered one."""

    title = "The NID is registered"


class SightingKnown(RegistryError):
    """The use of the NID was already reported from the same source."""

    title = "Already reported"


class SightingDecided(RegistryError):
    """The sighting was decided on in another way, such as by another administrator at the same time."""

    title = "Already decided"


NOT_FOUND = "There is no such sighting."
_has_scheme = re.compile(r"[a-z][a-z0-9+.-]*:\S", re.IGNORECASE)
_is_web_address = URLValidator(schemes=["http", "https"])


class SightingSubject(SubjectType[Sighting]):
    def lock(self, subject: Sighting, by: User | None) -> Sighting:
        found = Sighting.objects.select_for_update().filter(pk=subject.pk).first()
        if found is None:
            raise NotPermitted(NOT_FOUND)
        return found

    def members(self, subject: Sighting) -> Mapping[str, Any]:
        return {"sighting": subject.pk}


def get_sighting(user: Person, pk: int) -> Sighting:
    """Raises NotPermitted unless `user` may see the sighting."""
    found = Sighting.objects.visible_to(user).select_related("reported_by").filter(pk=pk).first()
    if found is None:
        raise NotPermitted(NOT_FOUND)
    return found


def may_decide(user: Person, sighting: Sighting) -> bool:
    """Whether `user` is an administrator, and did not report the sighting."""
    is_administrator = isinstance(user, User) and RoleName.ADMINISTRATOR in user.roles
    return is_administrator and user.pk != sighting.reported_by_id


def _to_decide(user: User) -> SightingQuerySet:
    """The sightings on which `user` decides (`may_decide`)."""
    if RoleName.ADMINISTRATOR not in user.roles:
        return Sighting.objects.none()
    return Sighting.objects.filter(state=SightingState.REPORTED).exclude(reported_by=user)


declare(
    WaitingKind(
        name="sighting",
        label="Sighting to decide on",
        rows=_to_decide,
        show=lambda sighting: Line(
            f"“{sighting.nid}”, used by {sighting.used_by}",
            "check the source, and confirm or decline the sighting.",
            sighting.get_absolute_url(),
        ),
        since="reported_at",
        nid="nid",
        person=F("reported_by__name"),
    )
)


def may_see_reason(user: Person, sighting: Sighting) -> bool:
    return isinstance(user, User) and (user.pk == sighting.reported_by_id or may_decide(user, sighting))


def _mail(event: Event, context: ActionContext[Any]) -> None:
    """Mail the reporter and the administrators."""
    sighting: Sighting = context.result
    people = [*User.objects.holding(RoleName.ADMINISTRATOR)]
    people += [sighting.reported_by] if sighting.reported_by else []
    mailed = {"sighting": sighting, "event": event}
    outbox.post(event.verb, to=addresses(people), context=mailed, event_number=event.number)


SIGHTING = SightingSubject()
SIGHTING_NUMBER = private("sighting", int)
REPORT_SIGHTING = Action[User](
    name="report_sighting",
    label="Report a sighting",
    button="Send the report",
    effect="An administrator checks the source. If the sighting is confirmed, it is public, without your name.",
    success="Your report was sent to the administrators. You get their decision by e-mail.",
    past="Reported a sighting",
    details=(SIGHTING_NUMBER,),
    is_public=False,
    permission=is_the_person,
    gravity=Gravity.ORDINARY,
    limit="sightings",
    parameters=(
        Text(
            "nid",
            "NID",
            "What stands between “urn:” and the next colon.",
            lines=1,
            max_length=MAX_SIGHTED_LENGTH,
            is_identifier=True,
        ),
        Name(
            "used_by",
            "Used by",
            "The software, standard or organisation that uses it.",
            max_length=MAX_NAME_LENGTH,
        ),
        Text(
            "example",
            "Example",
            "A name as it is used, such as urn:acme:part:5.",
            lines=1,
            is_optional=True,
            max_length=MAX_REFERENCE_LENGTH,
            is_identifier=True,
        ),
        Text(
            "source",
            "Source",
            "The web address of a page that shows the use, or a document and its section.",
            lines=1,
            max_length=MAX_REFERENCE_LENGTH,
        ),
    ),
    refusals=(InvalidSighting, NameRefused, SightedNIDRegistered, SightingKnown),
    notify=_mail,
)
UNREGISTERED = Condition[Sighting](
    lambda sighting: not sighting.is_registered,
    lambda sighting: f"“{sighting.nid}” is registered now. Decline the sighting.",
    SightedNIDRegistered,
)


def _is(state: SightingState) -> Condition[Sighting]:
    return Condition(
        lambda sighting: sighting.state == state,
        lambda sighting: f"This sighting of “{sighting.nid}” is {sighting.get_state_display()}.",
        SightingDecided,
    )


# What the decisions of administrators have in common.
on_sighting = partial(
    Action[Sighting],
    details=(SIGHTING_NUMBER,),
    is_public=False,
    permission=may_decide,
    not_permitted=NOT_FOUND,
    gravity=Gravity.DECISION,
    parameters=(
        Text(
            "reason",
            "Reason",
            "What you checked. The person who reported it gets the reason; it is not public.",
            lines=4,
            max_length=MAX_REASON_LENGTH,
        ),
    ),
    notify=_mail,
)
CONFIRM_SIGHTING = on_sighting(
    name="confirm_sighting",
    label="Confirm the sighting",
    effect="The sighting becomes public. It gives the NID no standing.",
    success="The sighting was confirmed, and is public.",
    past="Confirmed a sighting",
    conditions=(_is(SightingState.REPORTED), UNREGISTERED),
)
DECLINE_SIGHTING = on_sighting(
    name="decline_sighting",
    label="Decline the sighting",
    effect="The sighting does not become public. It can be reported again.",
    success="The sighting was declined.",
    past="Declined a sighting",
    conditions=(_is(SightingState.REPORTED),),
    is_grave=True,
)
REMOVE_SIGHTING = on_sighting(
    name="remove_sighting",
    label="Remove the sighting",
    effect="The sighting is no longer public. Loading the list that comes with the registry does not bring it back.",
    success="The sighting was removed.",
    past="Removed a sighting",
    conditions=(_is(SightingState.CONFIRMED),),
    is_grave=True,
)
# The actions on a sighting, by the parts of their addresses, in the order of the buttons.
DECISIONS = {"confirm": CONFIRM_SIGHTING, "decline": DECLINE_SIGHTING, "remove": REMOVE_SIGHTING}


@performs(REPORT_SIGHTING, PERSON)
def report_sighting(
    context: ActionContext[User], *, nid: str, used_by: str, source: str, example: str = ""
) -> Sighting:
    """Report that a NID is in use although no namespace has it."""
    texts = checked_texts(nid=nid, used_by=used_by, source=source, example=example)
    nid = texts["nid"]
    if Namespace.objects.filter(nid=nid).exists():
        raise SightedNIDRegistered(
            f"“{nid}” is registered. Only uses of NIDs without a namespace are reported."
        )
    try:
        with transaction.atomic():
            sighting = Sighting.objects.create(reported_by=context.subject, **texts)
    except IntegrityError as fault:  # one_sighting_per_source
        raise SightingKnown(f"A use of “{nid}” was already reported from this source.") from fault
    context.details = {"sighting": sighting.pk}
    return sighting


def checked_texts(*, nid: str, used_by: str, source: str, example: str) -> dict[str, str]:
    """The texts of a sighting as they are stored. Raises InvalidSighting, NameRefused, and the errors of texts."""
    nid = nid_in(check_text(nid, "the NID", argument="nid"))
    # An address that has the NID as a segment would lead elsewhere with dots alone (RFC 3986, Section 5.2.4).
    if not re.fullmatch(SIGHTED, nid) or not {".", ".."}.isdisjoint(nid.split("/")):
        raise InvalidSighting(
            f"“{shortened(nid)}” can't stand in the place of a NID. Enter what stands between “urn:” and the next colon: "
            f"at most {MAX_SIGHTED_LENGTH} letters, digits and - . _ ~ / +, and not dots alone.",
            argument="nid",
        )
    used_by = check_name(
        used_by, "the name of the software or organisation", longest=MAX_NAME_LENGTH, argument="used_by"
    )
    example = check_optional_text(example, "the example", longest=MAX_REFERENCE_LENGTH, argument="example")
    if example and not re.fullmatch(f"urn:{re.escape(nid)}:[!-~]+", example, re.IGNORECASE):
        raise InvalidSighting(
            f"The example is a name that begins with “urn:{nid}:”, in ASCII without spaces. Correct it, or leave it out.",
            argument="example",
        )
    return {"nid": nid, "used_by": used_by, "example": example, "source": _checked_source(source)}


def _checked_source(source: str) -> str:
    """A web address whose characters all can be seen and told apart, or a text by the rule of names, which have no address."""
    source = check_text(source, "the source", longest=MAX_REFERENCE_LENGTH, argument="source")
    if not _has_scheme.match(source):
        return check_name(source, "the source", longest=MAX_REFERENCE_LENGTH, argument="source")
    try:
        _is_web_address(source)
        is_plain = re.fullmatch("[!-~]+", source) and "@" not in urlsplit(source).netloc
    except ValidationError:
        is_plain = False
    if not is_plain:
        raise InvalidSighting(
            f"“{shortened(source)}” is not a web address in ASCII without a user name. Enter one that begins with https://, "
            "or the source in words.",
            argument="source",
        )
    return source


@performs(CONFIRM_SIGHTING, SIGHTING)
def confirm_sighting(context: ActionContext[Sighting], *, reason: str) -> None:
    """Make a sighting public."""
    _decide(context, SightingState.CONFIRMED, reason)


@performs(DECLINE_SIGHTING, SIGHTING)
def decline_sighting(context: ActionContext[Sighting], *, reason: str) -> None:
    """Keep a reported sighting from the public."""
    _decide(context, SightingState.DECLINED, reason)


@performs(REMOVE_SIGHTING, SIGHTING)
def remove_sighting(context: ActionContext[Sighting], *, reason: str) -> None:
    """Take back that a sighting is public."""
    _decide(context, SightingState.REMOVED, reason)


def _decide(context: ActionContext[Sighting], state: SightingState, reason: str) -> None:
    sighting = context.subject
    reason = check_text(reason, "the reason", longest=MAX_REASON_LENGTH, argument="reason")
    sighting.state, sighting.decided_by, sighting.decided_at = state, context.actor, timezone.now()
    sighting.reason = context.reason = reason
    sighting.save()
