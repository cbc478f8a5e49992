"""assign, with the profile that the registrant proposed: set in the same transaction, or nothing happens at all."""

from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from registry.accounts.models import RoleName, User
from registry.audit_log import log
from registry.audit_log.committed_texts import changed_texts
from registry.audit_log.models import Event
from registry.cases.drafts import drafts
from registry.cases.models import Case, State
from registry.cases.workflow import functions
from registry.core.digests import digest_of
from registry.namespaces.actions import profiles
from registry.namespaces.actions.profiles import StaleProfile, set_profile
from registry.namespaces.models import Kind, Namespace, ProfileVersion
from registry.namespaces.proposals import checking
from registry.namespaces.proposals.applying import as_proposed
from registry.namespaces.proposals.checking import ProfileRefused
from registry.namespaces.proposals.confirmation import ConfirmedProfile
from registry.namespaces.proposals.proposed_profile import ProposedProfile
from tests.cases.traces import check_record_holds, refused
from tests.namespaces.proposals.samples import a_proposal
from tests.support.databases import at_once, refusals
from tests.support.factories import a_draft, a_person, a_profile, a_template, all_done

SUBJECTS = ("science",)


def approved_with(proposed: ProposedProfile, *, by: User, expert: User, **how: Any) -> Case:
    """An approved case that proposes a profile."""
    case = a_draft(by=by, **how)
    return approve_with(case, proposed, expert=expert)


def approve_with(case: Case, proposed: ProposedProfile, *, expert: User, **changes: Any) -> Case:
    case = Case.objects.get(pk=case.pk)
    template = drafts.complete_template(case, case.draft_template)
    if changes:
        template = a_template(**changes)
    case = drafts.save_draft(case, template, by=case.registrant, stamp=case.draft_stamp, profile=proposed)
    case = functions.submit(all_done(case), by=case.registrant, draft_stamp=case.draft_stamp)
    return functions.approve(case, by=expert, round_number=1, rationale="Sound.")


def a_revision_with(namespace: Namespace, proposed: ProposedProfile, *, expert: User, **changes: Any) -> Case:
    assert namespace.registrant is not None
    case = drafts.start_revision(namespace, by=namespace.registrant)
    changes = {"version": 2, "revision_information": "Letters are allowed."} | changes
    return approve_with(case, proposed, expert=expert, **changes)


@pytest.fixture
def proposing(registrant: User, expert: User) -> Case:
    return approved_with(a_proposal(), by=registrant, expert=expert)


@pytest.fixture
def namespace(proposing: Case, administrator: User) -> Namespace:
    """A namespace with version 1 of its profile."""
    confirmed = ConfirmedProfile(a_proposal(), SUBJECTS)
    assigned = functions.assign(proposing, by=administrator, profile=confirmed).namespace
    assert assigned is not None
    return assigned


def current(namespace: Namespace) -> ProfileVersion | None:
    return Namespace.objects.select_related("profile").get(pk=namespace.pk).profile


def test_the_confirmed_profile_is_set_with_the_registration(
    proposing: Case, registrant: User, administrator: User
) -> None:
    case = functions.assign(proposing, by=administrator, profile=ConfirmedProfile(a_proposal(), SUBJECTS))
    assert case.namespace is not None
    version = current(case.namespace)
    assert version is not None
    assert version.value is not None
    assert (version.version, version.set_by) == (1, administrator)
    assert version.basis == (
        f"Proposed in case {case.pk}, round 1, and confirmed at the registration of version 1."
    )
    assert as_proposed(version.value) == a_proposal()
    assert version.value.subjects == SUBJECTS
    document = f"Registration of urn:example-trees, case {case.pk}, round 1"
    assert [(each.kind, each.document) for each in version.value.sources] == [
        ("registration", document),
        ("curated", document),
    ]
    assert [event.verb for event in Event.objects.order_by("-number")[:2]] == ["set_profile", "assign"]
    check_record_holds()


def test_without_a_profile_none_is_set(proposing: Case, administrator: User) -> None:
    assert functions.assign(proposing, by=administrator).state == State.REGISTERED
    assert not ProfileVersion.objects.exists()


def test_an_emptied_profile_is_not_set(proposing: Case, administrator: User) -> None:
    nothing = ConfirmedProfile(ProposedProfile(), replaces=7)
    assert functions.assign(proposing, by=administrator, profile=nothing).state == State.REGISTERED
    assert not ProfileVersion.objects.exists()


def test_the_basis_says_that_the_administrator_changed_it(proposing: Case, administrator: User) -> None:
    changed = ConfirmedProfile(a_proposal(title="Trees"), SUBJECTS)
    case = functions.assign(proposing, by=administrator, profile=changed)
    assert case.namespace is not None
    version = current(case.namespace)
    assert version is not None
    assert "confirmed with changes" in version.basis


@pytest.mark.parametrize(
    ("confirmed", "section"),
    [
        (ConfirmedProfile(a_proposal()), "profile_subjects"),
        (ConfirmedProfile(a_proposal(), ("trees",)), "profile_subjects"),
        (ConfirmedProfile(ProposedProfile(), SUBJECTS), "profile_subjects"),
        (ConfirmedProfile(a_proposal(abnf="tree = ("), SUBJECTS), "profile_abnf"),
        (ConfirmedProfile(a_proposal(abnf="tree = 1*ALPHA"), SUBJECTS), "profile_examples"),
        (ConfirmedProfile(a_proposal(summary=""), SUBJECTS), "profile_summary"),
    ],
)
def test_a_profile_with_findings_registers_nothing(
    proposing: Case, administrator: User, confirmed: ConfirmedProfile, section: str
) -> None:
    with refused(ProfileRefused) as caught:
        functions.assign(proposing, by=administrator, profile=confirmed)
    assert caught.value.findings[0].section == section


def test_the_profile_is_checked_once_and_written_before_the_first_event(
    proposing: Case, administrator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An event blocks all other writers until the end of the transaction."""
    steps: list[str] = []

    def spy(module: Any, name: str) -> None:
        original = getattr(module, name)

        def called(*args: Any, **kwargs: Any) -> Any:
            steps.append(name)
            return original(*args, **kwargs)

        monkeypatch.setattr(module, name, called)

    spy(checking, "failures_of_names")
    spy(profiles, "failures_of")
    spy(checking, "apply_proposal")
    spy(checking, "contradictions_in")
    spy(profiles, "contradictions_in_text")
    spy(ProfileVersion, "save")
    spy(log, "append")
    functions.assign(proposing, by=administrator, profile=ConfirmedProfile(a_proposal(), SUBJECTS))
    assert steps == ["apply_proposal", "failures_of", "contradictions_in_text", "save", "append", "append"]


def test_an_informal_namespace_gets_its_number_in_the_profile(
    registrant: User, expert: User, administrator: User
) -> None:
    examples = "urn:urn-N:12:4711\nurn:urn-n:1:1\nurn:urn-N:99:4"
    proposed = a_proposal(title="Trees of urn-N", examples=examples)
    case = approved_with(proposed, by=registrant, expert=expert, kind=Kind.INFORMAL)
    case = functions.assign(case, by=administrator, profile=ConfirmedProfile(proposed, SUBJECTS))
    assert case.namespace is not None
    version = current(case.namespace)
    assert version is not None
    assert version.value is not None
    assert (version.value.nid, version.value.title) == ("urn-1", "Trees of urn-1")
    assert {each.kind for each in version.value.sources if "title" in each.facts} == {"registration"}
    assert version.value.names.examples[0].urn == "urn:urn-1:12:4711"


def test_a_revision_replaces_what_it_states(namespace: Namespace, expert: User, administrator: User) -> None:
    case = drafts.start_revision(namespace, by=namespace.registrant)  # type: ignore[arg-type]
    assert not case.proposed_profile
    wider = a_proposal(title="", abnf='tree = 1*3DIGIT ":" 1*8DIGIT / 1*ALPHA')
    case = a_revision_with(namespace, wider, expert=expert, syntax="As in urn:example-trees:oak.")
    functions.assign(case, by=administrator, profile=ConfirmedProfile(wider, replaces=1))
    version = current(namespace)
    assert version is not None
    assert version.value is not None
    assert (version.version, version.value.title) == (2, a_proposal().title)
    assert version.value.names.abnf == wider.abnf
    assert version.value.subjects == SUBJECTS


@pytest.mark.parametrize("proposed", [a_proposal(), ProposedProfile()])
def test_subjects_replace_those_of_the_current_profile(
    namespace: Namespace, expert: User, administrator: User, proposed: ProposedProfile
) -> None:
    case = a_revision_with(namespace, proposed, expert=expert)
    confirmed = ConfirmedProfile(proposed, ("law", "health"), replaces=1)
    functions.assign(case, by=administrator, profile=confirmed)
    version = current(namespace)
    assert version is not None
    assert version.value is not None
    assert (version.version, version.value.subjects) == (2, ("law", "health"))


def test_a_revision_that_proposes_nothing_new_sets_nothing(
    namespace: Namespace, expert: User, administrator: User
) -> None:
    case = a_revision_with(namespace, a_proposal(), expert=expert)
    case = functions.assign(case, by=administrator, profile=ConfirmedProfile(a_proposal(), replaces=1))
    assert case.state == State.REGISTERED
    assert ProfileVersion.objects.count() == 1


def test_a_profile_that_was_set_since_is_not_overwritten(
    namespace: Namespace, expert: User, administrator: User
) -> None:
    case = a_revision_with(namespace, a_proposal(title="Oaks"), expert=expert)
    set_profile(namespace, by=administrator, profile=a_profile(), basis="Syntax.", replaces=1)
    with refused(StaleProfile) as caught:
        functions.assign(
            case, by=administrator, profile=ConfirmedProfile(a_proposal(title="Oaks"), replaces=1)
        )
    assert caught.value.current == 2
    assert len(list(namespace.profile_versions.all())) == 2
    confirmed = ConfirmedProfile(ProposedProfile(title="Oaks"), replaces=2)
    functions.assign(case, by=administrator, profile=confirmed)
    version = current(namespace)
    assert version is not None
    assert version.value is not None
    assert (version.version, version.value.title, version.value.names.pattern) == (3, "Oaks", "[0-9]+:[0-9]+")


def test_a_revision_keeps_what_was_set_after_its_draft_began(
    namespace: Namespace, expert: User, administrator: User
) -> None:
    """Its draft has no copy of the profile, which would replace the newer one."""
    assert namespace.registrant is not None
    case = drafts.start_revision(namespace, by=namespace.registrant)
    set_profile(namespace, by=administrator, profile=a_profile(), basis="Syntax.", replaces=1)
    proposed = replace(case.proposed_profile, title="Oaks")
    case = approve_with(case, proposed, expert=expert, version=2, revision_information="The title.")
    functions.assign(case, by=administrator, profile=ConfirmedProfile(proposed, replaces=2))
    version = current(namespace)
    assert version is not None
    assert version.value is not None
    assert (version.value.title, version.value.names) == ("Oaks", a_profile().names)
    assert version.value.summary == a_profile().summary


def test_a_text_that_contradicts_the_kept_grammar_is_a_finding(
    namespace: Namespace, expert: User, administrator: User
) -> None:
    wide = a_profile(pattern="[a-z0-9:]+", counterexamples=("A-1", "B-2", "-"))
    set_profile(namespace, by=administrator, profile=wide, basis="Syntax.", replaces=1)
    text = "As in urn:example-trees:oak."
    case = a_revision_with(namespace, ProposedProfile(title="Oaks"), expert=expert, syntax=text)
    set_profile(namespace, by=administrator, profile=a_profile(), basis="Syntax.", replaces=2)
    with refused(ProfileRefused) as caught:
        functions.assign(
            case, by=administrator, profile=ConfirmedProfile(ProposedProfile(title="Oaks"), replaces=3)
        )
    [finding] = caught.value.findings
    assert finding.section == "profile_abnf"
    assert "urn:example-trees:oak" in finding.message
    assert Case.objects.get(pk=case.pk).state == State.APPROVED


def test_a_profile_that_was_removed_can_be_proposed_again(
    namespace: Namespace, expert: User, administrator: User
) -> None:
    set_profile(namespace, by=administrator, profile=None, basis="It was wrong.", replaces=1)
    case = a_revision_with(namespace, a_proposal(), expert=expert)
    functions.assign(case, by=administrator, profile=ConfirmedProfile(a_proposal(), SUBJECTS))
    version = current(namespace)
    assert version is not None
    assert version.version == 3


def test_the_event_of_a_submission_commits_to_the_proposal(proposing: Case) -> None:
    event = Event.objects.get(verb="submit")
    assert event.details["profile_digest"] == digest_of(a_proposal().to_json())
    assert list(changed_texts()) == []


def test_a_proposal_is_not_part_of_the_text(registrant: User) -> None:
    first, second = a_draft(by=registrant), a_draft(by=registrant)
    first = drafts.save_draft(
        first, first.draft_template, by=registrant, stamp=first.draft_stamp, profile=a_proposal()
    )
    texts = [
        functions.submit(case, by=registrant, draft_stamp=case.draft_stamp).rounds.get().text
        for case in (first, second)
    ]
    assert texts[0] == texts[1]
    assert a_proposal().summary not in texts[0]


def test_a_round_that_only_changes_the_proposal_can_be_submitted(registrant: User) -> None:
    case = a_draft(by=registrant)
    case = functions.submit(case, by=registrant, draft_stamp=case.draft_stamp)
    template = case.draft_template
    case = drafts.save_draft(case, template, by=registrant, stamp=case.draft_stamp, profile=a_proposal())
    case = functions.submit(case, by=registrant, draft_stamp=case.draft_stamp)
    assert [bool(each.profile) for each in case.rounds.order_by("number")] == [False, True]


@pytest.mark.usefixtures("real_database")
def test_a_profile_and_an_assignment_at_once_do_not_overwrite_each_other() -> None:
    registrant = a_person(email="registrant@example.org")
    expert = a_person(email="expert@example.org", roles=(RoleName.EXPERT,))
    people = [
        a_person(email=f"administrator-{number}@example.org", roles=(RoleName.ADMINISTRATOR,))
        for number in (1, 2)
    ]
    case = approved_with(a_proposal(), by=registrant, expert=expert)
    confirmed = ConfirmedProfile(a_proposal(), SUBJECTS)
    namespace = functions.assign(case, by=people[0], profile=confirmed).namespace
    assert namespace is not None
    revision = a_revision_with(namespace, a_proposal(title="Oaks"), expert=expert)
    confirmed = ConfirmedProfile(a_proposal(title="Oaks"), replaces=1)
    answers = at_once(
        [
            partial(functions.assign, revision, by=people[0], profile=confirmed),
            partial(set_profile, namespace, by=people[1], profile=a_profile(), basis="Syntax.", replaces=1),
        ]
    )
    assert [type(error) for error in refusals(answers)] == [StaleProfile]
    is_assigned = Case.objects.get(pk=revision.pk).state == State.REGISTERED
    version = current(namespace)
    assert version is not None
    assert version.value is not None
    assert (version.version, version.value.title == "Oaks") == (2, is_assigned)
    check_record_holds()
