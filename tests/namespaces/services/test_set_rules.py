"""Setting rules: a version of its own each time, by an administrator, told in the record and by mail."""

from functools import partial
from typing import Any

import pytest

from registry.accounts.models import RoleName, User
from registry.cases.drafts import drafts
from registry.cases.findings import findings_of
from registry.core.exceptions import NotPermitted
from registry.core.text_limits import MAX_BASIS_LENGTH
from registry.core.validators import TextMissing, TextTooLong, UnstorableCharacter
from registry.mail.models import Message
from registry.namespaces.models import Kind, Namespace, Origin, RulesVersion
from registry.namespaces.rules.naming_rules import InvalidIgnoredCharacters, Rules
from registry.namespaces.rules.patterns import InvalidPattern
from registry.namespaces.services import registration
from registry.namespaces.services.rules import RulesUnchanged, StaleRules, set_rules
from tests.cases.traces import one_event, refused
from tests.support.databases import at_once, refusals
from tests.support.factories import a_draft, a_person, a_template

PATTERN, BASIS = "[0-9]+:[0-9]+", "Syntax: “a garden's number, a colon, and the tree's number”."


@pytest.fixture
def trees(registrant: User) -> Namespace:
    return registration.register_formal(a_template(), registrant=registrant).namespace


def reread(namespace: Namespace) -> Namespace:
    return Namespace.objects.select_related("rules").get(pk=namespace.pk)


def test_rules_are_a_version_and_an_event(trees: Namespace, administrator: User) -> None:
    before = Namespace.objects.values().get(pk=trees.pk)
    said = {"nss_pattern": PATTERN, "ignores_case": False, "ignored_characters": "-."}
    with one_event(
        verb="set_rules",
        by=administrator,
        case=None,
        moved=("", ""),
        reason=BASIS,
        text="",
        details={"version": 1, "outcome": "set", **said},
    ):
        made = set_rules(
            trees, by=administrator, basis=f" {BASIS}\n", replaces=0, **said | {"ignored_characters": ".-."}
        )
    assert (made.version, made.value, made.basis) == (1, Rules(PATTERN, False, "-."), BASIS)
    assert (made.set_by, made.namespace.rules) == (administrator, made)
    after = Namespace.objects.values().get(pk=trees.pk)
    assert {name for name in after if after[name] != before[name]} == {"rules_id", "changed_at"}


def test_each_setting_is_the_next_version_and_an_empty_one_takes_them_back(
    trees: Namespace, administrator: User
) -> None:
    set_rules(trees, by=administrator, basis=BASIS, replaces=0, nss_pattern=PATTERN)
    second = set_rules(
        trees, by=administrator, basis=BASIS, replaces=1, nss_pattern=PATTERN, ignores_case=True
    )
    assert reread(trees).rules == second
    third = set_rules(trees, by=administrator, basis="They were wrong.", replaces=2)
    assert (third.version, third.value.is_empty, reread(trees).rules) == (3, True, None)
    fourth = set_rules(trees, by=administrator, basis=BASIS, replaces=3, nss_pattern=PATTERN)
    assert (fourth.version, reread(trees).rules) == (4, fourth)
    assert trees.rules_versions.count() == 4


@pytest.mark.parametrize(
    ("said", "refusal"),
    [
        ({"basis": ""}, TextMissing),
        ({"basis": " \n\u00a0"}, TextMissing),
        ({"basis": "a\x00"}, UnstorableCharacter),
        ({"basis": "x" * (MAX_BASIS_LENGTH + 1)}, TextTooLong),
        ({"nss_pattern": "[0-9]+\n"}, InvalidPattern),
        ({"nss_pattern": "(?=a)"}, InvalidPattern),
        ({"nss_pattern": "é"}, InvalidPattern),
        ({"nss_pattern": "x" * 2_001}, InvalidPattern),
        ({"ignored_characters": "-\n"}, InvalidIgnoredCharacters),
        ({"ignored_characters": "٣"}, InvalidIgnoredCharacters),
        ({"nss_pattern": ""}, RulesUnchanged),
        ({"replaces": 1}, StaleRules),
        ({"replaces": -1}, StaleRules),
    ],
    ids=lambda value: ascii(value)[:40],
)
def test_invalid_rules_are_rejected(
    trees: Namespace, administrator: User, said: dict[str, Any], refusal: type[Exception]
) -> None:
    with refused(refusal):
        set_rules(trees, by=administrator, **{"basis": BASIS, "replaces": 0, "nss_pattern": PATTERN} | said)
    assert not RulesVersion.objects.exists()


def test_unchanged_rules_are_rejected(trees: Namespace, administrator: User) -> None:
    set_rules(trees, by=administrator, basis=BASIS, replaces=0, ignores_case=True)
    with refused(RulesUnchanged):
        set_rules(trees, by=administrator, basis=f"{BASIS} ", replaces=1, ignores_case=True)
    set_rules(trees, by=administrator, basis="Version 2, Syntax.", replaces=1, ignores_case=True)
    set_rules(trees, by=administrator, basis="They were wrong.", replaces=2)
    with refused(RulesUnchanged):
        set_rules(trees, by=administrator, basis="They are still wrong.", replaces=3)


def test_it_is_for_administrators_of_others_namespaces(
    trees: Namespace, expert: User, liaison: User, participant: User
) -> None:
    both = a_person(email="both@example.org", roles=(RoleName.ADMINISTRATOR,))
    own = registration.register_informal(a_template(namespace_identifier=""), registrant=both).namespace
    for person, namespace in (
        (expert, trees),
        (liaison, trees),
        (participant, trees),
        (trees.registrant, trees),
        (both, own),
    ):
        assert person is not None
        with refused(NotPermitted):
            set_rules(namespace, by=person, basis=BASIS, replaces=0, nss_pattern=PATTERN)


def test_the_registrant_is_notified_of_rules_that_are_set_or_removed(
    trees: Namespace, administrator: User, registrant: User
) -> None:
    set_rules(
        trees, by=administrator, basis=BASIS, replaces=0, nss_pattern="[<&'0-9:]+", ignored_characters="-"
    )
    set_rules(trees, by=administrator, basis="They were wrong.", replaces=1)
    told, taken_back = Message.objects.filter(name="set_rules").order_by("pk")
    assert told.to == taken_back.to == registrant.email
    assert told.subject == "The naming rules of example-trees were set"
    for words in ("[<&'0-9:]+", "Ignored when names are compared: hyphens", "a garden's number"):
        assert words in " ".join(told.body.split())
    assert "removed the naming rules" in " ".join(taken_back.body.split())


def test_an_imported_namespace_has_rules_without_mail(db: None, administrator: User) -> None:
    isbn = Namespace.objects.create(nid="isbn", kind=Kind.FORMAL, origin=Origin.IANA)
    set_rules(isbn, by=administrator, basis="RFC 8254", replaces=0, ignored_characters="-")
    assert not Message.objects.exists()


def test_a_pattern_is_escaped_in_the_rules_and_the_history(
    client: Any, trees: Namespace, administrator: User
) -> None:
    set_rules(trees, by=administrator, basis="{version} <b>", replaces=0, nss_pattern="a{1,2}<b>?")
    page = client.get("/namespaces/example-trees/").text
    assert page.count("a{1,2}&lt;b&gt;?") == 2, "in the rules and in the history"
    assert "Naming rules set, version 1" in page
    assert "{version} &lt;b&gt;" in page


def test_the_second_of_two_concurrent_changes_of_the_rules_is_refused(real_database: None) -> None:
    first, second = (
        a_person(email=f"{name}@example.org", roles=(RoleName.ADMINISTRATOR,)) for name in ("first", "second")
    )
    trees = registration.register_formal(
        a_template(), registrant=a_person(email="registrant@example.org")
    ).namespace
    answers = at_once(
        [
            partial(set_rules, trees, by=first, basis=BASIS, replaces=0, nss_pattern=PATTERN),
            partial(set_rules, trees, by=second, basis=BASIS, replaces=0, ignores_case=True),
        ]
    )
    assert [type(error) for error in refusals(answers)] == [StaleRules]
    (made,) = RulesVersion.objects.all()
    assert (made.version, reread(trees).rules) == (1, made)


# Where they are asked


@pytest.mark.parametrize(
    ("example", "is_blocked"),
    [("urn:example-trees:12:4711", False), ("urn:example-trees:twelve", True), ("urn:isbn:twelve", False)],
)
def test_an_example_of_a_revision_that_breaks_the_rules_blocks_it(
    trees: Namespace, administrator: User, registrant: User, example: str, is_blocked: bool
) -> None:
    set_rules(trees, by=administrator, basis=BASIS, replaces=0, nss_pattern=PATTERN)
    case = drafts.start_revision(reread(trees), by=registrant)
    changed = a_template(version=2, syntax=f"As in {example}.", revision_information="Another example.")
    case = drafts.save_draft(case, changed, by=registrant, stamp=case.draft_stamp)
    found = [each for each in findings_of(case) if each.code == "example-breaks-rule"]
    assert [each.severity for each in found] == (["blocking"] if is_blocked else [])
    if is_blocked:
        assert (found[0].section, PATTERN in found[0].message) == ("syntax", True)


def test_a_new_case_has_no_rules(registrant: User, trees: Namespace) -> None:
    case = a_draft(
        by=registrant, namespace_identifier="example-oaks", syntax="As in urn:example-oaks:twelve."
    )
    assert not [each for each in findings_of(case) if each.code == "example-breaks-rule"]
