"""Killed half-way, with SIGKILL and in real processes: what was answered is there, the rest never happened."""

import random
import signal
import time
from functools import partial

import pytest
from django.db import transaction
from django.db.models import OuterRef, Subquery

from registry.accounts.models import User
from registry.audit_log.models import Event
from registry.cases.models import Case, State
from registry.cases.workflow import functions
from registry.mail.models import Message
from registry.namespaces.models import InformalCounter, Kind, Namespace
from tests.cases.traces import check_record_holds
from tests.support import processes
from tests.support.databases import at_once, refusals
from tests.support.factories import an_approved_case

pytestmark = pytest.mark.usefixtures("real_database")

STEPS = [
    "registry.namespaces.actions.registration._create",
    "registry.namespaces.actions.registration.add_revision",
    "registry.audit_log.log.append",
    "registry.cases.notifications.notify",
]


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.sampled(4)
def test_an_assignment_killed_between_its_steps_never_happened(
    step: str, people: tuple[User, User, User]
) -> None:
    registrant, expert, administrator = people
    case = an_approved_case(by=registrant, expert=expert, kind=Kind.INFORMAL)
    events, mails = Event.objects.count(), Message.objects.count()
    killed = processes.start(processes.assign_and_die, step, case.pk, administrator.pk)
    killed.join(timeout=60)
    assert killed.exitcode == -signal.SIGKILL
    assert Case.objects.get(pk=case.pk).state == State.APPROVED
    assert not Namespace.objects.exists()
    assert (Event.objects.count(), Message.objects.count()) == (events, mails)
    assigned = functions.assign(case, by=administrator)
    assert assigned.namespace is not None
    assert assigned.namespace.nid == "urn-1"
    check_record_holds()


class ChangedMyMind(Exception):
    """Rolls an assignment back after it was made."""


def assign_and_roll_back(case: Case, administrator: User) -> None:
    with transaction.atomic():
        functions.assign(case, by=administrator)
        raise ChangedMyMind


def check_kills_leave_no_gap(administrators: int, people: tuple[User, User, User]) -> None:
    """Of `administrators` at once, a sixth is killed between the steps and a sixth rolls back."""
    registrant, expert, administrator = people
    before = InformalCounter.objects.get().last
    cases = [
        an_approved_case(by=registrant, expert=expert, kind=Kind.INFORMAL) for _ in range(administrators)
    ]
    sixth = administrators // 6
    let_go = processes.FORKS.Event()
    doomed = [
        processes.start(processes.assign_and_die, STEPS[at % len(STEPS)], case.pk, administrator.pk, let_go)
        for at, case in enumerate(cases[:sixth])
    ]
    jobs = [partial(assign_and_roll_back, case, administrator) for case in cases[sixth : 2 * sixth]]
    jobs += [partial(functions.assign, case, by=administrator) for case in cases[2 * sixth :]]
    let_go.set()
    answers = at_once(jobs)
    for process in doomed:
        process.join(timeout=60)
    assert [process.exitcode for process in doomed] == [-signal.SIGKILL] * sixth
    assert {type(error) for error in refusals(answers)} == {ChangedMyMind}
    kept = administrators - 2 * sixth
    numbers = Namespace.objects.filter(number__gt=before).order_by("number").values_list("number", flat=True)
    assert list(numbers) == list(range(before + 1, before + kept + 1))
    check_record_holds()


@pytest.mark.exhaustive
def test_kills_and_second_thoughts_leave_no_gap_in_the_numbers(people: tuple[User, User, User]) -> None:
    check_kills_leave_no_gap(12, people)


@pytest.mark.soak
def test_kills_and_second_thoughts_leave_no_gap_in_thirty_runs(people: tuple[User, User, User]) -> None:
    for _ in range(30):
        check_kills_leave_no_gap(50, people)


def check_that_nothing_acknowledged_is_lost(kills: int, seed: int) -> None:
    """Kill a process that works through cases at random moments, `kills` times; then look at everything."""
    chance = random.Random(seed)
    acknowledged: list[tuple[int, str]] = []
    for run in range(kills):
        ours, theirs = processes.FORKS.Pipe(duplex=False)
        process = processes.start(processes.take_cases_through, theirs, seed + run)
        theirs.close()
        assert ours.poll(60), "the process never made a move"
        time.sleep(chance.uniform(0, 0.3))
        process.kill()
        process.join(timeout=60)
        while ours.poll():
            try:
                acknowledged.append(ours.recv())
            except EOFError:
                break
    check_that_all_is_there(acknowledged)


def check_that_all_is_there(acknowledged: list[tuple[int, str]]) -> None:
    recorded = set(Event.objects.values_list("case_number", "verb"))
    assert set(acknowledged) <= recorded
    assert len(acknowledged) >= 1
    last = Event.objects.filter(case_number=OuterRef("pk")).order_by("-number").values("to_state")
    between = Case.objects.annotate(last=Subquery(last[:1])).exclude(state="draft", last=None)
    assert [case for case in between if case.state != case.last] == []
    registered = Case.objects.filter(state=State.REGISTERED).count()
    assert list(Namespace.objects.order_by("number").values_list("number", flat=True)) == list(
        range(1, registered + 1)
    )
    check_record_holds()


def test_what_was_acknowledged_before_a_kill_is_there_after_it(people: tuple[User, User, User]) -> None:
    check_that_nothing_acknowledged_is_lost(2, seed=8141)


@pytest.mark.soak
def test_what_was_acknowledged_before_a_hundred_kills_is_there(people: tuple[User, User, User]) -> None:
    check_that_nothing_acknowledged_is_lost(100, seed=2141)
