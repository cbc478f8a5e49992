"""`urns/{urn}`: a URN judged by the profile of its namespace, and what was probably meant."""

from itertools import combinations
from typing import Any

import pytest
from django.test import Client

from registry.accounts.models import User
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.models import Namespace
from tests.api.schema_checks import check_response
from tests.support.factories import an_imported_namespace
from urnsyntax.profiles import Profile


def asked(client: Client, urn: str) -> Any:
    response = client.get("/api/v1/urns/", {"urn": urn})
    check_response("get", response)
    return response.json()


def test_a_wrong_check_digit_is_named_with_the_right_one(client: Client, profiles: list[Profile]) -> None:
    response = client.get("/api/v1/urns/urn:isbn:9780451450523")
    check_response("get", response)
    body = response.json()
    assert body["judgement"] == {
        "profile_version": 1,
        "title": "International Standard Book Number",
        "resource": "a book",
        "conformant": False,
        "reason": "The check digit is wrong; it would be 4.",
        "position": 21,
        "rule": "isbn",
        "expected": "4",
        "notes": [],
        "parts": [
            {"rule": "gs1-element", "label": "GS1 element", "text": "978", "start": 9, "end": 12},
            {"rule": "check-digit", "label": "check digit", "text": "3", "start": 21, "end": 22},
        ],
        "check_digits": [
            {
                "algorithm": "isbn",
                "label": "ISBN",
                "text": "9780451450523",
                "start": 9,
                "end": 22,
                "is_right": False,
                "expected": "4",
                "required": True,
            }
        ],
        "canonical": "urn:isbn:9780451450523",
        "equivalents": [],
        "subnamespaces": [],
        "unknown_subnamespace": None,
        "rest": None,
    }
    assert body["did_you_mean"] == [
        {"urn": "urn:isbn:9780451450524", "reason": "The check digit is wrong; it would be 4"}
    ]


ONE_BOOK = ("urn:isbn:978-0-451-45052-4", "urn:ISBN:0451450523", "urn:isbn:9780451450524")


@pytest.mark.parametrize("urn", ONE_BOOK)
def test_the_forms_of_one_book_are_right(client: Client, profiles: list[Profile], urn: str) -> None:
    body = asked(client, urn)
    judgement = body["judgement"]
    assert (judgement["conformant"], judgement["reason"], judgement["position"]) == (True, None, None)
    assert (judgement["rule"], judgement["expected"], body["did_you_mean"]) == (None, None, [])
    assert [each["is_right"] for each in judgement["check_digits"]] == [True]
    assert judgement["canonical"] == "urn:isbn:9780451450524"
    assert set(map(str.lower, ONE_BOOK)) - {urn.lower()} <= set(judgement["equivalents"])


def test_the_forms_of_one_book_are_equivalent(client: Client, profiles: list[Profile]) -> None:
    others = ("urn:isbn:9780451450523", "urn:isbn:9510184357")
    for first, second in combinations((*ONE_BOOK, *others), 2):
        sent = {"first": first, "second": second}
        body = client.post("/api/v1/urns/compare/", sent, "application/json").json()
        is_one_book = {first, second} <= set(ONE_BOOK)
        assert (body["are_equivalent"], body["by"]) == (is_one_book, "profile" if is_one_book else None)


@pytest.mark.parametrize(
    ("urn", "reason", "position", "meant"),
    [
        ("urn:uuid:zzz", "“z” stands where a hexadecimal digit is expected.", 9, None),
        ("urn:issn:0028-0837", "The check digit is wrong; it would be 6.", 17, "urn:issn:0028-0836"),
        ("urn:lei:7LTWFZYICNSX8D621K87", "The check digits are wrong; they would be 86.", 26,
         "urn:lei:7LTWFZYICNSX8D621K86"),
        ("urn:oid:1..3", "The number is missing before “.”.", 10, "urn:oid:1.3"),
        ("urn:issn:0028-0836", None, None, None),
        ("urn:oid:1.3.6.1", None, None, None),
    ],
)  # fmt: skip
def test_each_rule_is_named_with_its_place(
    client: Client, profiles: list[Profile], urn: str, reason: str | None, position: int | None, meant: str | None
) -> None:  # fmt: skip
    body = asked(client, urn)
    judgement = body["judgement"]
    assert (judgement["conformant"], judgement["reason"]) == (reason is None, reason)
    assert judgement["position"] == position
    assert [each["urn"] for each in body["did_you_mean"]] == ([meant] if meant else [])


@pytest.mark.exhaustive
def test_the_examples_of_profiles_are_judged_as_they_say(client: Client, profiles: list[Profile]) -> None:
    for profile in profiles:
        expected = None if profile.names.unstated else True
        for example in profile.names.examples:
            assert asked(client, example.urn)["judgement"]["conformant"] is expected
        for wrong in profile.names.counterexamples:
            judgement = asked(client, wrong.urn)["judgement"]
            assert (judgement["conformant"], bool(judgement["reason"])) == (False, True)


def test_a_namespace_whose_rules_are_unstated_says_why(client: Client, profiles: list[Profile]) -> None:
    judgement = asked(client, "urn:example:anything")["judgement"]
    stated = next(each.names.unstated for each in profiles if each.nid == "example")
    assert (judgement["conformant"], judgement["reason"]) == (None, stated)
    assert (judgement["parts"], judgement["check_digits"]) == ([], [])


def test_a_removed_profile_judges_nothing(
    client: Client, profiles: list[Profile], administrator: User
) -> None:
    isbn = Namespace.objects.get(nid="isbn")
    set_profile(isbn, by=administrator, profile=None, basis="It is wrong.", replaces=1)
    assert asked(client, "urn:isbn:9780451450523")["judgement"] is None


def test_an_unregistered_namespace_is_taken_for_a_similar_one(
    client: Client, profiles: list[Profile]
) -> None:
    body = asked(client, "urn:ibsn:0451450523?=q")
    assert body["namespace"]["is_registered"] is False
    assert body["judgement"] is None
    assert [each["urn"] for each in body["did_you_mean"]] == ["urn:isbn:0451450523?=q"]
    for urn in ("URN:nobody:1", "urn:nobody:1"):
        assert asked(client, urn)["did_you_mean"] == []


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("ISBN 0-451-45052-3", "urn:isbn:0-451-45052-3"),
        ("978-0-451-45052-4", "urn:isbn:978-0-451-45052-4"),
        (" “urn:isbn:0451450523”", "urn:isbn:0451450523"),
        ("urn:isbn:978 0451450524", "urn:isbn:9780451450524"),
        ("urn:isbn:", None),
        ("é", None),
    ],
)
def test_a_text_that_is_no_urn_is_answered_with_what_was_meant(
    client: Client, profiles: list[Profile], text: str, meant: str | None
) -> None:
    problem = asked(client, text)
    assert problem["type"].endswith("/problems/urn-malformed/")
    assert [each["urn"] for each in problem["did_you_mean"]] == ([meant] if meant else [])
    sent = {"first": "urn:isbn:1", "second": text}
    compared = client.post("/api/v1/urns/compare/", sent, "application/json").json()
    assert compared["did_you_mean"] == problem["did_you_mean"]


def test_a_namespace_without_profile_is_not_judged(client: Client) -> None:
    an_imported_namespace(nid="isbn")
    body = asked(client, "urn:isbn:9780451450523")
    assert (body["judgement"], body["did_you_mean"]) == (None, [])
