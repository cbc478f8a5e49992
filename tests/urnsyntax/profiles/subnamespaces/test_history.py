"""What happened before a list had a sub-namespace: reading it from lists and from IANA's XML, and keeping it."""

import pytest

from tests.urnsyntax.profiles.subnamespaces.test_importing import CKT, SOURCE, read, row
from urnsyntax.profiles import InvalidProfile
from urnsyntax.profiles.subnamespaces.history import fault_of_history, read_history
from urnsyntax.profiles.subnamespaces.importing import read_csv, refreshed
from urnsyntax.profiles.subnamespaces.lists import SubNamespace

REGISTERED = {"date": "2004-05", "change": "registered"}
CHANGED = {"date": "2011-03-09", "change": "changed"}


def test_a_history_is_read_and_written_as_it_was():
    content = {"prefix": "kew", "title": "Kew", "history": [REGISTERED, CHANGED]}
    assert SubNamespace.from_dict(content, "example").to_dict() == content
    assert "history" not in SubNamespace.from_dict(content | {"history": []}, "example").to_dict()


@pytest.mark.parametrize(
    "dates",
    [
        ["2004", "2004-05", "2004-05-06", "2004-05", "2004", "2005-01"],
        ["2004-12-31", "2004"],
        ["2004-05-06", "2004-05-06"],
    ],
)
def test_a_date_that_is_not_exact_can_be_before_and_after_its_days(dates):
    assert len(read_history([CHANGED | {"date": each} for each in dates], "history")) == len(dates)


@pytest.mark.parametrize(
    "dates", [["2004-12-31", "2004", "2004-12-30"], ["2005", "2004-12"], ["2004-05", "2004-04-30"]]
)
def test_records_are_in_order(dates):
    with pytest.raises(InvalidProfile, match="is before") as found:
        read_history([CHANGED | {"date": each} for each in dates], "history")
    assert found.value.key == f"history[{len(dates) - 1}].date"


def test_a_history_goes_on_after_what_is_kept():
    kept = read_history([REGISTERED], "")
    more = read_history([REGISTERED, CHANGED], "")
    assert fault_of_history(more, kept, "2011-03-09") == ""
    assert "later than 2011-03-08" in fault_of_history(more, kept, "2011-03-08")
    # What is kept is not judged again.
    assert fault_of_history(kept, kept, "1990-01-01") == ""
    assert "does not begin with" in fault_of_history(kept, more, "2026-01-01")


def record(dates):
    return (
        f"<record {dates}><urn>urn:ietf:params:oauth:ckt</urn><name>COSE Key Thumbprint URI</name></record>"
    )


@pytest.mark.parametrize(
    ("dates", "history"),
    [
        ('date="2004-05" updated="2011-03-09"', [REGISTERED, CHANGED]),
        ('date="2004-05"', [REGISTERED]),
        ('updated="2011-03-09"', [CHANGED]),
        ('date="2011-03-09" updated="2004-05"', [CHANGED | {"change": "registered"}]),
        ('date="May 2004" updated="2011-03-09"', []),
        ("", []),
    ],
)
def test_the_dates_of_a_record_of_iana_are_its_history(dates, history):
    (found,) = read(record(dates))
    assert found == CKT | SOURCE | ({"history": history} if history else {})


def test_a_list_that_is_read_again_adds_to_its_history():
    old = [row("a", history=[REGISTERED, CHANGED]), row("b", history=[REGISTERED]), row("c")]
    later = CHANGED | {"date": "2020-01-02"}
    again = [row("a", history=[REGISTERED, later]), row("b"), row("c", history=[REGISTERED])]
    assert [each.get("history") for each in refreshed(old, again)] == [
        [REGISTERED, CHANGED, later],
        [REGISTERED],
        [REGISTERED],
    ]


@pytest.mark.parametrize(
    ("known", "stated"),
    [
        ([REGISTERED | {"date": "2004"}], [REGISTERED]),
        ([REGISTERED], [REGISTERED | {"date": "2005-01-01"}]),
        ([REGISTERED, CHANGED | {"date": "2011"}], [REGISTERED, CHANGED]),
        ([REGISTERED, CHANGED | {"date": "2011", "change": "retired"}], [CHANGED | {"date": "2012"}]),
    ],
)
def test_what_is_known_is_not_added_again_in_other_words(known, stated):
    (again,) = refreshed([row("a", history=known)], [row("a", history=stated)])
    assert again["history"] == known
    read_history(known, "history")


def test_in_csv_a_history_is_json():
    cell = '"[{""date"": ""2004-05"", ""change"": ""registered""}]"'
    assert read_csv(f"prefix,title,history\nkew,Kew,{cell}\n") == [
        {"prefix": "kew", "title": "Kew", "history": [REGISTERED]}
    ]
