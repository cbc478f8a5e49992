"""The import of IANA's files: the newest wins, nothing is deleted, local namespaces are not changed."""

from itertools import permutations

import pytest

from registry.accounts.models import User
from registry.audit_log.log import verified
from registry.audit_log.models import Event
from registry.namespaces.actions.registration import NIDTaken, check_available, next_informal_nid
from registry.namespaces.models import Kind, Namespace, Origin
from registry.publication.iana.csv_format import parse_csv
from registry.publication.iana.file_reader import IanaVersion, read_versions
from registry.publication.iana.importing.importer import import_transaction, import_versions
from registry.publication.iana.importing.report import ImportOutcome, ImportReport
from registry.publication.iana.records import IanaFile
from registry.publication.iana.xml_format import parse_xml
from registry.publication.models import IanaRecord, IanaRegistry
from tests.data import IANA, IANA_HISTORY, IANA_NEWEST
from tests.publication.iana.samples import a_record, a_version, an_informal_record, an_xml
from tests.support.factories import a_namespace

pytestmark = pytest.mark.django_db


def imported(*versions: IanaVersion | bytes) -> ImportReport:
    """The report of the last of the versions, imported one by one."""
    reports = [
        report
        for each in versions
        for report in import_versions([each if isinstance(each, IanaVersion) else a_version(each)])
    ]
    return reports[-1]


def outcomes(report: ImportReport) -> dict[str, str]:
    return {finding.nid: str(finding.outcome) for finding in report.findings}


def everything() -> dict[str, object]:
    """Return all data that an import can change."""
    return {
        "namespaces": list(Namespace.objects.values()),
        "records": list(IanaRecord.objects.values()),
        "registry": list(IanaRegistry.objects.values()),
        "next": next_informal_nid(),
        "events": Event.objects.count(),
    }


def the_file_that_is_kept() -> IanaFile:
    """The newest file again: its entries, without those that vanished before it."""
    registry = IanaRegistry.current()
    assert registry is not None
    records = tuple(each.record for each in IanaRecord.objects.filter(removed_on=""))
    return IanaFile(registry.updated, records, **{name: registry.part(name) for name in IanaRegistry.PARTS})


def test_the_file_of_2026_gives_97_formal_and_8_informal_namespaces_and_a_second_run_nothing() -> None:
    versions = read_versions(IANA_NEWEST)
    report = imported(*versions)
    assert (report.formal, report.informal, report.counts) == (97, 8, {"added": 105})
    assert Namespace.objects.filter(kind=Kind.FORMAL, origin=Origin.IANA).count() == 97
    assert Namespace.objects.filter(kind=Kind.INFORMAL).count() == 8
    assert next_informal_nid() == "urn-9"
    assert Event.objects.count() == 106
    assert len(list(verified())) == 106

    before = everything()
    again = imported(*versions)
    assert not again.has_changes
    assert "no change" in str(again)
    assert everything() == before


def test_what_was_imported_is_the_file_again() -> None:
    (version,) = read_versions(IANA_NEWEST)
    imported(version)
    assert the_file_that_is_kept() == version.file


def test_a_namespace_has_the_facts_of_its_entry() -> None:
    imported(*read_versions(IANA_NEWEST))
    eidr = Namespace.objects.get(nid="eidr")
    assert (eidr.registered_on, eidr.updated_on, eidr.template_url) == ("2014-06-02", "2016-09-09", "")
    assert eidr.references == [
        {"type": "rfc", "target": "https://www.rfc-editor.org/rfc/rfc7972", "label": "RFC7972"}
    ]
    assert (eidr.version, eidr.latest) == (1, None)
    isbn = Namespace.objects.get(nid="isbn")
    assert isbn.template_url == "https://www.iana.org/assignments/urn-formal/isbn"
    assert isbn.references[0]["label"] == "International ISBN Agency"
    urn_7, urn_8 = Namespace.objects.get(nid="urn-7"), Namespace.objects.get(nid="urn-8")
    assert (urn_7.number, urn_7.template_url, urn_7.references[0]["label"]) == (7, "", "RFC6050")
    assert urn_8.template_url == "https://www.iana.org/assignments/urn-informal/urn-8"
    assert urn_8.references[0]["type"] == "person"
    assert urn_8.references[0]["target"] == ""


def test_a_newer_file_changes_entries_that_differ() -> None:
    report = imported(
        an_xml(updated="2020-01-01", formal=a_record("example-a", rfc="rfc1") + a_record("example-b")),
        an_xml(updated="2021-01-01", formal=a_record("example-a", rfc="rfc2") + a_record("example-b")),
    )
    assert outcomes(report) == {"example-a": "changed"}
    assert report.findings[0].changes == {"references": ("rfc:rfc1", "rfc:rfc2")}
    assert Namespace.objects.get(nid="example-a").references[0]["label"] == "RFC2"
    event = Event.objects.get(verb="import", details__outcome="changed")
    assert (event.nid, event.details["as_of"]) == ("example-a", "2021-01-01")
    assert event.details["changes"] == {"references": ["rfc:rfc1", "rfc:rfc2"]}


def test_an_older_file_adds_namespaces_and_changes_none() -> None:
    report = imported(
        an_xml(updated="2021-01-01", formal=a_record("example-a", rfc="rfc2")),
        an_xml(updated="2020-01-01", formal=a_record("example-a", rfc="rfc1") + a_record("example-b")),
    )
    assert outcomes(report) == {"example-a": "older", "example-b": "added"}
    assert Namespace.objects.get(nid="example-a").references[0]["label"] == "RFC2"
    assert IanaRecord.objects.get(nid="example-b").removed_on == "2021-01-01"
    registry = IanaRegistry.current()
    assert registry is not None
    assert registry.updated == "2021-01-01"
    assert [record.nid for record in the_file_that_is_kept().records] == ["example-a"]


def test_the_order_of_imports_makes_no_difference() -> None:
    files = [
        an_xml(updated="2019-01-01", formal=a_record("example-a", rfc="rfc1") + a_record("example-b")),
        an_xml(updated="2020-01-01", formal=a_record("example-a", rfc="rfc2") + a_record("example-c")),
        an_xml(updated="2021-01-01", formal=a_record("example-a", rfc="rfc3") + a_record("example-d")),
    ]
    known = []
    for order in permutations(files):
        with import_transaction(is_dry=True):
            imported(*order)
            stored = IanaRecord.objects.order_by("nid").values("nid", "as_of", "references")
            known.append((list(stored), IanaRegistry.objects.get().updated))
    assert len(known) == 6
    assert all(each == known[0] for each in known)


def test_an_entry_that_vanished_is_reported_once_and_stays() -> None:
    first = an_xml(updated="2020-01-01", formal=a_record("example-a") + a_record("example-b"))
    second = an_xml(updated="2021-01-01", formal=a_record("example-a"))
    report = imported(first, second)
    assert outcomes(report) == {"example-b": "removed"}
    assert Namespace.objects.filter(nid="example-b").exists()
    with pytest.raises(NIDTaken):
        check_available("example-b")
    assert not imported(second).has_changes


def test_a_restored_entry_is_reported() -> None:
    both = a_record("example-a") + a_record("example-b")
    report = imported(
        an_xml(updated="2020-01-01", formal=both),
        an_xml(updated="2021-01-01", formal=a_record("example-a")),
        an_xml(updated="2022-01-01", formal=both),
    )
    assert outcomes(report) == {"example-b": "reappeared"}
    assert IanaRecord.objects.get(nid="example-b").removed_on == ""


def test_an_entry_under_a_new_name_is_renamed() -> None:
    dates = ' date="2017-01-20"'
    report = imported(
        an_xml(updated="2017-01-20", formal=a_record("example-old", rfc="rfc1", dates=dates)),
        an_xml(updated="2017-03-06", formal=a_record("example-new", rfc="rfc1", dates=dates)),
    )
    assert outcomes(report) == {"example-new": "renamed", "example-old": "removed"}
    assert report.findings[0].message == "was example-old"


def test_a_name_that_no_namespace_may_have_is_kept_apart() -> None:
    report = imported(an_xml(formal=a_record("ad-id")))
    assert outcomes(report) == {"ad-id": "kept apart"}
    assert "5.1 (3)" in report.findings[0].message
    assert not Namespace.objects.exists()
    assert IanaRecord.objects.get().namespace is None
    assert not imported(an_xml(formal=a_record("ad-id"))).has_changes


def test_an_entry_in_capitals_is_the_same_namespace_and_keeps_its_spelling() -> None:
    imported(an_xml(formal=a_record("Example-A")))
    assert Namespace.objects.get().nid == "example-a"
    assert IanaRecord.objects.get().record.name == "Example-A"


def test_what_this_registry_registered_is_never_overwritten(
    registrant: User, expert: User, administrator: User
) -> None:
    ours = a_namespace(by=registrant, expert=expert, administrator=administrator)
    before = Namespace.objects.values().get(pk=ours.pk)
    report = imported(an_xml(formal=a_record(ours.nid, dates=' date="2001-01-01"') + a_record("example-b")))
    assert outcomes(report) == {ours.nid: "conflict", "example-b": "added"}
    assert Namespace.objects.values().get(pk=ours.pk) == before
    assert not IanaRecord.objects.filter(nid=ours.nid).exists()
    again = imported(an_xml(formal=a_record(ours.nid, dates=' date="2001-01-01"') + a_record("example-b")))
    assert outcomes(again) == {ours.nid: "conflict"}
    assert not again.has_changes


def test_an_informal_number_that_was_assigned_here_is_a_conflict_and_the_next_is_beyond_ianas(
    registrant: User, expert: User, administrator: User
) -> None:
    ours = a_namespace(by=registrant, expert=expert, administrator=administrator, kind=Kind.INFORMAL)
    assert ours.nid == "urn-1"
    report = imported(an_xml(informal=an_informal_record("urn-1") + an_informal_record("urn-12")))
    assert outcomes(report) == {"urn-1": "conflict", "urn-12": "added"}
    assert next_informal_nid() == "urn-13"


def test_a_head_that_changed_is_reported_and_written_without_names() -> None:
    person = '<person id="Example_Person"><name>Example Person</name></person>'
    report = imported(
        an_xml(updated="2020-01-01", head="<title>Old</title><expert>Example Person</expert>"),
        an_xml(updated="2021-01-01", head="<title>New</title><expert>Another Person</expert>", people=person),
    )
    assert report.head["title"] == ("Old", "New")
    assert report.head["people"] == ("0", "1")
    event = Event.objects.order_by("number").last()
    assert event is not None
    assert event.details["head"] == ["expert", "people", "title", "updated"]
    assert "Person" not in str(event.details)


def test_of_two_files_of_one_day_the_later_import_wins() -> None:
    report = imported(
        an_xml(formal=a_record("example-a", rfc="rfc1") + a_record("example-b")),
        an_xml(formal=a_record("example-a", rfc="rfc2")),
    )
    assert outcomes(report) == {"example-a": "changed", "example-b": "removed"}


def test_ianas_own_order_is_kept() -> None:
    imported(an_xml(formal=a_record("example-b") + a_record("example-a")))
    imported(an_xml(updated="2021-01-01", formal=a_record("example-a") + a_record("example-b")))
    assert [record.nid for record in the_file_that_is_kept().records] == ["example-a", "example-b"]


def test_a_dry_run_gives_the_same_report_and_changes_nothing() -> None:
    imported(an_xml(formal=a_record("example-a", rfc="rfc1")))
    newer = [
        a_version(
            an_xml(updated="2021-01-01", formal=a_record("example-b"), informal=an_informal_record("urn-4"))
        )
    ]
    before = everything()
    with import_transaction(is_dry=True):
        rehearsed = import_versions(newer)
    assert everything() == before
    assert rehearsed == import_versions(newer)
    assert everything() != before


CSV = "URN Namespace,Template,Reference\r\n"


def a_csv(rows: str, *, updated: str) -> IanaVersion:
    return a_version(parse_csv((CSV + rows).encode(), updated=updated), name="urn-namespaces-1.csv")


def test_a_csv_that_agrees_with_the_xml_changes_nothing() -> None:
    (path,) = IANA_HISTORY.glob("20210701*.xml")
    imported(a_version(parse_xml(path.read_bytes())))
    before = everything()
    for version in read_versions(IANA):
        if version.file.is_partial:
            assert not imported(version).has_changes
    assert everything() == before


def test_a_csv_alone_makes_namespaces() -> None:
    report = imported(*(version for version in read_versions(IANA) if version.file.is_partial))
    assert report.counts == {"added": 7}
    assert Namespace.objects.count() == 77
    assert next_informal_nid() == "urn-8"


def test_a_newer_csv_changes_what_it_can_say_and_keeps_the_rest() -> None:
    imported(an_xml(formal=a_record("example-a", rfc="rfc1", dates=' date="2018-06"', template=True)))
    report = imported(a_csv("example-a,[example-a-template],[RFC2]\r\n", updated="2021-01-01"))
    assert report.findings[0].changes == {"references": ("rfc:rfc1", "rfc:rfc2")}
    assert IanaRecord.objects.get().date == "2018-06"


def test_a_csv_of_unknown_date_only_adds() -> None:
    imported(an_xml(formal=a_record("example-a", rfc="rfc1") + a_record("example-c")))
    report = imported(a_csv("example-a,,[RFC2]\r\nexample-b,,[RFC3]\r\n", updated=""))
    assert outcomes(report) == {"example-a": "older", "example-b": "added"}


def test_a_csv_of_one_list_does_not_affect_the_other() -> None:
    imported(an_xml(formal=a_record("example-a"), informal=an_informal_record("urn-1")))
    assert not imported(a_csv("example-a,,[RFC8141]\r\n", updated="2021-01-01")).count(ImportOutcome.REMOVED)
