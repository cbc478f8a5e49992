"""Erasure of personal data: the database refuses it without an event, and verification notices changes."""

import pytest
from django.db import DatabaseError, transaction

from registry.audit_log import log
from registry.audit_log.models import Event, PersonalData
from registry.audit_log.personal_data import ERASURE
from registry.audit_log.verification import verify
from registry.cases.models import Round
from registry.core.digests import salted_digest
from registry.publication.iana.importing.importer import import_versions
from registry.publication.models import IanaRecord
from registry.review_desk.experts.review import workspace_for
from registry.review_desk.experts.verdict_drafts import draft_report
from tests.publication.iana.samples import a_version, an_informal_record, an_xml
from tests.security.erasure import leaver
from tests.security.erasure.erasing import REASON, account, erase, rows, traces_in
from tests.security.erasure.leaver import ADDRESS, NAME, person
from tests.support.databases import in_sql
from tests.support.tampering import as_owner


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM audit_log_personaldata",
        "UPDATE audit_log_personaldata SET value = '{}'",
        "TRUNCATE audit_log_personaldata",
        "UPDATE cases_round SET text = ''",
        "UPDATE cases_round SET commitments = '{}'",
        "UPDATE namespaces_revision SET content = content || '{\"registrant\": {}}'",
        "UPDATE namespaces_revision SET commitments = jsonb_set(commitments, '{email,salt}', 'null')",
    ],
)
def test_nothing_is_erased_without_an_event(statement: str, registry: None) -> None:
    with pytest.raises(DatabaseError, match="refused: rows of"):
        in_sql(statement)


def an_event_that_erases(*digests: str) -> None:
    with transaction.atomic():
        log.append(ERASURE, by=None, reason=REASON, digests=list(digests))


def erased_in(column: str, value: str) -> str:
    salt = f"jsonb_set(commitments, '{{{column},salt}}', 'null')"
    content = f"jsonb_set(content, '{{registrant,{column}}}', '\"{value}\"')"
    return f"UPDATE cases_round SET commitments = {salt}, content = {content}"


@pytest.mark.parametrize(
    ("change", "is_refused"),
    [
        (erased_in("email", "[erased]"), False),
        (erased_in("email", "[erased]") + ", text = ''", False),
        (erased_in("email", "other@example.org"), True),
        (erased_in("phone", "[erased]"), True),
        (erased_in("email", "[erased]") + ", digest = repeat('0', 64)", True),
        (erased_in("email", "[erased]") + ", number = 7", True),
        (erased_in("email", "[erased]") + """ || '{"purpose": ""}'""", True),
        (erased_in("email", "[erased]").replace(", content", " - 'phone', content"), True),
    ],
)
def test_an_event_permits_the_erasure_of_its_values_alone(
    change: str, is_refused: bool, registry: None
) -> None:
    row = Round.objects.get(case__requested_nid="example-mosses")
    an_event_that_erases(row.commitments["email"]["digest"])
    if is_refused:
        with pytest.raises(DatabaseError, match="refused: rows of"):
            in_sql(f"{change} WHERE id = {row.pk}")
    else:
        in_sql(f"{change} WHERE id = {row.pk}")


def test_an_earlier_event_permits_nothing(registry: None) -> None:
    digest = PersonalData.objects.filter(account=account()).values_list("pk", flat=True)[0]
    an_event_that_erases(digest)
    an_event_that_erases("0" * 64)
    with pytest.raises(DatabaseError, match="refused: rows of"):
        in_sql(f"DELETE FROM audit_log_personaldata WHERE digest = '{digest}'")


WITH_PHONE = "WHERE content #>> '{registrant,phone}' = '+1 555 0100'"
OTHER_PHONE = (
    "content = jsonb_set(content, '{registrant,phone}', '\"+1 555 0199\"'), "
    "text = replace(text, '+1 555 0100', '+1 555 0199')"
)


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("DELETE FROM audit_log_personaldata", "it is missing, and no event erased it"),
        ('UPDATE audit_log_personaldata SET value = \'{"name": "Another"}\'', "the personal data of account"),
        ("UPDATE audit_log_personaldata SET salt = repeat('0', 32)", "the personal data of account"),
        (
            "UPDATE audit_log_personaldata SET account_id = (SELECT min(id) FROM accounts_user)",
            "which no event records",
        ),
        (erased_in("email", "[erased]"), "the text of round 1 of case"),
        ("UPDATE cases_round SET commitments = commitments - 'email'", "the text of round 1 of case"),
        (
            f"{erased_in('phone', '[erased]')}, text = replace(text, '+1 555 0100', '[erased]') {WITH_PHONE}",
            "the text of round 1 of case",
        ),
        (
            f"UPDATE namespaces_revision SET {OTHER_PHONE} {WITH_PHONE}",
            "version 1 of “example",
        ),
    ],
)
def test_a_value_that_was_changed_or_erased_without_an_event_is_named(
    statement: str, named: str, registry: None
) -> None:
    as_owner(statement)
    assert any(named in fault for fault in verify().faults), verify().faults


def test_a_value_that_is_back_after_its_erasure_is_named(registry: None) -> None:
    row = PersonalData.objects.filter(account=account()).values("digest", "salt", "value", "account")[0]
    erase()
    PersonalData.objects.create(
        digest=row["digest"], salt=row["salt"], value=row["value"], account_id=row["account"]
    )
    assert any("the personal data of account" in fault for fault in verify().faults)


def test_an_event_contains_digests_of_the_names_and_not_the_names(registry: None) -> None:
    event = Event.objects.get(verb="submit", nid="example-mosses")
    row = PersonalData.objects.get(pk=event.identities["actor"])
    assert row.value == {"name": NAME, "address": ADDRESS}
    assert row.digest == salted_digest(row.salt, row.value)
    assert event.digest == event.computed_digest()
    assert not traces_in(rows()["audit_log_event"])


def test_the_events_of_an_import_contain_no_names_of_people(registry: None) -> None:
    import_versions([a_version(an_xml(informal=an_informal_record("urn-7")))])
    assert "Example_Person" in str(IanaRecord.objects.get(nid="urn-7").contact)
    event = Event.objects.get(verb="import", nid="urn-7")
    assert event.details["changes"]["contact"] == ["", "person"]


def test_a_report_refers_to_the_round_for_the_contact(registry: None) -> None:
    case = leaver.an_open_case_with_this_contact()
    report = draft_report(case, workspace_for(case, person("expert")))
    assert "Example Arboretum" in report
    assert not traces_in([report])
    assert f"http://localhost:8000/cases/{case.pk}/rounds/1/template.txt" in report
