"""The public reports of damaged texts, each as a damage of a template of our own."""

import json

import pytest

from registry.registration_template.parsing.parser import parse_exactly, parse_template
from tests.registration_template.restoration.damages import DAMAGES
from tests.support.shared_data import shared

# The damage of each report, by its number in the collection of reports.
REPORTS = {
    "t-quoted": "quoted",
    "t-gmail-bold": "bold of mail",
    "t-md-bold": "bold",
    "t-md-h2": "heading",
    "t-html": "HTML, paragraphs",
    "t-qp": "“=3D” alone",
    "t-nbsp-headings": "no-break spaces",
    "t-nbsp-after-colon": "no-break space after the colon",
    "t-zwsp-after-colon": "zero-width space",
    "t-fullwidth-colon": "full-width colon",
    "t-bullet-middle-dot": "bullet U+00B7",
    "t-lower-case": "lower case",
    "t-rfc-pages": "pages of an RFC",
    "t-draft-pages": "pages of a draft",
    "t-signature": "signature",
    "t-draft-sections": "later sections",
    "t-md-fence": "fence",
    "t-table": "table",
}


@pytest.mark.parametrize("damage", REPORTS.values())
def test_each_report_has_its_damage_in_the_default_run(damage: str) -> None:
    assert damage in DAMAGES  # which `test_damages.py` tries


def test_every_reported_text_is_read_as_if_it_were_whole() -> None:
    lines = shared("data/reports/cases.jsonl").read_text(encoding="utf-8").splitlines()
    reports = {
        case["id"]: case["input"] for case in map(json.loads, lines) if case["kind"] == "template-text"
    }
    assert reports.keys() == REPORTS.keys()
    whole = parse_exactly("\n".join(line[2:] for line in reports["t-quoted"].split("\n"))).template
    read = {name: parse_template(text) for name, text in reports.items()}
    assert {name for name, parsed in read.items() if parsed.template != whole} == set()
    assert {name for name, parsed in read.items() if not parsed.changes} == set()
