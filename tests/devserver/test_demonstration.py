"""`manage.py demo`: complete and idempotent."""

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django.asserts import assertContains

from registry.accounts.models import Body, Recognition, Role, User
from registry.audit_log.log import verified
from registry.audit_log.models import Event
from registry.cases.audiences import subscribers_of
from registry.cases.deadlines import overdue
from registry.cases.drafts.replies import open_points_of
from registry.cases.models import Case, Comment, Outcome, Reply, State, Subscription
from registry.custody.models import NamespaceClaim
from registry.devserver.demonstration import FIXTURES, PASSWORD
from registry.mail.models import Message
from registry.namespaces.actions.registration import next_informal_nid
from registry.namespaces.models import Namespace, Revision
from registry.organisations.models import MemberRole, Organisation
from registry.publication.iana.file_reader import read_version
from registry.publication.iana.fixtures import IANA_FIXTURE
from registry.publication.iana.importing.importer import import_versions
from registry.publication.models import IanaRegistry
from registry.registers.actions.registers import OPEN_REGISTER
from registry.registers.models import Entry, EntryOffer, EntryRequest, Register, RequestState
from registry.registers.policies import WITH_REVIEW, Policy
from tests.support.databases import rolled_back_in


@pytest.fixture(autouse=True)
def _demonstration(settings: Any) -> None:
    settings.IS_DEMONSTRATION = True


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("demo", *arguments, stdout=out)
    return out.getvalue()


@pytest.fixture
def demonstrated(made_demonstration: tuple[str, str, datetime], django_db_blocker: Any) -> Iterator[str]:
    """What the command printed; its database, where what a test changes is rolled back."""
    database, printed, _ = made_demonstration
    with django_db_blocker.unblock(), rolled_back_in(database):
        yield printed


def test_there_is_a_case_in_every_state_and_a_namespace_in_version_2(demonstrated: str) -> None:
    assert Namespace.objects.filter(origin="iana").count() == 105
    assert set(Case.objects.values_list("state", flat=True)) == set(State)
    trees = Namespace.objects.get(origin="registry", kind="formal")
    assert (trees.version, trees.revisions.count()) == (2, 2)
    assert set(Body.objects.values_list("recognition", flat=True)) == {
        Recognition.RECOGNISED,
        Recognition.PENDING,
    }
    assert Case.objects.filter(procedure="fast_track").count() == 2
    assert Case.objects.filter(kind="informal", namespace=None).count() == 1
    assert sum(1 for _ in verified()) == Event.objects.count()


def test_a_namespace_belongs_to_one_of_two_organisations(demonstrated: str, client: Client) -> None:
    arboretum, service, _ = Organisation.objects.order_by("name")
    trees = Namespace.objects.get(origin="registry", kind="formal")
    assert (trees.registrant, trees.organisation) == (None, arboretum)
    parts = [list(each.memberships.current().values_list("part", flat=True)) for each in (arboretum, service)]
    assert parts == [
        [MemberRole.REPRESENTATIVE, MemberRole.REPRESENTATIVE],
        [MemberRole.REPRESENTATIVE, MemberRole.EDITOR],
    ]
    page = client.get(trees.get_absolute_url())
    assertContains(page, f'<a href="{arboretum.get_absolute_url()}">Example Arboretum</a>', html=True)
    assertContains(client.get(service.get_absolute_url()), "Example Weather Service")


@pytest.mark.usefixtures("demonstrated")
def test_it_has_a_past_of_some_months_in_the_order_of_time(
    made_demonstration: tuple[str, str, datetime],
) -> None:
    *_, began = made_demonstration
    times = [event.at for event in verified()]
    assert times == sorted(times)
    assert timedelta(days=100) < began - times[0]
    assert times[-1] < began
    assert Case.objects.latest("created_at").created_at < began
    assert [case.requested_nid for case in Case.objects.filter(overdue())] == ["example-bridges"]
    decided = Case.objects.get(state=State.DECLINED)
    assert decided.state_since - decided.rounds.get().submitted_at >= timedelta(days=12)


@pytest.mark.exhaustive
@pytest.mark.django_db
def test_in_a_real_registry_it_is_asked_for_and_starts_after_the_events(settings: Any) -> None:
    import_versions([read_version(FIXTURES / IANA_FIXTURE)])
    imported = IanaRegistry.objects.values().get()
    settings.IS_DEMONSTRATION = False
    with pytest.raises(CommandError, match="known-passwords") as refusal:
        run()
    assert refusal.value.returncode == 2
    assert not User.objects.exists()
    began = timezone.now()
    run("--with-known-passwords")
    assert User.objects.count() == 7
    assert IanaRegistry.objects.values().get() == imported
    times = [event.at for event in verified()]
    assert times == sorted(times)
    assert Case.objects.earliest("created_at").created_at >= began


def test_there_is_a_thread_over_two_rounds_and_a_subscriber(demonstrated: str) -> None:
    answer = Comment.objects.filter(reply_to__isnull=False).order_by("pk")[0]
    assert answer.reply_to is not None
    assert (answer.reply_to.round.number, answer.round.number) == (1, 2)
    case = answer.round.case
    assert "liaison@example.org" in {person.email for person in subscribers_of(case)}


def test_a_claim_waits_for_the_administrators(demonstrated: str) -> None:
    claim = NamespaceClaim.objects.undecided().get()
    assert (claim.namespace.nid, claim.claimant.email) == ("isan", "participant@example.org")
    assert "claim of isan" in demonstrated


def test_there_are_action_points_with_and_without_replies(demonstrated: str) -> None:
    waiting = Case.objects.get(state=State.CHANGES_REQUESTED)
    assert waiting.registrant.email == "registrant@example.org"
    assert len(open_points_of(waiting)) == 2
    answered = Reply.objects.all()
    assert {answer.outcome for answer in answered} == set(Outcome)
    of_museums = answered.filter(round__case__state=State.APPROVED)
    assert "compared digit by digit" in of_museums[0].round.template.syntax
    assert "compared" not in of_museums[0].point.review.round.template.syntax


def test_informal_namespaces_are_numbered_after_those_of_iana(demonstrated: str) -> None:
    made = Namespace.objects.filter(origin="registry", kind="informal").order_by("number")
    assert list(made.values_list("nid", flat=True)) == [f"urn-{number}" for number in range(9, 15)]
    assert next_informal_nid() == "urn-15"


def test_there_is_a_register_of_each_policy_and_a_namespace_without_one(demonstrated: str) -> None:
    registers = Register.objects.of_namespaces()  # type: ignore[attr-defined]
    assert sorted(registers.values_list("policy", flat=True)) == sorted(Policy.values)
    with_entries = Entry.objects.values_list("register__policy", flat=True)
    assert set(with_entries) == set(Policy) - {Policy.PRIVATE}
    assert Register.objects.exclude(suspended_at=None).get().policy == Policy.HIERARCHICAL
    assert set(EntryRequest.objects.values_list("state", flat=True)) == set(RequestState)
    waiting = EntryRequest.objects.undecided()  # type: ignore[attr-defined]
    assert set(waiting.values_list("register__policy", flat=True)) == {*WITH_REVIEW, Policy.CLOSED}
    without = Namespace.objects.get(origin="registry", registers=None)
    assert OPEN_REGISTER.is_allowed_for(User.objects.get(email="registrant@example.org"), without)


def test_an_entry_is_recalled(demonstrated: str) -> None:
    assert Entry.objects.filter(recall_ends_at__isnull=False).count() == 1


def test_an_organisation_runs_the_register_of_a_branch_that_was_delegated_to_it(demonstrated: str) -> None:
    branch = Register.objects.exclude(entry=None).get()
    outer = Register.objects.get(namespace=branch.namespace, entry=None)
    assert {str(branch.organisation), str(outer.organisation)} == {"Municipality of Exampletown", "None"}
    assert (branch.is_suspended, outer.is_suspended) == (False, True)
    assert {each.subnamespace.prefix for each in branch.entries.all()} == {"exampletown:17", "exampletown:23"}
    offered = EntryOffer.objects.waiting().get()  # type: ignore[attr-defined]
    assert offered.email == "participant@example.org"


def test_the_simulated_history_sends_no_mail(demonstrated: str) -> None:
    assert not Message.objects.exists()
    assert not ProcrastinateJob.objects.exists()


@pytest.mark.exhaustive
def test_a_second_run_changes_nothing_and_reports_it(demonstrated: str) -> None:
    def everything() -> list[object]:
        tables = (Event, User, Role, EmailAddress, Body, Case, Namespace, Revision)
        tables += (Comment, Subscription, Register, EntryRequest)
        return [list(table.objects.order_by("pk").values()) for table in tables]

    before = everything()
    assert "nothing was changed" in run()
    assert everything() == before
    assert json.loads(run("--json"))["made"] == []


def test_all_printed_accounts_can_sign_in(demonstrated: str, client: Client) -> None:
    assert PASSWORD in demonstrated
    for email in User.objects.values_list("email", flat=True):
        assert email in demonstrated
        assert EmailAddress.objects.filter(email=email, verified=True, primary=True).exists()
        assert client.login(email=email, password=PASSWORD)
