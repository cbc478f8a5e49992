"""Imports of eleven years of IANA's files in order, compared with a list of all changes."""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import pytest

from registry.audit_log.models import Event
from registry.publication.iana.file_reader import read_versions
from registry.publication.iana.importing.importer import import_versions
from registry.publication.iana.importing.report import ImportOutcome, ImportReport
from tests.data import IANA, IANA_HISTORY, IANA_NEWEST
from tests.support.databases import a_filled_database, rolled_back_in

PARTS = {
    "xref": "references",
    "template": "template",
    "contact": "contact",
    "date": "date",
    "updated": "updated",
}


@dataclass
class Expected:
    """The changes between two consecutive files according to the timeline."""

    added: dict[str, dict[str, str]] = field(default_factory=dict)
    changed: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    rules: dict[str, list[str]] = field(default_factory=dict)

    def take(self, row: dict[str, str]) -> None:
        change, _, part = row["change"].partition(":")
        nid = row["nid"]
        if change == "added":
            said = re.findall(r"'(\w+)': (?:'(.*?)'|None)[,}]", row["new"])
            self.added[nid] = {PARTS[name]: value for name, value in said if name in PARTS and value}
        elif change == "removed":
            del self.added[nid]  # ad-id came and went between two of our files
        elif part == "rule":
            self.rules.setdefault(nid.removeprefix("__meta_"), [row["old"], ""])[1] = row["new"]
        elif nid in self.added:
            self.added[nid][PARTS[part]] = row["new"]
        else:
            self.changed.setdefault((nid, PARTS[part]), [row["old"], ""])[1] = row["new"]


def timeline(after: str, until: str) -> Expected:
    expected = Expected()
    with (IANA / "timeline.csv").open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            if after < row["registry_updated"] <= until:
                expected.take(row)
    return expected


def added(report: ImportReport) -> dict[str, dict[str, str]]:
    return {
        finding.nid: {name: new for name, (_, new) in finding.changes.items() if name != "name"}
        for finding in report.findings
        if finding.outcome == ImportOutcome.ADDED
    }


def changed(report: ImportReport) -> dict[tuple[str, str], list[str]]:
    return {
        (finding.nid, name): list(pair)
        for finding in report.findings
        if finding.outcome == ImportOutcome.CHANGED
        for name, pair in finding.changes.items()
    }


def pairs(reports: list[ImportReport]) -> Iterator[tuple[ImportReport, Expected]]:
    for before, report in pairwise(reports):
        yield report, timeline(before.updated, report.updated)


@pytest.fixture(scope="module")
def imported(the_test_database: None, django_db_blocker: Any) -> Iterator[tuple[str, list[ImportReport]]]:
    """All files, imported once: the name of the database, and the reports."""
    reports: list[ImportReport] = []

    def fill() -> None:
        reports.extend(import_versions([*read_versions(IANA_HISTORY), *read_versions(IANA_NEWEST)]))

    with django_db_blocker.unblock(), a_filled_database(fill) as database:
        yield database, reports


@pytest.fixture
def reports(imported: tuple[str, list[ImportReport]], django_db_blocker: Any) -> Iterator[list[ImportReport]]:
    database, reports = imported
    with django_db_blocker.unblock(), rolled_back_in(database):
        yield reports


def test_importing_the_files_in_order_reproduces_the_timeline(reports: list[ImportReport]) -> None:
    assert len(reports) == 12
    for report, expected in pairs(reports):
        assert added(report) == expected.added, report.name
        assert changed(report) == expected.changed, report.name
        assert report.counts.keys() <= {"added", "changed"}, report.name


def test_the_registration_rules_change_as_in_the_timeline(reports: list[ImportReport]) -> None:
    seen = 0
    for report, expected in pairs(reports):
        for list_id, kind in (("urn-namespaces-1", "formal"), ("urn-namespaces-2", "informal")):
            found = report.head.get(f"{kind} registration_rule")
            old, new = expected.rules.get(list_id, ["", ""])
            plain = tuple(words.replace("rfc:rfc8141", "") for words in found or ("", ""))
            assert plain == (" ".join(old.split()), " ".join(new.split())), report.name
            seen += found is not None
    assert seen == 2


def test_the_audit_log_contains_the_history_of_a_namespace(reports: list[ImportReport]) -> None:
    told = [
        (event.details["as_of"], event.details["changes"]["references"])
        for event in Event.objects.filter(nid="uuid").order_by("number")
        if "references" in event.details["changes"]
    ]
    assert told == [
        ("2015-04-29", ["", "rfc:rfc4122"]),
        ("2023-11-17", ["rfc:rfc4122", "draft:RFC-ietf-uuidrev-rfc4122bis-14"]),
        ("2024-12-09", ["draft:RFC-ietf-uuidrev-rfc4122bis-14", "rfc:rfc9562"]),
    ]


def test_the_files_again_change_nothing(reports: list[ImportReport]) -> None:
    events = Event.objects.count()
    again = import_versions(read_versions(IANA_HISTORY))
    assert not any(report.has_changes for report in again)
    assert Event.objects.count() == events
