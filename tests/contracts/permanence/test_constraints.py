"""The constraints of permanent tables: each is violated once, by its name."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, models, transaction
from django.db.models import F
from django.utils import timezone

from registry.audit_log.models import ChainHead, Cosignature, SignedHead, TileHash, Timestamp
from registry.cases.models import (
    ActionPoint,
    Case,
    CoEditor,
    Comment,
    Invitation,
    Recusal,
    Reply,
    Review,
    Round,
    State,
)
from registry.custody.models import NamespaceClaim
from registry.namespaces.models import InformalCounter, Namespace, ProfileVersion, Revision, Transfer
from registry.organisations.models import Membership, Organisation
from registry.registers.models import Entry, EntryOffer, EntryRequest, Register, ReplacedRegister
from registry.subnamespaces.models import SubNamespace
from tests.contracts.permanence.rows import IMMUTABLE, PERMANENT
from tests.support.databases import in_sql
from tests.support.factories import a_body, a_person, a_profile


def a_namespace_row(**fields: Any) -> Callable[[Namespace], object]:
    return lambda _: Namespace.objects.create(**({"nid": "example-new", "kind": "formal"} | fields))


def an_update(model: type[models.Model], **fields: Any) -> Callable[[Namespace], object]:
    return lambda _: model._default_manager.order_by("pk").update(**fields)


def a_copy(model: type[models.Model], **fields: Any) -> Callable[[Namespace], object]:
    """Return the first row with changed values."""

    def create(_: Namespace) -> None:
        row = model._default_manager.order_by("pk")[0]
        row.pk = None
        for name, value in fields.items():
            setattr(row, name, value)
        row.save(force_insert=True)

    return create


def a_decision_on_an_own_request(namespace: Namespace) -> None:
    a_copy(EntryRequest, requested_by=EntryRequest.objects.get().decided_by)(namespace)


def two_undecided(**fields: Any) -> Callable[[Namespace], object]:
    """Two undecided requests that are equal, but for these values of the second."""

    def create(namespace: Namespace) -> None:
        undecided = {"state": "open", "decided_at": None, "decided_by": None}
        a_copy(EntryRequest, **undecided)(namespace)
        a_copy(EntryRequest, **undecided, **fields)(namespace)

    return create


def a_change(**fields: Any) -> Callable[[Namespace], object]:
    """An undecided change of an entry, with these values."""
    undecided = {"state": "open", "decided_at": None, "decided_by": None}
    change = {"replaces": 1, "status": "deprecated", **undecided, **fields}

    def create(namespace: Namespace) -> None:
        a_copy(EntryRequest, entry=Entry.objects.get(), **change)(namespace)

    return create


def two_undecided_changes(namespace: Namespace) -> None:
    for _ in range(2):
        a_change()(namespace)


def an_entry_that_looks_alike(namespace: Namespace) -> None:
    content = {"prefix": "18", "title": "Another"}
    row = SubNamespace.objects.create(namespace=namespace, key="18", version=2, content=content)
    a_copy(Entry, subnamespace=row)(namespace)


def a_recall_of_an_entry_without_a_holder(_: Namespace) -> None:
    Entry.objects.update(person=None, organisation=None, recall_ends_at=timezone.now())


def an_entry_of_two(_: Namespace) -> None:
    Entry.objects.update(organisation=Organisation.objects.get())


def a_register_of_a_branch_without_an_entry(_: Namespace) -> None:
    Register.objects.update(branch=Entry.objects.get())


def two_open_offers(namespace: Namespace) -> None:
    for _ in range(2):
        a_copy(EntryOffer, ended_at=None)(namespace)


def a_comment_before_the_one_it_answers(_: Namespace) -> None:
    first = Comment.objects.order_by("pk")[0]
    Comment.objects.create(
        pk=first.pk - 1, round=first.round, author=first.author, text="Too.", reply_to=first
    )


def a_namespace_of_two(namespace: Namespace) -> None:
    Namespace.objects.filter(pk=namespace.pk).update(organisation=Organisation.objects.get())


def a_number_twice(_: Namespace) -> None:
    """Test the trigger behind the NID constraint, which would otherwise reject the row first."""
    in_sql("DROP INDEX one_namespace_per_nid")
    for _ in range(2):
        Namespace.objects.create(nid="urn-7", kind="informal", number=7)


def two_offers(namespace: Namespace) -> None:
    offer = {"namespace": namespace, "offered_by": namespace.registrant, "email": "heir@example.org"}
    Transfer.objects.create(**offer)
    Transfer.objects.create(**offer)


def an_accepted_offer_that_waits(namespace: Namespace) -> None:
    registrant = namespace.registrant
    Transfer.objects.create(
        namespace=namespace, offered_by=registrant, email=registrant.email, is_accepted=True
    )


def a_co_editor_twice(namespace: Namespace) -> None:
    case = namespace.cases.get()
    for _ in range(2):
        CoEditor.objects.create(case=case, user=case.registrant)


def an_invitation_twice(namespace: Namespace) -> None:
    case = namespace.cases.get()
    for email in ("invited@example.org", "Invited@EXAMPLE.org"):
        Invitation.objects.create(case=case, invited_by=case.registrant, email=email)


def an_invitation_by_no_one(namespace: Namespace) -> None:
    Invitation.objects.create(case=namespace.cases.get(), email="invited@example.org")


NOW = timezone.now()
ANNOUNCED = {
    # Replaced by an administrator.
    "announced_by": models.F("decided_by"),
    "announced_at": NOW,
    "objections_until": NOW + timedelta(days=1),
}
APPROVED = {"status": "approved", "ended_at": NOW, "replaced_event": 0}


def two_claims(**fields: Any) -> Callable[[Namespace], object]:
    """Two claims of different people, on which a third decided."""

    def create(namespace: Namespace) -> None:
        administrator, other = (a_person(email=f"{who}@example.com") for who in ("administrator", "other"))
        values = {
            key: administrator if isinstance(value, models.F) else value for key, value in fields.items()
        }
        if "replaced_event" in values:
            values["decided_by"] = administrator
        for person in (namespace.registrant, other):
            NamespaceClaim.objects.create(
                namespace=namespace, claimant=person, ground="other", statement="Mine.", **values
            )

    return create


def two_recoveries(namespace: Namespace) -> None:
    """Of one organisation, announced on two of its namespaces."""
    announced = ANNOUNCED | {"announced_by": a_person(email="administrator@example.com")}
    for each in (namespace, Namespace.objects.create(nid="example-other", kind="formal")):
        NamespaceClaim.objects.create(
            namespace=each,
            claimant=namespace.registrant,
            organisation=Organisation.objects.get(),
            is_recovery=True,
            ground="other",
            statement="Mine.",
            status="announced",
            **announced,
        )


CONSTRAINTS: list[tuple[str, Callable[[Namespace], object]]] = [
    ("one_namespace_per_nid", a_namespace_row(nid="example-trees")),
    ("one_namespace_per_number", a_number_twice),
    ("nid_is_well_formed", a_namespace_row(nid="Example-New")),
    ("nid_is_well_formed", a_namespace_row(nid="example_new")),
    ("nid_is_well_formed", a_namespace_row(nid="example-new\n")),
    ("nid_is_well_formed", a_namespace_row(nid="exämple")),
    ("nid_is_well_formed", a_namespace_row(nid="example٣")),
    ("nid_is_well_formed", a_namespace_row(nid="")),
    ("nid_matches_kind", a_namespace_row(nid="urn-7")),
    ("nid_matches_kind", a_namespace_row(kind="informal")),
    ("nid_matches_kind", a_namespace_row(nid="urn-7", kind="informal", number=8)),
    ("nid_matches_kind", a_namespace_row(nid="urn-07", kind="informal", number=7)),
    ("nid_matches_kind", a_namespace_row(nid="urn-0", kind="informal", number=0)),
    ("nid_matches_kind", a_namespace_row(nid="example-new", number=7)),
    ("registry_dates_are_valid", a_namespace_row(registered_on="21-11-2026")),
    ("registry_dates_are_valid", a_namespace_row(updated_on="2026\n")),
    ("deprecation_requires_statement", an_update(Namespace, deprecation_statement="Only words.")),
    ("one_revision_per_version", a_copy(Revision)),
    ("revision_version_is_positive", a_copy(Revision, version=0)),
    ("grammar_requires_profile", a_namespace_row(has_grammar=True)),
    ("person_or_organisation_controls", a_namespace_of_two),
    ("organisation_has_a_name", an_update(Organisation, name="")),
    ("one_organisation_per_name", a_copy(Organisation)),
    ("one_membership_per_organisation_and_person", a_copy(Membership)),
    ("part_is_known", an_update(Membership, part="owner")),
    (
        "membership_ends_after_it_began",
        an_update(Membership, ended_at=F("began_at") - timedelta(seconds=1)),
    ),
    ("one_profile_version_per_number", a_copy(ProfileVersion)),
    ("profile_version_is_positive", a_copy(ProfileVersion, version=0)),
    ("profile_has_required_keys", a_copy(ProfileVersion, version=2, content={"nid": "example-trees"})),
    ("profile_has_required_keys", a_copy(ProfileVersion, version=2, content="example-trees")),
    ("profile_has_digest", a_copy(ProfileVersion, version=2, digest="")),
    ("profile_has_digest", a_copy(ProfileVersion, version=2, digest="A" * 64)),
    ("profile_basis_is_not_empty", a_copy(ProfileVersion, version=2, basis="")),
    ("one_informal_counter", lambda _: InformalCounter.objects.create(pk=2)),
    ("one_chain_head", lambda _: ChainHead.objects.create(pk=2)),
    ("one_open_transfer_per_namespace", two_offers),
    ("accepted_transfer_has_ended", an_accepted_offer_that_waits),
    ("one_undecided_claim_per_person", a_copy(NamespaceClaim)),
    ("one_announced_claim_per_namespace", two_claims(status="announced", **ANNOUNCED)),
    ("one_approved_claim_per_registrant", two_claims(**APPROVED)),
    ("claim_status_is_known", an_update(NamespaceClaim, status="lost")),
    ("claim_ground_is_known", an_update(NamespaceClaim, ground="rumour")),
    ("decided_claim_has_ended", an_update(NamespaceClaim, ended_at=NOW)),
    ("announcement_is_complete", an_update(NamespaceClaim, announced_at=NOW)),
    (
        "recovery_is_of_an_organisation_and_announced",
        a_copy(NamespaceClaim, is_recovery=True, status="withdrawn", ended_at=NOW),
    ),
    ("one_announced_recovery_per_organisation", two_recoveries),
    ("only_announced_claims_get_objections", an_update(NamespaceClaim, status="announced")),
    ("approved_claim_names_who_decided", an_update(NamespaceClaim, status="approved", ended_at=NOW)),
    ("announced_claim_needs_time_and_a_second_person", two_claims(**APPROVED, **ANNOUNCED)),
    (
        "claimant_does_not_decide",
        an_update(NamespaceClaim, status="declined", ended_at=NOW, decided_by=models.F("claimant")),
    ),
    (
        "case_state_is_known",
        lambda _: Case.objects.exclude(state=State.REGISTERED).update(state="lost"),
    ),
    ("case_kind_is_known", an_update(Case, kind="casual")),
    ("case_procedure_is_known", lambda _: Case.objects.update(procedure="quick", body=a_body())),
    (
        "registered_case_has_revision",
        lambda _: Case.objects.filter(state=State.REGISTERED).update(revision=None),
    ),
    (
        "registered_case_has_revision",
        lambda _: Case.objects.filter(state=State.REGISTERED).update(state=State.DRAFT),
    ),
    (
        "registered_case_has_revision",
        lambda _: Case.objects.exclude(state=State.REGISTERED).update(state=State.REGISTERED),
    ),
    (
        "revision_case_requires_namespace",
        lambda _: Case.objects.filter(namespace=None).update(is_revision=True),
    ),
    ("fast_track_requires_body", an_update(Case, procedure="fast_track")),
    ("one_co_editor_per_case_and_user", a_co_editor_twice),
    ("one_invitation_per_case_and_address", an_invitation_twice),
    ("co_editor_invitation_names_who_invited", an_invitation_by_no_one),
    ("one_recusal_per_case_and_user", a_copy(Recusal)),
    ("one_round_per_case_and_number", a_copy(Round)),
    ("round_number_is_positive", a_copy(Round, number=0)),
    ("review_verdict_is_known", a_copy(Review, verdict="shrug")),
    ("action_point_section_is_known", a_copy(ActionPoint, section="")),
    ("action_point_section_is_known", a_copy(ActionPoint, section="purpose\n")),
    ("action_point_text_is_not_empty", a_copy(ActionPoint, text="")),
    ("reply_outcome_is_known", a_copy(Reply, outcome="shrug", text="Hm.")),
    ("not_done_requires_text", a_copy(Reply, outcome="not_done", text="")),
    ("comment_section_is_known", a_copy(Comment, section="püurpose")),
    ("comment_text_is_not_empty", a_copy(Comment, text="")),
    ("reply_is_newer_than_comment", a_comment_before_the_one_it_answers),
    (
        "one_successor_per_event",
        lambda _: in_sql(
            "INSERT INTO audit_log_event SELECT number + 1000, at, verb, case_number, nid, from_state, to_state, reason, text_digest, details, identities, previous, digest, actor_id FROM audit_log_event WHERE number = 1"
        ),
    ),
    ("registration_policy_is_known", a_copy(Register, policy="shrug")),
    ("suspended_register_has_a_reason", an_update(Register, suspension_reason="Why.")),
    ("register_version_is_positive", a_copy(Register, version=0)),
    ("one_replaced_register_per_version", a_copy(ReplacedRegister)),
    ("entry_request_fits_its_state", a_copy(EntryRequest, state="shrug")),
    ("entry_request_versions_are_positive", a_copy(EntryRequest, version=0)),
    ("entry_request_versions_are_positive", a_copy(EntryRequest, register_version=0)),
    ("requester_does_not_decide", a_decision_on_an_own_request),
    ("one_undecided_request_per_new_label", two_undecided(skeleton="another")),
    ("one_undecided_request_per_new_skeleton", two_undecided(key="another")),
    ("change_says_what_it_replaces", a_copy(EntryRequest, status="active")),
    ("change_says_what_it_replaces", a_change(replaces=None)),
    ("active_entry_has_no_successor", a_change(status="active", successor="18")),
    ("one_undecided_change_per_entry", two_undecided_changes),
    ("one_entry_per_skeleton", an_entry_that_looks_alike),
    ("person_or_organisation_holds_an_entry", an_entry_of_two),
    ("recalled_entry_has_a_holder", a_recall_of_an_entry_without_a_holder),
    ("one_register_directly_below_a_namespace", a_copy(Register)),
    ("branch_is_around_a_register", a_register_of_a_branch_without_an_entry),
    ("one_open_offer_per_entry", two_open_offers),
    ("accepted_entry_offer_has_ended", a_copy(EntryOffer, is_accepted=True, ended_at=None)),
    ("signed_head_has_events", a_copy(SignedHead, size=0)),
    ("one_timestamp_per_authority", a_copy(Timestamp)),
    ("timestamp_is_in_base64", a_copy(Timestamp, authority="timestamp.example.net", reply="<html>")),
    ("one_cosignature_per_witness", a_copy(Cosignature)),
    ("cosignature_is_a_line", a_copy(Cosignature, key="another+00000000+B", line="two\nlines")),
    ("one_hash_per_tile", a_copy(TileHash)),
    ("tile_hash_has_a_place", a_copy(TileHash, level=0)),
    ("tile_hash_has_a_place", a_copy(TileHash, index=-1)),
    (
        "event_number_is_positive",
        lambda _: in_sql(
            "INSERT INTO audit_log_event SELECT 0, at, verb, case_number, nid, from_state, to_state, reason, text_digest, details, identities, repeat('f', 64), digest, actor_id FROM audit_log_event WHERE number = 1"
        ),
    ),
]


@pytest.mark.parametrize(
    ("name", "attempt"), CONSTRAINTS, ids=[f"{name} {at}" for at, (name, _) in enumerate(CONSTRAINTS)]
)
def test_the_database_refuses_what_can_never_be_true(
    name: str, attempt: Callable[[Namespace], object], registered: Namespace
) -> None:
    with pytest.raises(IntegrityError, match=f'"{name}"'), transaction.atomic():
        attempt(registered)


def test_every_constraint_of_what_is_registered_is_tried_above() -> None:
    tried = {name for name, _ in CONSTRAINTS}
    models_ = [*IMMUTABLE, *PERMANENT, CoEditor, Invitation]
    named = {constraint.name for model in models_ for constraint in model._meta.constraints}
    assert named == tried


def test_a_namespace_has_no_profile_of_another_namespace(registered: Namespace) -> None:
    content = a_profile("example-oaks").to_dict()
    with pytest.raises(IntegrityError, match='a profile of "example-oaks" is not one of "example-trees"'):
        a_copy(ProfileVersion, version=2, content=content)(registered)
