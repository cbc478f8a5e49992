"""Tracing names through a grammar: the limits of memory and of work, and threads that share a grammar."""

import random
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from urnsyntax.profiles.grammar import state_sets
from urnsyntax.profiles.grammar.matching import AbnfGrammar

# After a name, each of the last 20 characters can be the “a” before the end, so there are a million sets of states.
MANY_SETS = 'a = *( "a" / "b" ) "a" 20( "a" / "b" )'
LIMIT = 3_000
LEAST_WORK = 1_600  # suffices for one of the first two names, but not for both
THREADS = 8


def names(count, *, seed=0):
    draw = random.Random(seed)
    return ["".join(draw.choices("ab", k=60)) + "!" for _ in range(count)]


def reachable_states(grammar):
    """The number of states in all sets that a grammar remembers."""
    sets = grammar._tracer._sets
    waiting, seen = [sets.first, *sets._known.values()], {}
    while waiting:
        found = waiting.pop()
        if found is not None and id(found) not in seen:
            seen[id(found)] = found
            waiting += found.after.values()
    return sum(len(each.states) + 1 for each in seen.values())


@pytest.fixture
def a_low_limit(monkeypatch):
    monkeypatch.setattr(state_sets, "MAX_REMEMBERED", LIMIT)


def test_the_memory_stays_limited_when_it_is_filled_again_and_again(a_low_limit):
    grammar, most, times_cleared = AbnfGrammar(MANY_SETS), 0, 0
    for name in names(200):
        before = len(grammar._tracer._sets._known)
        assert grammar.stop_of(name).position == 60
        times_cleared += len(grammar._tracer._sets._known) < before
        most = max(most, reachable_states(grammar))
    assert times_cleared > 20
    assert most <= LIMIT + len(grammar._tracer._sets.first.states) + 1


def test_a_name_has_the_same_misfit_when_the_memory_was_cleared_on_its_way(monkeypatch):
    grammar = AbnfGrammar(MANY_SETS)
    expected = [grammar.misfit_of(name, ()) for name in names(30)]
    monkeypatch.setattr(state_sets, "MAX_REMEMBERED", 100)  # less than the sets of one name
    forgetful = AbnfGrammar(MANY_SETS)
    assert [forgetful.misfit_of(name, ()) for name in names(30)] == expected
    assert {misfit.position for misfit in expected} == {60}


@pytest.fixture
def restless_threads():
    """Threads that take turns after a few instructions."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.exhaustive
def test_threads_that_share_a_grammar_find_the_same_misfits(monkeypatch, restless_threads):
    """Each thread makes the others forget their sets all the time."""
    monkeypatch.setattr(state_sets, "MAX_REMEMBERED", 30)
    texts = names(60, seed=1)
    alone = AbnfGrammar(MANY_SETS)
    expected = [alone.misfit_of(text, ["a"]) for text in texts]
    shared, start = AbnfGrammar(MANY_SETS), Barrier(THREADS)

    def misfits(_):
        start.wait(60)
        return [shared.misfit_of(text, ["a"]) for text in texts]

    with ThreadPoolExecutor(THREADS) as threads:
        assert list(threads.map(misfits, range(THREADS))) == [expected] * THREADS
    assert reachable_states(shared) <= 30 + len(shared._tracer._sets.first.states) + 1


def test_the_work_for_a_name_that_another_thread_traces_does_not_count(monkeypatch):
    first, second = names(2)
    grammar = AbnfGrammar(MANY_SETS)
    assert grammar.misfit_of(first, ()).position == 60
    monkeypatch.setattr(state_sets, "MAX_WORK", LEAST_WORK)
    step, traced = state_sets.StateSets.step, []

    def step_while_another_name_is_traced(sets, current, character, work):
        if not traced and current is not sets.first:
            traced.append(second)
            traced.append(grammar.stop_of(second))
        return step(sets, current, character, work)

    grammar = AbnfGrammar(MANY_SETS)
    monkeypatch.setattr(state_sets.StateSets, "step", step_while_another_name_is_traced)
    assert grammar.stop_of(first).position == traced[1].position == 60


def test_the_place_is_described_when_the_search_for_a_wrong_digit_takes_too_long(monkeypatch):
    beginnings = " / ".join(f'"{digit}" n{digit}' for digit in range(10))
    numbers = "\n".join(f"n{digit} = 15DIGIT" for digit in range(10))
    abnf = f'a = ( {beginnings} ) end\nend = "-" ALPHA\n{numbers}'
    name = "1" + "4" * 15 + "7"
    place = AbnfGrammar(abnf).misfit_of(name, ["end"])
    assert (place.position, place.rules, place.expected) == (16, ("end",), "“-”")
    monkeypatch.setattr(state_sets, "MAX_WORK", 150)  # the search visits three times as many states
    assert AbnfGrammar(abnf).misfit_of(name, ["end"]) == place
