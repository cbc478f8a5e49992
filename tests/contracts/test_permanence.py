"""Permanence: the database rejects changes of immutable rows, from the ORM and from SQL."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, models, transaction
from django.db.models import ProtectedError
from django.utils import timezone

from registry.accounts.models import RoleName, User
from registry.audit_log.models import ChainHead, Event, SignedHead
from registry.cases.discussion import comments
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
from registry.cases.workflow import actions, transitions
from registry.namespaces.models import (
    InformalCounter,
    Kind,
    Namespace,
    Origin,
    Revision,
    RulesVersion,
    Transfer,
)
from registry.namespaces.services.rules import set_rules
from tests.support.databases import a_filled_database, in_sql, rolled_back_in
from tests.support.factories import (
    a_body,
    a_case_in_review,
    a_draft,
    a_namespace,
    a_person,
    all_done,
    an_approved_case,
)

IMMUTABLE: list[type[models.Model]] = [
    Revision,
    RulesVersion,
    Round,
    Review,
    ActionPoint,
    Reply,
    Comment,
    Recusal,
    Event,
    SignedHead,
]
PERMANENT: list[type[models.Model]] = [Namespace, Case, InformalCounter, Transfer, ChainHead]

CHANGE: dict[type[models.Model], tuple[str, Any]] = {
    Revision: ("text", "Another text."),
    RulesVersion: ("basis", "Another basis."),
    Round: ("text", "Another text."),
    Review: ("rationale", "Another rationale."),
    ActionPoint: ("text", "Another point."),
    Reply: ("text", "Another answer."),
    Comment: ("text", "Another comment."),
    Recusal: ("reason", "Another reason."),
    Event: ("reason", "Another reason."),
    SignedHead: ("note", "Another note."),
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
    set_rules(namespace, by=administrator, basis="Syntax.", replaces=0, nss_pattern="[0-9:]+")
    case = a_case_in_review(by=registrant, namespace_identifier="example-oaks")
    comments.comment(case, by=expert, round_number=1, section="purpose", text="And elms?")
    case = transitions.request_changes(
        case, by=expert, round_number=1, rationale="Nearly.", action_points=[("purpose", "Say who benefits.")]
    )
    case = all_done(case)
    transitions.submit(case, by=registrant, draft_stamp=case.draft_stamp)
    actions.recuse(case, by=administrator, reason="A friend's case.")


@pytest.fixture(scope="module")
def filled(the_test_database: None, django_db_blocker: Any) -> Iterator[str]:
    with django_db_blocker.unblock(), a_filled_database(fill) as database:
        yield database


@pytest.fixture
def registered(filled: str, django_db_blocker: Any) -> Iterator[Namespace]:
    """The namespace, among everything that is kept; what a test changes is rolled back."""
    with django_db_blocker.unblock(), rolled_back_in(filled):
        yield Namespace.objects.get()


def rows_of(model: type[models.Model]) -> list[dict[str, Any]]:
    return list(model._default_manager.order_by("pk").values())


def check_refused(model: type[models.Model], attempt: Callable[[], object]) -> None:
    before = rows_of(model)
    assert before, "there is nothing to change"
    with pytest.raises((IntegrityError, ProtectedError)), transaction.atomic():
        attempt()
    assert rows_of(model) == before


@pytest.mark.parametrize("model", IMMUTABLE, ids=lambda model: model.__name__)
@pytest.mark.parametrize("way", ["save", "save one field", "update", "bulk_update"])
def test_what_is_written_once_is_not_changed_by_the_orm(
    way: str, model: type[models.Model], registered: Namespace
) -> None:
    name, value = CHANGE[model]
    row = model._default_manager.order_by("pk")[0]
    setattr(row, name, value)
    ways: dict[str, Callable[[], object]] = {
        "save": row.save,
        "save one field": lambda: row.save(update_fields=[name]),
        "update": lambda: model._default_manager.update(**{name: value}),
        "bulk_update": lambda: model._default_manager.bulk_update([row], [name]),
    }
    check_refused(model, ways[way])


@pytest.mark.parametrize("model", IMMUTABLE + PERMANENT, ids=lambda model: model.__name__)
@pytest.mark.parametrize("way", ["delete", "delete all", "raw delete"])
def test_nothing_is_deleted_by_the_orm(way: str, model: type[models.Model], registered: Namespace) -> None:
    rows = model._default_manager.order_by("pk")
    ways: dict[str, Callable[[], object]] = {
        "delete": rows[0].delete,
        "delete all": rows.delete,
        "raw delete": lambda: rows._raw_delete(rows.db),  # type: ignore[attr-defined]
    }
    check_refused(model, ways[way])


@pytest.mark.parametrize("model", IMMUTABLE + PERMANENT, ids=lambda model: model.__name__)
@pytest.mark.parametrize("statement", ["DELETE FROM {}", "TRUNCATE {} CASCADE", "DELETE FROM {} WHERE false"])
def test_nothing_is_removed_in_sql(statement: str, model: type[models.Model], registered: Namespace) -> None:
    check_refused(model, lambda: in_sql(statement.format(model._meta.db_table)))


@pytest.mark.parametrize("model", IMMUTABLE, ids=lambda model: model.__name__)
def test_what_is_written_once_is_not_changed_in_sql(model: type[models.Model], registered: Namespace) -> None:
    name, _ = CHANGE[model]
    check_refused(model, lambda: in_sql(f"UPDATE {model._meta.db_table} SET {name} = 'Another'"))


@pytest.mark.parametrize("model", IMMUTABLE, ids=lambda model: model.__name__)
def test_an_upsert_cannot_bypass_the_triggers(model: type[models.Model], registered: Namespace) -> None:
    table, key, (name, _) = model._meta.db_table, model._meta.pk.column, CHANGE[model]  # type: ignore[union-attr]
    upsert = f"INSERT INTO {table} SELECT * FROM {table} ON CONFLICT ({key}) DO UPDATE SET {name} = 'Another'"
    check_refused(model, lambda: in_sql(upsert))


# A namespace


@pytest.mark.parametrize(
    "change",
    [
        "nid = 'example-other'",
        "kind = 'informal'",
        "number = 7",
        "nid = 'urn-7', kind = 'informal', number = 7",
    ],
)
def test_a_namespace_keeps_its_nid_its_kind_and_its_number(change: str, registered: Namespace) -> None:
    before = rows_of(Namespace)
    with pytest.raises(DatabaseError, match="rows of namespaces_namespace keep their NID, kind and number"):
        in_sql(f"UPDATE namespaces_namespace SET {change}")
    assert rows_of(Namespace) == before


@pytest.mark.parametrize("fields", [{"nid": "example-other"}, {"kind": "informal"}, {"number": 7}])
def test_the_orm_does_not_rename_a_namespace(fields: dict[str, Any], registered: Namespace) -> None:
    with pytest.raises(DatabaseError), transaction.atomic():
        Namespace.objects.filter(pk=registered.pk).update(**fields)
    for name, value in fields.items():
        setattr(registered, name, value)
    with pytest.raises(DatabaseError), transaction.atomic():
        registered.save()


def test_a_user_with_a_namespace_can_not_be_deleted(registered: Namespace) -> None:
    assert registered.registrant
    with pytest.raises(ProtectedError):
        registered.registrant.delete()


def test_a_number_is_not_given_again_when_the_counter_is_set_back(
    registrant: User, expert: User, administrator: User
) -> None:
    cases = [an_approved_case(by=registrant, expert=expert, kind=Kind.INFORMAL) for _ in range(2)]
    transitions.assign(cases[0], by=administrator)
    in_sql("UPDATE namespaces_informalcounter SET last = 0")
    events = Event.objects.count()
    with pytest.raises(IntegrityError, match=r"one_namespace_per_nid|one_namespace_per_number"):
        transitions.assign(cases[1], by=administrator)
    assert list(Namespace.objects.values_list("nid", flat=True)) == ["urn-1"]
    assert Event.objects.count() == events
    cases[1].refresh_from_db()
    assert cases[1].state == State.APPROVED


# Each constraint, by its name


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


def a_comment_before_the_one_it_answers(_: Namespace) -> None:
    first = Comment.objects.order_by("pk")[0]
    Comment.objects.create(
        pk=first.pk - 1, round=first.round, author=first.author, text="Too.", reply_to=first
    )


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
        Invitation.objects.create(case=case, email=email)


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
    ("one_rules_version_per_number", a_copy(RulesVersion)),
    ("rules_version_is_positive", a_copy(RulesVersion, version=0)),
    ("nss_pattern_is_visible_ascii", a_copy(RulesVersion, version=2, nss_pattern="a b")),
    ("nss_pattern_is_visible_ascii", a_copy(RulesVersion, version=2, nss_pattern="a\n")),
    ("nss_pattern_is_visible_ascii", a_copy(RulesVersion, version=2, nss_pattern="ä")),
    ("nss_pattern_is_visible_ascii", a_copy(RulesVersion, version=2, nss_pattern="٣")),
    ("ignored_characters_are_allowed", a_copy(RulesVersion, version=2, ignored_characters="-%")),
    ("ignored_characters_are_allowed", a_copy(RulesVersion, version=2, ignored_characters="-\n")),
    ("ignored_characters_are_allowed", a_copy(RulesVersion, version=2, ignored_characters="a")),
    ("ignored_characters_are_allowed", a_copy(RulesVersion, version=2, ignored_characters="–")),
    ("rules_basis_is_not_empty", a_copy(RulesVersion, version=2, basis="")),
    ("one_informal_counter", lambda _: InformalCounter.objects.create(pk=2)),
    ("one_chain_head", lambda _: ChainHead.objects.create(pk=2)),
    ("one_open_transfer_per_namespace", two_offers),
    ("accepted_transfer_has_ended", an_accepted_offer_that_waits),
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
    ("signed_head_has_events", a_copy(SignedHead, size=0)),
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


def test_an_imported_namespace_is_kept_like_any_other(db: None) -> None:
    Namespace.objects.create(nid="example-old", kind=Kind.FORMAL, origin=Origin.IANA)
    with pytest.raises(IntegrityError), transaction.atomic():
        Namespace.objects.all().delete()


def test_a_draft_is_kept_too(registrant: User) -> None:
    draft = a_draft(by=registrant)
    with pytest.raises(IntegrityError), transaction.atomic():
        draft.delete()


def test_the_rules_of_a_namespace_follow_from_their_versions_alone(registered: Namespace) -> None:
    before = rows_of(Namespace)
    assert before[0]["rules_id"]
    with pytest.raises(IntegrityError, match="follow from their versions"), transaction.atomic():
        Namespace.objects.update(rules=None)
    with pytest.raises(IntegrityError, match="follow from their versions"):
        in_sql("UPDATE namespaces_namespace SET rules_id = NULL")
    assert rows_of(Namespace) == before
