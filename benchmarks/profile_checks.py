"""Benchmark: URNs judged by the profiles of their namespaces, and hostile grammars and names."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from random import Random

from tests.urnsyntax.profiles.hostile import HARMLESS, HOSTILE, judged_profile
from urnsyntax import is_urn
from urnsyntax.profiles import InvalidGrammar, Profile, Profiles, load_profiles
from urnsyntax.profiles.grammar.matching import AbnfGrammar

from .bounds import Bound, print_bounds
from .timing import TimedFunction, measure

SUMMARY = "URNs judged by profiles, compared with the syntax alone; hostile grammars and names"

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "profiles"
_TEXTS = 20_000
WRONG = 0.05  # the share of names that break the rules of their namespace
_LENGTHS = (8_000, 1_000_000)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of this benchmark."""
    parser.add_argument("--rounds", type=int, default=7, help="rounds (default: 7)")
    parser.add_argument(
        "--profiles", type=Path, default=FIXTURES, help="directory (default: fixtures/profiles)"
    )


def run(options: Namespace) -> bool:
    """Measure, print the tables, and return whether every bound is met."""
    profiles = load_profiles(options.profiles)
    bulk = _bulk_candidates(profiles)
    measure(bulk, options.rounds, "many names")
    print(f"{len(profiles)} profiles, {_TEXTS:,} names of their examples, {WRONG:.0%} of them wrong")
    for each in bulk:
        print(f"{each.name:<30}{_TEXTS / each.median:>12,.0f} a second  {each.remark}")

    grammars, names, long_names = list(_grammars()), list(_names()), list(_long_names(profiles))
    measure([*grammars, *names, *long_names], options.rounds, "hostile texts")
    for each in (*grammars, *names, *long_names):
        print(f"{each.name:<44}{each.median * 1e3:>10.2f} ms  {each.remark}")
    return print_bounds([*_bulk_bounds(bulk), *_hostile_bounds(grammars, names, long_names)])


def _bulk_candidates(profiles: Profiles) -> list[TimedFunction]:
    texts, wrong = example_texts(profiles, _TEXTS)

    def verdicts(of: list[str]) -> Callable[[], None]:
        def judge() -> None:
            for each in profiles.judge_many(of):
                each.conformant  # noqa: B018 - read, as a caller would

        return judge

    def answers(of: list[str]) -> Callable[[], None]:
        def judge() -> None:
            for each in profiles.judge_many(of):
                (each.is_urn, each.nid, each.conformant, each.reason, each.canonical)  # noqa: B018

        return judge

    def syntax() -> None:
        for text in texts:
            is_urn(text)

    return [
        TimedFunction("is_urn", syntax, remark="without profiles"),
        TimedFunction("judge_many, verdicts", verdicts(texts), remark="grammar and check digits"),
        TimedFunction("judge_many, answers", answers(texts), remark="with reason and canonical form"),
        TimedFunction("judge_many, all wrong", answers(wrong), remark="each with reason and place"),
    ]


def example_texts(profiles: Profiles, count: int) -> tuple[list[str], list[str]]:
    """Names of which a few are wrong, and as many wrong ones, in an order that depends only on the seed."""
    right = [each.urn for profile in profiles for each in profile.names.examples]
    wrong = [each.urn for profile in profiles for each in profile.names.counterexamples]
    rng = Random(8141)
    texts = [rng.choice(wrong if rng.random() < WRONG else right) for _ in range(count)]
    return texts, rng.choices(wrong, k=count)


def _grammars() -> Iterator[TimedFunction]:
    for name, text in (*HOSTILE.items(), *HARMLESS.items()):
        yield TimedFunction(
            f"grammar: {name}", lambda text=text: _read(text), remark=f"{len(text):,} characters"
        )


def _read(text: str) -> None:
    try:
        AbnfGrammar(text)
    except InvalidGrammar as error:
        str(error)


def _names() -> Iterator[TimedFunction]:
    for name, text in HARMLESS.items():
        profile = judged_profile(text)
        for length in _LENGTHS:
            urn = f"urn:trees:{'1' * (length - 1)}!"
            yield TimedFunction(
                f"name of {length:,}: {name}",
                lambda profile=profile, urn=urn: _judge(profile, urn),
                remark="",
            )


def _long_names(profiles: Profiles) -> Iterator[TimedFunction]:
    """Matching alone, which is also linear beyond the length up to which names are judged."""
    for nid, beginning in (("oid", "1."), ("nbn", "de:"), ("ietf", "params:")):
        grammar = profiles.get(nid).names.grammar
        for length in _LENGTHS:
            name = beginning + "1" * (length - len(beginning) - 1) + "!"
            yield TimedFunction(
                f"match of {length:,}: {nid}", lambda grammar=grammar, name=name: grammar.matches(name)
            )


def _judge(profile: Profile, urn: str) -> tuple[object, ...]:
    judgement = profile.judge(urn)
    return (judgement.reason, judgement.position, judgement.parts, judgement.canonical, judgement.repair)


def _bulk_bounds(found: list[TimedFunction]) -> list[Bound]:
    _, verdicts, answers, wrong = (_TEXTS / each.median for each in found)
    return [
        Bound("verdicts per second", verdicts, at_least=100_000),
        Bound("answers per second", answers, at_least=100_000),
        Bound("answers per second, all wrong", wrong, at_least=20_000),
    ]


def _hostile_bounds(
    grammars: list[TimedFunction], names: list[TimedFunction], long_names: list[TimedFunction]
) -> list[Bound]:
    slowest = [each.median / length for each, length in zip(long_names, cycle(_LENGTHS), strict=False)]
    return [
        Bound("seconds for the slowest grammar", max(each.median for each in grammars), at_most=0.1),
        Bound("seconds for the slowest name", max(each.median for each in names), at_most=0.5),
        Bound("nanoseconds a character of the longest names", max(slowest) * 1e9, at_most=100),
    ]
