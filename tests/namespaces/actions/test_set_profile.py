"""Setting a profile: a version each time, by an administrator, recorded and mailed, with examples that behave."""

from functools import partial
from typing import Any

import pytest

from registry.accounts.models import RoleName, User
from registry.cases.drafts import drafts
from registry.cases.findings import findings_of
from registry.core.digests import digest_of
from registry.core.validators import (
    MAX_BASIS_LENGTH,
    MAX_LISTED,
    TextMissing,
    TextTooLong,
    UnstorableCharacter,
)
from registry.mail.models import Message
from registry.namespaces.actions import registration
from registry.namespaces.actions.profiles import (
    ExamplesFail,
    NamesContradict,
    ProfileOfOtherNamespace,
    ProfileUnchanged,
    RegistrationContradicted,
    StaleProfile,
    set_profile,
)
from registry.namespaces.current_profiles import changed_keys
from registry.namespaces.models import Namespace, ProfileVersion
from tests.cases.traces import one_event, refused
from tests.support.databases import at_once, refusals
from tests.support.factories import BASIS, a_draft, a_person, a_profile, a_template, an_imported_namespace

UNSTATED = {"unstated": "The registration states none."}


def reread(namespace: Namespace) -> Namespace:
    return Namespace.objects.select_related("profile").get(pk=namespace.pk)


def test_a_profile_is_a_version_and_an_event(trees: Namespace, administrator: User) -> None:
    before = Namespace.objects.values().get(pk=trees.pk)
    profile = a_profile(ignored_characters="-")
    changed = ["names.counterexamples", "names.examples", "names.ignored_characters", "names.pattern", "nid",
               "sources", "subjects", "summary", "title"]  # fmt: skip
    with one_event(
        verb="set_profile",
        by=administrator,
        case=None,
        moved=("", ""),
        reason=BASIS,
        text=digest_of(profile.to_dict()),
        details={"version": 1, "outcome": "set", "changed": changed},
    ):
        made = set_profile(trees, by=administrator, profile=profile, basis=f" {BASIS}\n", replaces=0)
    assert (made.version, made.value, made.basis) == (1, profile, BASIS)
    assert (made.set_by, made.namespace.profile, made.namespace.has_grammar) == (administrator, made, True)
    after = Namespace.objects.values().get(pk=trees.pk)
    differ = {name for name in after if after[name] != before[name]}
    assert differ == {"profile_id", "has_grammar", "changed_at"}


def test_each_setting_is_the_next_version_and_none_removes_the_profile(
    trees: Namespace, administrator: User
) -> None:
    set_profile(trees, by=administrator, profile=a_profile(), basis=BASIS, replaces=0)
    second = set_profile(trees, by=administrator, profile=a_profile(**UNSTATED), basis=BASIS, replaces=1)
    assert (reread(trees).profile, reread(trees).has_grammar) == (second, False)
    with one_event(
        verb="set_profile",
        by=administrator,
        case=None,
        moved=("", ""),
        reason="They were wrong.",
        text=digest_of(None),
        details={"version": 3, "outcome": "removed", "changed": changed_keys(second.content, None)},
    ):
        third = set_profile(trees, by=administrator, profile=None, basis="They were wrong.", replaces=2)
    assert (third.version, third.value, reread(trees).profile) == (3, None, None)
    fourth = set_profile(trees, by=administrator, profile=a_profile(), basis=BASIS, replaces=3)
    assert (fourth.version, reread(trees).profile, reread(trees).has_grammar) == (4, fourth, True)
    assert trees.profile_versions.count() == 4


@pytest.mark.parametrize(
    ("sent", "refusal"),
    [
        ({"basis": ""}, TextMissing),
        ({"basis": " \n\u00a0"}, TextMissing),
        ({"basis": "a\x00"}, UnstorableCharacter),
        ({"basis": "x" * (MAX_BASIS_LENGTH + 1)}, TextTooLong),
        ({"profile": None}, ProfileUnchanged),
        ({"replaces": 1}, StaleProfile),
        ({"replaces": -1}, StaleProfile),
        ({"profile": a_profile("example-oaks")}, ProfileOfOtherNamespace),
        ({"profile": a_profile(examples=("12:4711",))}, ExamplesFail),
        ({"profile": a_profile(**UNSTATED, examples=())}, ExamplesFail),
    ],
    ids=lambda value: ascii(value)[:40],
)
def test_an_invalid_change_is_rejected(
    trees: Namespace, administrator: User, sent: dict[str, Any], refusal: type[Exception]
) -> None:
    with refused(refusal):
        set_profile(trees, by=administrator, **{"profile": a_profile(), "basis": BASIS, "replaces": 0} | sent)
    assert not ProfileVersion.objects.exists()


def test_a_stale_change_says_which_version_is_current(trees: Namespace, administrator: User) -> None:
    set_profile(trees, by=administrator, profile=a_profile(), basis=BASIS, replaces=0)
    with refused(StaleProfile) as caught:
        set_profile(trees, by=administrator, profile=a_profile(**UNSTATED), basis=BASIS, replaces=0)
    assert caught.value.members == {"current": 1}


def test_an_unchanged_profile_is_rejected(trees: Namespace, administrator: User) -> None:
    set_profile(trees, by=administrator, profile=a_profile(), basis=BASIS, replaces=0)
    with refused(ProfileUnchanged):
        set_profile(trees, by=administrator, profile=a_profile(), basis=f"{BASIS} ", replaces=1)
    set_profile(trees, by=administrator, profile=a_profile(), basis="Version 2, Syntax.", replaces=1)
    set_profile(trees, by=administrator, profile=None, basis="It was wrong.", replaces=2)
    with refused(ProfileUnchanged):
        set_profile(trees, by=administrator, profile=None, basis="It is still wrong.", replaces=3)


def test_each_example_that_does_not_behave_is_named(trees: Namespace, administrator: User) -> None:
    profile = a_profile(examples=("1:1", "one:2", "2:two"), counterexamples=("a", "b", "12:3"))
    with refused(ExamplesFail) as caught:
        set_profile(trees, by=administrator, profile=profile, basis=BASIS, replaces=0)
    named = ("urn:example-trees:one:2", "urn:example-trees:2:two", "urn:example-trees:12:3")
    assert len(caught.value.failures) == len(named)
    for urn, failure in zip(named, caught.value.failures, strict=True):
        assert failure.startswith(f"{urn} is ")
        assert failure in str(caught.value)


@pytest.mark.parametrize(
    ("number", "more"), [(MAX_LISTED, ""), (11, "There is 1 more. "), (1_011, "There are 1,001 more. ")]
)
@pytest.mark.parametrize("refusal", [ExamplesFail, RegistrationContradicted])
def test_a_message_names_the_first_failures_and_counts_the_others(
    refusal: type[NamesContradict], number: int, more: str
) -> None:
    failures = [f"Name {index} fails." for index in range(number)]
    error = refusal(failures)
    assert str(error) == f"{' '.join(failures[:MAX_LISTED])} {more}{refusal.advice}"
    assert error.members == {"failures": failures}


# The text of the registration


@pytest.mark.parametrize(
    ("syntax", "contradicted"),
    [
        ("As in urn:example-trees:12:4711.", False),
        ("As in urn:example-trees:twelve:x.", True),
        ("As in “URN:Example-Trees:twelve:x”.", True),
        ("As in urn:isbn:twelve and urn:example-oaks:twelve.", False),
        ("As in urn:example-trees:<garden>:<tree> and urn:example-trees:{garden}.", False),
        ("Names begin with urn:example-trees:12, or urn:example-trees:", False),
        ("As in urn:example-trees:12:\n4711.", False),
    ],
)
def test_a_grammar_that_forbids_a_name_of_the_registration_is_rejected(
    registrant: User, administrator: User, syntax: str, contradicted: bool
) -> None:
    trees = registration.register_formal(a_template(syntax=syntax), registrant=registrant).namespace
    grammar = 'trees = 1*DIGIT ":" 1*DIGIT'
    change = partial(
        set_profile, trees, by=administrator, profile=a_profile(abnf=grammar), basis=BASIS, replaces=0
    )
    if not contradicted:
        assert change().version == 1
        return
    with refused(RegistrationContradicted) as caught:
        change()
    (failure,) = caught.value.failures
    assert failure.lower().startswith("the registration contains urn:example-trees:twelve:x, but: “t” stands")
    assert not ProfileVersion.objects.exists()


def test_a_wrong_check_digit_in_the_registration_is_no_contradiction(
    registrant: User, administrator: User
) -> None:
    text = a_template(syntax="As in urn:example-trees:73513538.")
    trees = registration.register_formal(text, registrant=registrant).namespace
    profile = a_profile(
        pattern="[0-9]{8}",
        checks=[{"algorithm": "gtin"}],
        examples=("73513537", "00000000", "12345670"),
        counterexamples=("7", "a", "73513530"),
    )
    assert set_profile(trees, by=administrator, profile=profile, basis=BASIS, replaces=0).version == 1


def test_a_wrong_name_in_the_registration_may_be_a_counterexample(
    registrant: User, administrator: User
) -> None:
    text = a_template(syntax="Not valid: urn:example-trees:twelve:x.")
    trees = registration.register_formal(text, registrant=registrant).namespace
    profile = a_profile(counterexamples=("twelve:x", "12", "x"))
    assert set_profile(trees, by=administrator, profile=profile, basis=BASIS, replaces=0).version == 1


# People


def test_the_registrant_is_notified_of_a_profile_that_is_set_or_removed(
    trees: Namespace, administrator: User, registrant: User
) -> None:
    profile = a_profile(pattern="[<&'0-9:]+", counterexamples=("a", "b", "c"), ignored_characters="-")
    set_profile(trees, by=administrator, profile=profile, basis=BASIS, replaces=0)
    set_profile(trees, by=administrator, profile=None, basis="It was wrong.", replaces=1)
    told, removed = Message.objects.filter(name="set_profile").order_by("pk")
    assert told.to == removed.to == registrant.email
    assert told.subject == "The profile of example-trees was set"
    for words in ("[<&'0-9:]+", "Ignored when names are compared: hyphens.", "a garden's number"):
        assert words in " ".join(told.body.split())
    assert "removed the profile of the namespace example-trees" in " ".join(removed.body.split())


def test_an_imported_namespace_has_a_profile_without_mail(db: None) -> None:
    isbn = an_imported_namespace("isbn")
    made = set_profile(
        isbn, by=None, profile=a_profile("isbn"), basis="The files of the registry.", replaces=0
    )
    assert made.set_by is None
    assert not Message.objects.exists()


def test_texts_of_a_profile_are_escaped_on_the_page_and_in_the_history(
    client: Any, trees: Namespace, administrator: User
) -> None:
    profile = a_profile(title="<b>Trees</b>", pattern="[0-9]{1,2}:[0-9]+|<b>")
    set_profile(trees, by=administrator, profile=profile, basis="{version} <b>", replaces=0)
    page = client.get("/namespaces/example-trees/").text
    for words in ("[0-9]{1,2}:[0-9]+|&lt;b&gt;", "&lt;b&gt;Trees&lt;/b&gt;", "Profile set, version 1",
                  "{version} &lt;b&gt;"):  # fmt: skip
        assert words in page
    assert "<b>Trees" not in page


def test_the_second_of_two_concurrent_changes_is_refused(real_database: None) -> None:
    first, second = (
        a_person(email=f"{name}@example.org", roles=(RoleName.ADMINISTRATOR,)) for name in ("first", "second")
    )
    trees = registration.register_formal(
        a_template(), registrant=a_person(email="registrant@example.org")
    ).namespace
    change = partial(set_profile, trees, basis=BASIS, replaces=0)
    answers = at_once(
        [
            partial(change, by=first, profile=a_profile()),
            partial(change, by=second, profile=a_profile(**UNSTATED)),
        ]
    )
    assert [type(error) for error in refusals(answers)] == [StaleProfile]
    (made,) = ProfileVersion.objects.all()
    assert (made.version, reread(trees).profile) == (1, made)


# Where the grammar applies


@pytest.mark.parametrize(
    ("example", "is_blocked"),
    [("urn:example-trees:12:4711", False), ("urn:example-trees:twelve", True), ("urn:isbn:twelve", False)],
)
def test_an_example_of_a_revision_that_breaks_the_rules_blocks_it(
    trees: Namespace, administrator: User, registrant: User, example: str, is_blocked: bool
) -> None:
    set_profile(
        trees, by=administrator, profile=a_profile(counterexamples=("a", "b", "c")), basis=BASIS, replaces=0
    )
    case = drafts.start_revision(reread(trees), by=registrant)
    changed = a_template(version=2, syntax=f"As in {example}.", revision_information="Another example.")
    case = drafts.save_draft(case, changed, by=registrant, stamp=case.draft_stamp)
    found = [each for each in findings_of(case) if each.code == "example-breaks-rule"]
    assert [each.severity for each in found] == (["blocking"] if is_blocked else [])
    if is_blocked:
        assert (found[0].section, "[0-9]+:[0-9]+" in found[0].message) == ("syntax", True)


def test_a_new_case_has_no_rules(registrant: User, trees: Namespace) -> None:
    case = a_draft(
        by=registrant, namespace_identifier="example-oaks", syntax="As in urn:example-oaks:twelve."
    )
    assert not [each for each in findings_of(case) if each.code == "example-breaks-rule"]
