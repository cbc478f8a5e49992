"""What holds of a registry, whatever was done to it: of the record, the cases, the namespaces and the answers."""

import io
from collections import defaultdict
from collections.abc import Iterable

from django.core.management import call_command

from registry.namespaces.models import InformalCounter, Namespace, Revision, Transfer
from registry.record.models import Event
from registry.registrations.models import Registration, State, Submission
from registry.registrations.workflow import MOVE_BY_NAME
from tests.namespaces.test_answers import differences

# Two experts of one mind: the first of them moves nothing.
ANSWERED_FIRST = "answer_first"


def check_registry_is_whole() -> None:
    """Raise AssertionError, which says what does not fit."""
    call_command("verify_record", stdout=io.StringIO())
    check_every_case_stands_where_its_events_led()
    check_namespaces_come_from_cases()
    check_numbers_have_no_gap()
    assert differences() == []


def check_every_case_stands_where_its_events_led() -> None:
    """Each began as a draft, and each of its moves is one that the table holds."""
    states: dict[int, str] = defaultdict(lambda: State.DRAFT.value)
    for event in Event.objects.exclude(to_state="").order_by("number"):
        assert event.registration_number is not None, event
        assert event.from_state == states[event.registration_number], event
        if event.verb != ANSWERED_FIRST:
            move = MOVE_BY_NAME[event.verb]
            assert event.from_state in move.sources, event
            assert event.to_state in move.targets, event
        states[event.registration_number] = event.to_state
    stand = dict(Registration.objects.values_list("pk", "state"))
    assert stand == {number: states[number] for number in stand}


def check_namespaces_come_from_cases() -> None:
    """Every registered case has its version of its namespace, and no other case has one."""
    registered = Registration.objects.filter(state=State.REGISTERED)
    assert not registered.filter(revision=None).exists()
    assert not Registration.objects.exclude(state=State.REGISTERED).exclude(revision=None).exists()
    assert registered.count() == Event.objects.filter(verb="assign").count()
    waiting = list(Transfer.objects.waiting().values_list("namespace", flat=True))
    assert len(waiting) == len(set(waiting))


def check_numbers_have_no_gap() -> None:
    """Informal namespaces, versions and rounds count from 1."""
    numbers = Namespace.objects.exclude(number=None).order_by("number").values_list("number", flat=True)
    assert_counts_from_1(numbers)
    assert len(numbers) == InformalCounter.objects.get().last
    rows = Revision.objects.order_by("namespace", "version").values_list("namespace", "version")
    for versions in _by_first(rows):
        assert_counts_from_1(versions)
    rows = Submission.objects.order_by("registration", "round").values_list("registration", "round")
    for rounds in _by_first(rows):
        assert_counts_from_1(rounds)


def assert_counts_from_1(numbers: Iterable[int]) -> None:
    found = list(numbers)
    assert found == list(range(1, len(found) + 1))


def _by_first(rows: Iterable[tuple[int, int]]) -> Iterable[list[int]]:
    groups: dict[int, list[int]] = defaultdict(list)
    for key, number in rows:
        groups[key].append(number)
    return groups.values()
