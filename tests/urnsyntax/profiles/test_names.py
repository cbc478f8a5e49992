"""Names that people wrote, by the rules of their namespaces (tests/data/names)."""

import json
import re
from pathlib import Path

import pytest

from tests.urnsyntax.profiles.samples import FIXTURES, PROFILES, profile
from urnsyntax import URN
from urnsyntax.cli.main import main
from urnsyntax.profiles import InvalidProfile

PATH = Path(__file__).resolve().parents[2] / "data" / "names" / "cases.jsonl"
CASES = [json.loads(line) for line in PATH.read_text("utf-8").splitlines()]


def of_kind(kind):
    cases = [each for each in CASES if each["kind"] == kind]
    return pytest.mark.parametrize("case", cases, ids=[each["id"] for each in cases])


def test_every_case_has_a_test():
    assert {each["kind"] for each in CASES} == {
        "judge", "suggest", "equivalents", "addresses", "file", "compare", "parts"
    }  # fmt: skip


@of_kind("judge")
def test_a_name_gets_its_verdict(case):
    judgement = PROFILES.judge(case["input"])
    assert judgement.conformant is case["conformant"]
    assert case.get("reason", "") in judgement.reason
    notes = [each.expected for each in judgement.notes]
    assert notes == [case["note"]] if case.get("note") else notes == []
    assert judgement.repair == case.get("repair")


def test_no_example_of_a_profile_has_a_note():
    """A counterexample may have one: it shows what is wrong. A list that is known in part may lack an example."""
    noted = [
        example.urn
        for each in PROFILES
        for example in each.names.examples
        if any(note.rule != "sub-namespace" for note in PROFILES.judge(example.urn).notes)
    ]
    assert noted == []


@pytest.mark.parametrize("country", ["se", "no", "fi", "nl"])
def test_other_countries_have_no_check_digit(country):
    judgement = PROFILES.judge(f"urn:nbn:{country}:bvb:473-opus4-102148")
    assert judgement.check_digits == judgement.notes == ()


@pytest.mark.parametrize("nss", ["de:101-b", "de:101-1%20", "de:101-1!2", "ch-X"])
def test_a_name_without_a_check_digit_gets_no_note(nss):
    judgement = PROFILES.judge(f"urn:nbn:{nss}")
    assert judgement.conformant
    assert judgement.notes == ()


def test_a_note_says_that_the_digit_is_not_required_and_where_it_is():
    [note] = PROFILES.judge("urn:nbn:ch:bel-9030").notes
    assert (
        note.reason
        == "The check digit is wrong; it would be 9. The rules of the namespace do not require it."
    )
    assert (note.position, note.rule, note.expected) == (18, "nbn-dnb", "9")


NUMBERS = "number = 1*DIGIT"


def test_a_check_can_be_noted_or_for_some_values_only():
    noted = profile(abnf=NUMBERS, checks=[{"algorithm": "luhn", "required": False}]).judge(
        "urn:trees:79927398710"
    )
    assert noted.conformant
    assert noted.repair == "urn:trees:79927398713"
    only = {"number": ["7*"]}
    some = profile(abnf=NUMBERS, checks=[{"algorithm": "luhn", "only": only}])
    assert some.judge("urn:trees:79927398710").conformant is False
    assert some.judge("urn:trees:19927398710").conformant
    with pytest.raises(InvalidProfile, match="leaf"):
        profile(abnf=NUMBERS, checks=[{"algorithm": "luhn", "only": {"leaf": ["7*"]}}])


@of_kind("equivalents")
def test_an_isbn_is_divided_into_all_its_elements_or_not_at_all(case):
    for each in (case["input"], *PROFILES.judge(case["input"]).equivalents):
        nss = each.removeprefix("urn:isbn:")
        hyphens = {13: 4, 10: 3}[len(nss.replace("-", ""))]
        assert nss.count("-") in (0, hyphens)
        assert re.search("^-|--|-$", nss) is None


@of_kind("addresses")
def test_each_address_is_listed_once(case):
    found = [each.address for each in PROFILES.get("nbn").services_for(case["input"])]
    assert found
    assert len(found) == len(set(found))


@of_kind("suggest")
def test_a_suggestion_keeps_the_name(case):
    found = [each.urn for each in PROFILES.suggest(case["input"])]
    assert case.get("with") is None or case["with"] in found
    for unwanted in case["without"]:
        assert not [each for each in found if each.startswith(unwanted)]


@of_kind("compare")
def test_urns_are_compared_by_the_rules_of_their_namespace(case, capsys):
    assert main(["compare", "--profiles", str(FIXTURES), *case["input"].split()]) == 0
    by_rules = f" by the rules of “{by}”" if (by := case.get("by", "uuid")) else ""
    assert capsys.readouterr().out.startswith(f"equivalent{by_rules}")


@of_kind("parts")
def test_the_parts_of_a_urn_are_told_apart(case):
    urn = URN.parse(case["input"])
    parts = (urn.nss, urn.r_component, urn.q_component, urn.f_component)
    assert parts == tuple(case[name] for name in ("nss", "r", "q", "f"))


@of_kind("file")
@pytest.mark.parametrize("more", [[], ["--profiles", str(PATH.parents[3] / "fixtures" / "profiles")]])
def test_a_byte_order_mark_belongs_to_no_line(case, more, tmp_path, capsys):
    path = tmp_path / "urns.txt"
    path.write_text(case["input"], "utf-8")
    assert main(["check", *more, "--file", str(path)]) == 0
    assert f"{case['good']} good, {case['bad']} bad" in capsys.readouterr().out


def test_check_names_a_nid_that_cannot_be_registered(capsys):
    assert main(["check", "urn:xn--a:b", "urn:urn-07:1", "urn:example:a"]) == 0
    assert capsys.readouterr().out.count("The NID cannot be registered.") == 2


def test_a_blank_line_is_neither_good_nor_bad(tmp_path, capsys):
    path = tmp_path / "urns.txt"
    path.write_text("urn:example:a\n\n  \nurn:example:\n", "utf-8")
    for more in ([], ["--profiles", str(FIXTURES)]):
        assert main(["check", *more, "--file", str(path)]) == 1
        assert "1 good, 1 bad" in capsys.readouterr().out


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_a_file_has_the_notes_of_each_urn(more, tmp_path, capsys):
    urns = ["urn:nbn:de:0074-1000-0", "urn:nbn:fi-%e4", "urn:nbn:de:0074-1000-9", "urn:nbn:"]
    path = tmp_path / "urns.txt"
    path.write_text("".join(f"{urn}\n" for urn in urns), "utf-8")
    profiles = [*more, "--profiles", str(FIXTURES)]
    assert main(["check", *profiles, "--file", str(path)]) == 1
    listed = capsys.readouterr().out.splitlines()
    assert len(listed) == 4  # two URNs with notes, one that is none, and the totals
    for number, urn in enumerate(urns[:2], start=1):
        main(["check", *profiles, urn])
        single = capsys.readouterr().out
        [line] = [each for each in listed if f'"line": {number},' in each or f":{number}:" in each]
        if more:
            expected, found = json.loads(single), json.loads(line)
            assert found.items() >= {key: expected[key] for key in ("text", "notes", "doubts")}.items()
            assert found["notes"] or found["doubts"]
        else:
            assert line.partition(": note: ")[2] in single


def test_an_isbn_of_ten_digits_is_the_same_book(capsys):
    pair = ["urn:isbn:0451450523", "urn:isbn:978-0-451-45052-4"]
    assert main(["compare", "--profiles", str(FIXTURES), *pair]) == 0
    assert capsys.readouterr().out.startswith("equivalent by the rules of “isbn”")
    assert main(["compare", "--json", "--profiles", str(FIXTURES), *pair]) == 0
    assert json.loads(capsys.readouterr().out)["by"] == "profile"
    assert main(["compare", "urn:x-unknown:a", "urn:x-unknown:b"]) == 1
    assert "alone" in capsys.readouterr().out


ADDRESSES = [
    (each.nid, example, service)
    for each in PROFILES
    for service in each.services
    if service.address_template.variables
    for example in service.examples
]


@pytest.mark.parametrize(("nid", "urn", "service"), ADDRESSES, ids=[f"{b}@{c.host}" for _, b, c in ADDRESSES])
def test_the_address_of_a_service_leads_back_to_its_urn(nid, urn, service):
    """If the address does not contain the whole name, then to the shortest name with this address."""
    known = PROFILES.get(nid)

    def address_of(text):
        return next(
            each.address for each in known.services_for(text) if each.service.template == service.template
        )

    address = address_of(urn)
    found = [each.urn for each in PROFILES.suggest(address.replace("https:", "http:", 1))]
    own = [each for each in found if each.startswith(f"urn:{nid}:")]
    assert own
    judgements = [known.judge(each).canonical for each in own]
    assert known.judge(urn).canonical in judgements or address_of(own[0]) == address


KEPT = [
    ("urn:doi:10.1000/é", "urn:doi:10.1000/%C3%A9"),
    ("10.1000/abc(1)", "urn:doi:10.1000/abc(1)"),
    ("(see urn:doi:10.1000/abc(1))", "urn:doi:10.1000/abc(1)"),
    ("978-0-395-36341-6 (pbk.)", "urn:isbn:978-0-395-36341-6"),
    ("ISBN 978-0-395-36341-6 (pbk.)", "urn:isbn:978-0-395-36341-6"),
    ("See urn:isbn:0451450523 for details.", "urn:isbn:0451450523"),
    ("urn:isbn:0451450523 is a book", "urn:isbn:0451450523"),
    ("urn:nbn:de:bvb:\n  19-146642", "urn:nbn:de:bvb:19-146642"),
    ("https://identifiers.org/isbn:9780451450524", "urn:isbn:9780451450524"),
    ("https://identifiers.org/issn:0028-0836/", "urn:issn:0028-0836"),
    ("https://identifiers.org/issn:0028-0836?format=json#top", "urn:issn:0028-0836"),
    ("https://www.rfc-editor.org:443/rfc/rfc8141", "urn:ietf:rfc:8141"),
    ("http://doi.org:80/10.1000/182", "urn:doi:10.1000/182"),
    ("urn:doi:10.1000/a b?=x#y", "urn:doi:10.1000/a%20b?=x#y"),
    ("urn:doi:10.1000/a b?+x?=y z#q?r#s", "urn:doi:10.1000/a%20b?+x?=y%20z#q?r%23s"),
    ("https://isni.org/page/000000012281955X/", "urn:isni:000000012281955X"),
    ("https://urn.kb.se/resolve?urn=urn%3Anbn%3Ase%3Auu%3Adiva-3475&x=1", "urn:nbn:se:uu:diva-3475"),
    ("https://search.gleif.org/#/record/7LTWFZYICNSX8D621K86", "urn:lei:7LTWFZYICNSX8D621K86"),
    ("http://urn.fi/URN:NBN:fi-fe201003181510", "urn:nbn:fi-fe201003181510"),
    ("urn%3Aisbn%3A0451450523", "urn:isbn:0451450523"),
    ("urn://isbn:0451450523", "urn:isbn:0451450523"),
    ("urn:ISBN 0451450523", "urn:isbn:0451450523"),
    ("urn:isbn:0028-0836", "urn:issn:0028-0836"),
    ("urn:isbn:９７８０３９５３６３４１６", "urn:isbn:9780395363416"),
    ("info:doi/10.1000/182", "urn:doi:10.1000/182"),
    ("ISBN13 9780395363416", "urn:isbn:9780395363416"),
    ("e-ISSN: 1476-4687", "urn:issn:1476-4687"),
    ("ISSN-L 0028-0836", "urn:issn:0028-0836"),
    ("978-3-16-148410-0.epub", "urn:isbn:978-3-16-148410-0"),
]


@pytest.mark.parametrize(("text", "urn"), KEPT)
def test_what_is_written_around_a_name_is_left_out_and_nothing_else(text, urn):
    assert [each.urn for each in PROFILES.suggest(text)] == [urn]


@pytest.mark.parametrize(
    "odd", ["\ud800", "\x00", "é", "%00", "%ff", "%", "{", "\\", "a" * 900, "/" * 900, " " * 900]
)
@pytest.mark.parametrize(
    "start", ["https://doi.org/10.1000/", "http://", "https://isni.org", "https://urn.fi/URN:NBN:fi-"]
)
def test_any_text_can_follow_a_link(start, odd):
    for each in PROFILES.suggest(f"{start}{odd}x"):
        assert PROFILES.judge(each.urn).conformant


def test_no_name_is_made_up_from_an_example():
    """The address of a GTIN does not say which lot it is of."""
    [found] = PROFILES.suggest("https://id.gs1.org/01/09506000134352")
    assert found.urn == "urn:gs1:01:09506000134352"
    assert PROFILES.suggest("https://id.gs1.org/") == ()


def test_the_address_of_an_rfc_is_not_that_of_a_draft():
    assert PROFILES.suggest("https://datatracker.ietf.org/doc/html/rfc8141") == ()
