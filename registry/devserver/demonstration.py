"""Demonstration data: IANA's registry, accounts for every role, and cases in every state.

Cases are created with the regular actions, from the texts in `fixtures/cases/`, which use example names only. In
an empty registry their dates cover some months, so that some cases are overdue and statistics have content. If
the audit log has events, everything is dated today, because the log is in chronological order.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial

import time_machine
from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.utils import timezone

from registry.accounts.models import Body, Recognition, RoleName, User
from registry.accounts.services.roles import grant_role
from registry.audit_log.models import ChainHead
from registry.cases.discussion import canned_texts, comments
from registry.cases.drafts import drafts
from registry.cases.drafts.replies import DraftReply, open_points_of
from registry.cases.models import CannedText, Case, Outcome
from registry.cases.notifications import subscriptions
from registry.cases.workflow import transitions
from registry.mail import outbox
from registry.mail.models import Message
from registry.namespaces.models import Kind, Namespace
from registry.namespaces.services.rules import set_rules
from registry.publication.iana.file_reader import read_version
from registry.publication.iana.fixtures import IANA_FIXTURE
from registry.publication.iana.importer import import_versions
from registry.publication.models import IanaRegistry
from registry.registration_template.parsing.parser import parse_template
from registry.registration_template.template import RegistrationTemplate

FIXTURES = settings.BASE_DIR / "fixtures"
# The start of the simulated history: the sum of the days in `CASES`, plus half a day.
PAST = timedelta(days=148)
# Advances the simulated time by a number of days.
AdvanceDays = Callable[[float], None]
# The password of all demonstration accounts is printed and not a secret.
PASSWORD = "only-for-trying-out"  # noqa: S105


@dataclass(frozen=True, slots=True)
class DemonstrationAccount:
    """An account to sign in with."""

    email: str
    name: str
    roles: tuple[RoleName, ...]

    @property
    def role_labels(self) -> str:
        return ", ".join(role.label for role in self.roles) or "no role"


@dataclass(slots=True)
class Demonstration:
    """The created data; empty if everything existed."""

    accounts: list[DemonstrationAccount]
    made: list[str] = field(default_factory=list)


@transaction.atomic
def load_demonstration() -> Demonstration:
    """Create missing demonstration data. A second call changes nothing."""
    if ChainHead.objects.get(pk=1).number:
        return _create_missing(lambda days: None)
    with time_machine.travel(timezone.now() - PAST) as traveller:
        return _create_missing(lambda days: traveller.shift(timedelta(days=days)))


def _create_missing(advance_days: AdvanceDays) -> Demonstration:
    demonstration = Demonstration(accounts=_accounts())
    demonstration.made += _import_iana()
    demonstration.made += [f"account {each.email}" for each in demonstration.accounts if _create(each)]
    if not Case.objects.filter(registrant__in=_registrants()).exists():
        demonstration.made += [f"{case} is {case.get_state_display()}" for case in _make_cases(advance_days)]
        demonstration.made += [f"canned text “{text}”" for text in _make_canned_texts()]
    return demonstration


def _accounts() -> list[DemonstrationAccount]:
    people = json.loads((FIXTURES / "people.json").read_text(encoding="utf-8"))
    return [
        DemonstrationAccount(each["email"], each["name"], tuple(RoleName(role) for role in each["roles"]))
        for each in people
    ]


def _import_iana() -> list[str]:
    """Import the fixture, unless a file of the same or a later date has been imported."""
    version = read_version(FIXTURES / IANA_FIXTURE)
    known = IanaRegistry.current()
    if known is not None and known.updated >= version.file.updated:
        return []
    return [str(report) for report in import_versions([version])]


def _create(account: DemonstrationAccount) -> bool:
    """Create the account, its verified address and its roles; return False if it exists."""
    if User.objects.filter(email__iexact=account.email).exists():
        return False
    user = User.objects.create(email=account.email, name=account.name, password=_hashed())
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    for role in account.roles:
        grant_role(user, role, by=None)
    return True


def _hashed() -> str:
    # Hashing is slow by design, so the shared password is hashed once.
    return _HASHED.setdefault(PASSWORD, make_password(PASSWORD))


_HASHED: dict[str, str] = {}


def _registrants() -> list[User]:
    return [_person("registrant"), _person("second-registrant")]


def _person(who: str) -> User:
    return User.objects.get(email=f"{who}@example.org")


def _text(name: str) -> RegistrationTemplate:
    text = parse_template((FIXTURES / "cases" / f"{name}.txt").read_text(encoding="utf-8")).template
    return replace(text, date=timezone.now().date().isoformat())


def _body(name: str, recognition: Recognition, reference: str = "") -> Body:
    body, _ = Body.objects.get_or_create(
        name=name, defaults={"recognition": recognition, "recognition_reference": reference}
    )
    return body


def _make_canned_texts() -> list[CannedText]:
    texts = json.loads((FIXTURES / "canned-texts.json").read_text(encoding="utf-8"))
    known = set(CannedText.objects.values_list("title", flat=True))
    new = [each for each in texts if each["title"] not in known]
    return [canned_texts.keep(by=_person("expert"), **each) for each in new]


def _make_cases(advance_days: AdvanceDays) -> list[Case]:
    last = Message.objects.order_by("pk").last()
    made = [make(advance_days) for make in CASES]
    outbox.discard(Message.objects.filter(pk__gt=last.pk if last else 0))
    return made


def _draft(name: str, who: str, *, kind: Kind = Kind.FORMAL, body: Body | None = None) -> Case:
    return drafts.begin(by=_person(who), kind=kind, body=body, template=_text(name))


def _submitted(name: str, who: str, *, kind: Kind = Kind.FORMAL, body: Body | None = None) -> Case:
    case = _draft(name, who, kind=kind, body=body)
    return transitions.submit(case, by=_person(who), draft_stamp=case.draft_stamp)


def _registered_twice(advance_days: AdvanceDays) -> Case:
    first = _submitted("example-trees-1", "registrant")
    advance_days(9)
    _assigned(first, advance_days, "The names are well thought out, and gardens have asked for them.")
    advance_days(30)
    case = drafts.begin_revision(Namespace.objects.get(nid="example-trees"), by=_person("registrant"))
    case = drafts.save_draft(case, _text("example-trees-2"), by=_person("registrant"), stamp=case.draft_stamp)
    case = transitions.submit(case, by=_person("registrant"), draft_stamp=case.draft_stamp)
    advance_days(6)
    case = _assigned(
        case, advance_days, "Every name of version 1 stays valid, and the differences are described."
    )
    set_rules(
        Namespace.objects.get(nid="example-trees"),
        by=_person("administrator"),
        basis="Syntax, version 2: the grammar, and “the case of the letter does not count”.",
        replaces=0,
        nss_pattern="[1-9][0-9]{0,4}:[1-9][0-9]{0,8}([.][A-Za-z])?",
        ignores_case=True,
    )
    return case


def _assigned(case: Case, advance_days: AdvanceDays, rationale: str) -> Case:
    transitions.approve(case, by=_person("expert"), round_number=1, rationale=rationale)
    advance_days(2)
    return transitions.assign(case, by=_person("administrator"))


def _approved(advance_days: AdvanceDays) -> Case:
    """Create a case in its second round, which replies to the requests of the first."""
    person, reviewer = _person("second-registrant"), _person("second-expert")
    whole = _text("example-museums")
    vague = replace(whole, syntax=whole.syntax.replace(" Names are compared digit by digit.", ""))
    advance_days(1)
    case = drafts.begin(by=person, kind=Kind.FORMAL, template=vague)
    case = transitions.submit(case, by=person, draft_stamp=case.draft_stamp)
    advance_days(3)
    case = transitions.request_changes(
        case,
        by=reviewer,
        round_number=1,
        rationale="Two questions before it goes on.",
        action_points=[
            ("syntax", "Say how two names are compared."),
            ("resolution", "Say whether a resolver is planned."),
        ],
    )
    done, not_done = (point.pk for point in open_points_of(case))
    replies = {
        done: DraftReply(Outcome.DONE, "Digit by digit: the section says so now."),
        not_done: DraftReply(
            Outcome.NOT_DONE, "The pages are all that is planned, so the section stays as it is."
        ),
    }
    advance_days(1)
    case = drafts.save_draft(case, whole, by=person, stamp=case.draft_stamp, replies=replies)
    case = transitions.submit(case, by=person, draft_stamp=case.draft_stamp)
    advance_days(3)
    return transitions.approve(
        case,
        by=reviewer,
        round_number=2,
        rationale="Uniqueness and persistence are explained; the check digit is a good idea.",
    )


def _in_review(advance_days: AdvanceDays) -> Case:
    """Create a case with a discussion that leads to a second round and continues there."""
    advance_days(5)
    case = _submitted("example-bridges", "second-registrant")
    subscriptions.subscribe(case, by=_person("liaison"))
    say = partial(comments.comment, case)
    asked = say(
        by=_person("participant"),
        round_number=1,
        section="purpose",
        text="Are tunnels meant too? Some crossings are half bridge and half tunnel.",
    )
    say(by=_person("expert"), round_number=1, text="A careful request. I will review it this week.")
    advance_days(1)
    template = replace(
        case.draft_template,
        purpose=f"{case.draft_template.purpose}\n\nA crossing that is partly a tunnel is one bridge.",
    )
    registrant = _person("second-registrant")
    case = drafts.save_draft(case, template, by=registrant, stamp=case.draft_stamp)
    case = transitions.submit(case, by=registrant, draft_stamp=case.draft_stamp)
    answer = say(by=registrant, round_number=2, text="They are; the purpose says so now.", answered=asked.pk)
    say(by=_person("participant"), round_number=2, text="Thank you, that is clear.", answered=answer.pk)
    return case


def _informal_in_review(advance_days: AdvanceDays) -> Case:
    """Create a resubmitted case: the second round replies to the first and waits for an expert."""
    person = _person("second-registrant")
    advance_days(2)
    case = _submitted("informal-trails", "second-registrant", kind=Kind.INFORMAL)
    advance_days(2)
    case = transitions.request_changes(
        case,
        by=_person("expert"),
        round_number=1,
        rationale="Almost there.",
        action_points=[("purpose", "Say who is to use the names.")],
    )
    advance_days(3)
    replies = {point.pk: DraftReply(Outcome.DONE) for point in open_points_of(case)}
    template = replace(
        case.draft_template, purpose=f"{case.draft_template.purpose}\n\nAnyone who walks may use the names."
    )
    case = drafts.save_draft(case, template, by=person, stamp=case.draft_stamp, replies=replies)
    return transitions.submit(case, by=person, draft_stamp=case.draft_stamp)


def _changes_requested(advance_days: AdvanceDays) -> Case:
    advance_days(20)
    case = _submitted("example-recipes", "registrant")
    advance_days(10)
    return transitions.request_changes(
        case,
        by=_person("expert"),
        round_number=1,
        rationale="A useful idea. Two sections should say more before it can be approved.",
        action_points=[
            ("syntax", "Say whether leading zeros are allowed, and which components are used."),
            ("assignment", "Say what happens to a number when a book turns out to be catalogued twice."),
        ],
    )


def _declined(advance_days: AdvanceDays) -> Case:
    advance_days(3)
    case = _submitted("example-everything", "registrant")
    advance_days(12)
    return transitions.decline(
        case,
        by=_person("expert"),
        round_number=1,
        reason="Nothing keeps two people from assigning one name to two things, which RFC 8141 rules out.",
    )


def _withdrawn(advance_days: AdvanceDays) -> Case:
    advance_days(2)
    case = _submitted("example-weather", "second-registrant")
    advance_days(5)
    return transitions.withdraw(
        case, by=_person("second-registrant"), reason="The stations will use names that exist already."
    )


def _awaiting_direction(advance_days: AdvanceDays) -> Case:
    advance_days(8)
    case = _draft("example-protocols", "second-registrant")
    person = _person("second-registrant")
    case = drafts.save_draft(
        case, case.draft_template, by=person, stamp=case.draft_stamp, standards_action=True
    )
    case = transitions.submit(case, by=person, draft_stamp=case.draft_stamp)
    advance_days(14)
    return transitions.forward_report(
        case,
        by=_person("expert"),
        round_number=1,
        report="The namespace is sound. Whether the specification goes forward is for the approval body.",
    )


def _fast_track(advance_days: AdvanceDays) -> Case:
    body = _body("Example Standards Body", Recognition.RECOGNISED, "https://example.org/decisions/17")
    body.representatives.add(_person("registrant"))
    advance_days(1)
    case = _submitted("example-beacons", "registrant", body=body)
    advance_days(1)
    return transitions.advise(
        case,
        by=_person("second-expert"),
        round_number=1,
        rationale="Consider to say in the syntax how long a name may be.",
    )


def _fast_track_unrecognised(advance_days: AdvanceDays) -> Case:
    advance_days(1)
    body = _body("Example Society of Timetables", Recognition.PENDING)
    return _submitted("example-timetables", "second-registrant", body=body)


def _begun(advance_days: AdvanceDays) -> Case:
    advance_days(0.5)
    return _draft("example-lighthouses", "registrant")


# In chronological order.
CASES: tuple[Callable[[AdvanceDays], Case], ...] = (
    _registered_twice,
    _declined,
    _withdrawn,
    _changes_requested,
    _awaiting_direction,
    _in_review,
    _informal_in_review,
    _approved,
    _fast_track,
    _fast_track_unrecognised,
    _begun,
)
