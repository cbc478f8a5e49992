"""The models whose rows are permanent, and a database with such rows."""

from typing import Any

from django.db import models
from django.utils import timezone

from registry.accounts.models import RoleName
from registry.audit_log.models import ChainHead, Cosignature, Event, SignedHead, TileHash, Timestamp
from registry.cases import comments
from registry.cases.models import ActionPoint, Case, Comment, Recusal, Reply, Review, Round
from registry.cases.workflow import functions
from registry.cases.workflow.functions import people
from registry.custody.models import NamespaceClaim
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.models import InformalCounter, Namespace, ProfileVersion, Revision, Transfer
from registry.organisations.actions.organisations import create_organisation
from registry.organisations.models import Membership, Organisation
from registry.registers.actions.registers import change_register, open_register
from registry.registers.actions.requests import accept_request, comment_on_request, request_entry
from registry.registers.models import (
    Entry,
    EntryOffer,
    EntryRequest,
    Register,
    ReplacedRegister,
    RequestComment,
)
from tests.support.factories import a_case_in_review, a_namespace, a_person, a_profile, all_done

IMMUTABLE: list[type[models.Model]] = [
    Revision,
    ProfileVersion,
    Round,
    Review,
    ActionPoint,
    Reply,
    Comment,
    Recusal,
    ReplacedRegister,
    RequestComment,
    Event,
    SignedHead,
    Cosignature,
    Timestamp,
    TileHash,
]
PERMANENT: list[type[models.Model]] = [
    Namespace,
    Case,
    InformalCounter,
    Transfer,
    NamespaceClaim,
    ChainHead,
    Organisation,
    Membership,
    Register,
    EntryRequest,
    Entry,
    EntryOffer,
]

# A column of each, and another value.
CHANGE: dict[type[models.Model], tuple[str, Any]] = {
    Revision: ("text", "Another text."),
    ProfileVersion: ("basis", "Another basis."),
    Round: ("text", "Another text."),
    Review: ("rationale", "Another rationale."),
    ActionPoint: ("text", "Another point."),
    Reply: ("text", "Another answer."),
    Comment: ("text", "Another comment."),
    Recusal: ("reason", "Another reason."),
    ReplacedRegister: ("guidance", "Another guidance."),
    RequestComment: ("text", "Another comment."),
    Event: ("reason", "Another reason."),
    SignedHead: ("note", "Another note."),
    Timestamp: ("reply", "MA=="),
    Cosignature: ("line", "\N{EM DASH} another A="),
    TileHash: ("hash", "f" * 64),
}


def fill() -> None:
    """Create a namespace and a row in every permanent table."""
    registrant = a_person(email="registrant@example.org")
    expert = a_person(email="expert@example.org", roles=(RoleName.EXPERT,))
    administrator = a_person(email="administrator@example.org", roles=(RoleName.ADMINISTRATOR,))
    namespace = a_namespace(by=registrant, expert=expert, administrator=administrator)
    Transfer.objects.create(
        namespace=namespace, offered_by=registrant, email=expert.email, ended_at=timezone.now()
    )
    NamespaceClaim.objects.create(namespace=namespace, claimant=expert, ground="other", statement="Mine.")
    create_organisation(by=registrant, name="Example Arboretum")
    profile = a_profile(levels=[{"name": "garden", "coverage": "free"}])
    set_profile(namespace, by=administrator, profile=profile, basis="Syntax.", replaces=0)
    register = open_register(namespace, by=registrant, policy="closed", title="Gardens")
    change_register(register, by=registrant, policy="expert_review", title="Gardens", replaces=1)
    asked = {"label": "17", "title": "Kew Gardens", "contact": "gardener@example.org", "register_version": 2}
    # Who decided on the namespace does not gain by it.
    requester = a_person(email="requester@example.org")
    request = request_entry(register, by=requester, **asked)
    comment_on_request(request, by=requester, text="It has elms.")
    accept_request(request, by=registrant, revision=1)
    EntryOffer.objects.create(
        entry=Entry.objects.get(), offered_by=expert, email=registrant.email, ended_at=timezone.now()
    )
    case = a_case_in_review(by=registrant, namespace_identifier="example-oaks")
    comments.comment(case, by=expert, round_number=1, section="purpose", text="And elms?")
    case = functions.request_changes(
        case, by=expert, round_number=1, rationale="Nearly.", action_points=[("purpose", "Say who benefits.")]
    )
    case = all_done(case)
    functions.submit(case, by=registrant, draft_stamp=case.draft_stamp)
    people.recuse(case, by=administrator, reason="A friend's case.")
    Cosignature.objects.create(
        head=SignedHead.objects.first(),
        key="witness+00000000+B",
        line="\N{EM DASH} witness A=",
        at=timezone.now(),
    )
    Timestamp.objects.create(
        head=SignedHead.objects.first(), authority="timestamp.example.org", reply="MAA=", at=timezone.now()
    )
    TileHash.objects.create(level=1, index=0, hash="0" * 64)


def rows_of(model: type[models.Model]) -> list[dict[str, Any]]:
    return list(model._default_manager.order_by("pk").values())
