"""For every operation a request that the registry would grant now: by whom, about what, saying what.

Asked of the database, so that it holds for a registry of a few cases as for one in which thousands of requests
were made.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from itertools import product, zip_longest
from random import Random
from typing import Any

from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from django.db.models import QuerySet
from django.test import override_settings

from registry.accounts.models import Recognition, RoleName, Scope, Token, User
from registry.accounts.tokens import make_token
from registry.api.files import FILES
from registry.api.moves import SAMPLES
from registry.api.problems import all_types
from registry.errors import RegistryError
from registry.namespaces.actions import deprecate, offer_transfer
from registry.namespaces.models import Namespace, Transfer
from registry.namespaces.registering import register_formal, register_informal
from registry.registrations import actions, acts, discussion, editors, permissions
from registry.registrations.drafts import EDITABLE_STATES
from registry.registrations.models import Registration, State, Submission
from registry.registrations.workflow import ACT_BY_NAME, MOVE_BY_NAME, Move
from registry.wsgi import application
from tests.api.conftest import an_imported_namespace
from tests.factories import (
    a_body,
    a_case_in_review,
    a_draft,
    a_person,
    a_submission,
    an_approved_case,
)

CAST: dict[str, tuple[RoleName, ...]] = {
    "registrant": (),
    "co-editor": (),
    "participant": (),
    "expert": (RoleName.EXPERT,),
    "other-expert": (RoleName.EXPERT,),
    "administrator": (RoleName.ADMINISTRATOR,),
    "liaison": (RoleName.LIAISON,),
}
ROLE_OF: dict[Callable[..., bool], str] = {
    permissions.is_registrant: "registrant",
    permissions.is_editor: "registrant",
    permissions.is_expert: "expert",
    permissions.is_administrator: "administrator",
    permissions.is_liaison: "liaison",
    permissions.may_recuse: "other-expert",
}
MOVES: dict[str, Move] = MOVE_BY_NAME | ACT_BY_NAME
OTHERS = {
    "comment": "participant",
    "accept_transfer": "participant",
    "refuse_transfer": "participant",
    "deprecate": "administrator",
}
URN = "urn:isbn:0451450523"
SOME = 20
ANSWERS = ("accept_transfer", "refuse_transfer", "take_back_transfer")
REASON = "Written down for an example."
SAID: dict[str, dict[str, Any]] = SAMPLES | {
    "appeal": {"reason": REASON},
    "return_to_registrant": {"reason": REASON},
    "withdraw": {"reason": REASON},
    "recuse": {"reason": REASON},
    "require_two_experts": {"required": True, "reason": REASON},
    "refuse_transfer": {"reason": REASON},
    "take_back_transfer": {"reason": REASON},
    "revise": {},
    "accept_transfer": {},
    "check": {},
    "offer_transfer": {"to": "participant@example.org", "reason": REASON},
    "deprecate": {"statement": REASON, "successor": "example-trees"},
    "check_urns": {"urns": ["urn:isbn:0451450523", "urn:isbn:", "isbn"]},
    "compare_urns": {"first": "urn:isbn:0451450523", "second": "URN:ISBN:0451450523"},
}


@dataclass(frozen=True, slots=True)
class Grant:
    """What to ask with, besides the address's operation."""

    by: str
    where: Mapping[str, Any] = field(default_factory=dict)
    query: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: dict[str, Any] | None = None


class Scene:
    """A registry in which every operation has something to work on, and people to ask for it."""

    @transaction.atomic
    def __init__(self) -> None:
        self.people = {
            name: a_person(email=f"{name}@example.org", roles=roles) for name, roles in CAST.items()
        }
        self._tokens: dict[tuple[str, Scope | None], tuple[Token, str]] = {}
        self._set_up(**{name.replace("-", "_"): person for name, person in self.people.items()})

    def token(self, name: str, scope: Scope | None = None) -> Token:
        """A token of the person for everything, or for one scope alone."""
        return self._tokens[name, scope][0]

    def credentials(self, name: str, scope: Scope | None = None) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._tokens[name, scope][1]}"}

    def _set_up(
        self,
        *,
        registrant: User,
        expert: User,
        administrator: User,
        participant: User,
        co_editor: User,
        **_others: User,
    ) -> None:
        for (name, person), scope in product(self.people.items(), (None, *Scope)):
            scopes = [scope] if scope else list(Scope)
            made = make_token(by=person, name=f"Example {scope or ''}", scopes=scopes)
            self._tokens[name, scope] = made
        for nid, name in enumerate(("trees", "shrubs", "ferns")):
            register_formal(a_submission(namespace_identifier=f"example-{name}"), registrant=registrant)
            if nid == 1:
                offer_transfer(Namespace.objects.get(nid="example-shrubs"), by=registrant, to=participant)
        register_informal(a_submission(namespace_identifier=""), registrant=registrant)
        isbn = an_imported_namespace(nid="isbn")
        deprecate(isbn, by=administrator, statement=REASON, successor=Namespace.objects.get(number=1))
        a_draft(by=registrant, namespace_identifier="example-drafted")
        self._set_cases(registrant, expert, participant, co_editor)

    def _set_cases(self, registrant: User, expert: User, participant: User, co_editor: User) -> None:
        def asked_for(nid: str, **how: Any) -> Registration:
            return a_case_in_review(by=registrant, namespace_identifier=f"example-{nid}", **how)

        reviewed = asked_for("reviewed")
        discussion.comment(reviewed, by=participant, round_number=1, text=REASON)
        editors.add_co_editor(reviewed, by=registrant, user=co_editor)
        points = {"round_number": 1, "rationale": "", "action_points": [("purpose", REASON)]}
        actions.request_changes(asked_for("returned"), by=expert, **points)
        actions.decline(asked_for("declined"), by=expert, round_number=1, reason=REASON)
        for nid in ("reported", "directed"):
            case = asked_for(nid)
            acts.anticipate_standards_action(case, by=expert, anticipated=True, reason=REASON)
        actions.forward_report(case, by=expert, round_number=1, report=REASON)
        for nid, recognition in (("new", Recognition.PENDING), ("known", Recognition.RECOGNISED)):
            body = a_body(name=f"Example Body {nid.title()}", recognition=recognition)
            body.representatives.add(registrant)
            asked_for(nid, body=body)
        an_approved_case(by=registrant, expert=expert, namespace_identifier="example-approved")

    def grant(self, operation: str, chance: Random, where: Mapping[str, Any] | None = None) -> Grant:
        """What would be granted; about `where`, if that is given, as far as it can be."""
        by = ROLE_OF[MOVES[operation].who] if operation in MOVES else OTHERS.get(operation, "registrant")
        if where is None:
            places = self.places(operation, by)
            where = chance.choice(places) if places else {}
        case = self.case(where.get("number")) if operation not in ANSWERS else None
        query = {"urn": URN} if operation == "urn_by_parameter" else {}
        headers = {"If-Match": "*"} if operation in ("write_draft", "change_draft") else {}
        return Grant(by, where, query, headers, self._body(operation, case, chance))

    def places(self, operation: str, by: str) -> list[dict[str, Any]]:
        """What to ask about: some of what there is, of which the operation holds now."""
        person = self.people[by]
        if operation in MOVES:
            return [{"number": case.pk} for case in _open_to(person, MOVES[operation])]
        if operation in ANSWERS:
            offers = Transfer.objects.waiting().concerning(person).values_list("namespace__nid", "pk")
            return [{"nid": nid, "number": number} for nid, number in offers]
        nids = _namespaces(operation, person).order_by("-pk").values_list("nid", flat=True)[:SOME]
        numbers = _cases(operation, person).order_by("-pk").values_list("pk", flat=True)[:SOME]
        first = {"version": 1, "round": 1, "urn": URN}
        both = zip_longest(nids, numbers, sorted(FILES), sorted(all_types())[:SOME])
        named = (dict(zip(("nid", "number", "file", "slug"), each, strict=True)) for each in both)
        return [first | {name: value for name, value in each.items() if value} for each in named]

    def case(self, number: Any) -> Registration | None:
        is_number = isinstance(number, int) and not isinstance(number, bool) and 0 < number < 2**63
        return Registration.objects.filter(pk=number).first() if is_number else None

    def _body(self, operation: str, case: Registration | None, chance: Random) -> dict[str, Any] | None:
        if operation == "begin":
            return _a_beginning(chance)
        if operation in ("write_draft", "change_draft"):
            return {"sections": _sections(case, chance)}
        if operation == "comment":
            return {"round_number": _round_of(case), "section": "purpose", "text": REASON}
        said = dict(SAID[operation]) if operation in SAID else None
        if said is None or case is None:
            return said
        if "round_number" in said:
            said["round_number"] = _round_of(case)
        if "draft_stamp" in said:
            said["draft_stamp"] = case.draft_stamp
        if operation == "remove_co_editor" and (link := case.co_editors.first()):
            said["email"] = link.user.email
        if operation == "add_co_editor":
            said["email"] = chance.choice(["co-editor@example.org", "liaison@example.org"])
        return said


def _round_of(case: Registration | None) -> int:
    latest: Submission | None = case.latest_submission if case else None
    return latest.round if latest else 1


def _open_to(person: User, move: Move) -> list[Registration]:
    """Cases in which the move is open; drafts, where one can be submitted, so that something new is asked for."""
    sources = {State.DRAFT} if move.name == "submit" else move.sources
    cases = Registration.objects.filter(state__in=sources).select_related("namespace", "body")
    with_all = cases.prefetch_related("co_editors", "recusals").order_by("-pk")[:SOME]
    return [case for case in with_all if _is_open(move, person, case)]


def _is_open(move: Move, person: User, case: Registration) -> bool:
    try:
        move.check_open(person, case)
    except RegistryError:
        return False
    return True


def _namespaces(operation: str, person: User) -> QuerySet[Namespace, Namespace]:
    namespaces = Namespace.objects.all()
    if operation == "deprecate":
        return namespaces.filter(deprecated_at=None).exclude(nid="example-trees")
    if operation == "revise":
        return namespaces.filter(registrant=person)
    if operation == "offer_transfer":
        return namespaces.filter(registrant=person).exclude(
            pk__in=Transfer.objects.waiting().values("namespace")
        )
    return namespaces.exclude(latest=None)


def _cases(operation: str, person: User) -> QuerySet[Registration, Registration]:
    if operation in ("draft", "write_draft", "change_draft", "check", "moves"):
        return Registration.objects.filter(registrant=person, state__in=EDITABLE_STATES)
    public = Registration.objects.public()
    return public.open() if operation == "comment" else public


def _a_beginning(chance: Random) -> dict[str, Any]:
    kind = chance.choice(["formal", "formal", "informal"])
    how = chance.choice([{}, {}, {"procedure": "fast_track", "body": "Example Body New"}])
    sections = a_submission(namespace_identifier=_a_nid(chance) if kind == "formal" else "").to_json()
    return {"kind": kind, "sections": sections, **how}


def _sections(case: Registration | None, chance: Random) -> dict[str, Any]:
    is_revision = case is not None and case.is_revision
    changes = {"revision_information": "Says more of the purpose."} if is_revision else {}
    return a_submission(
        namespace_identifier=_a_nid(chance), purpose=f"Names trees. {chance.random()}", **changes
    ).to_json()


def _a_nid(chance: Random) -> str:
    return f"example-{chance.randrange(10_000)}"


class StillScene(Scene):
    """One that is rolled back after each request, so that it is looked at once."""

    def __init__(self) -> None:
        super().__init__()
        self.places = cache(self.places)  # type: ignore[method-assign]
        self.case = cache(self.case)  # type: ignore[method-assign]


UNLIMITED = {"API_READS_A_MINUTE": 10**9, "API_WRITES_A_MINUTE": 10**9, "ALLOWED_HOSTS": ["localhost"]}


@contextmanager
def a_still_scene() -> Iterator[StillScene]:
    """A scene, and no limit to how much may be asked; all of it is rolled back afterwards."""
    with override_settings(**UNLIMITED), one_connection_throughout(), transaction.atomic():
        yield StillScene()
        transaction.set_rollback(True)


@contextmanager
def one_connection_throughout() -> Iterator[None]:
    """The database is this test's, and stays so from request to request."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    try:
        yield
    finally:
        for signal in (request_started, request_finished):
            signal.connect(close_old_connections)
        application.application.reader.close()
