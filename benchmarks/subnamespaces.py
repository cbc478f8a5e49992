"""Benchmark: sub-namespaces looked up in a short and in a long list, and URNs judged with and without lists."""

from argparse import ArgumentParser, Namespace
from random import Random
from string import ascii_lowercase, digits

from tests.urnsyntax.profiles.samples import mapping
from tests.urnsyntax.profiles.subnamespaces.samples import level
from urnsyntax.profiles import Profile, Profiles, SubNamespace, load_profiles
from urnsyntax.profiles.subnamespaces.levels import Walker
from urnsyntax.profiles.subnamespaces.lists import SubNamespaces

from .bounds import Bound, print_bounds
from .profile_checks import FIXTURES, WRONG, example_texts
from .timing import TimedFunction, measure

SUMMARY = "sub-namespaces in lists of 1,000 and 1,000,000, and URNs judged with and without lists"

SHORT = 1_000
_PARENTS = 30
_TEXTS = 20_000
_NAMES = (
    2_000  # different ones among the texts, so that what they need of a list stays in the caches of a core
)
_LETTERS = ascii_lowercase + digits


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of this benchmark."""
    parser.add_argument("--rounds", type=int, default=9, help="rounds (default: 9)")
    parser.add_argument("--long", type=int, default=1_000_000, help="the long list (default: 1,000,000)")


def run(options: Namespace) -> bool:
    """Measure, print the tables, and return whether every bound is met."""
    profile = Profile.from_dict(
        mapping(
            names={"pattern": "[a-z0-9]+(?::[a-z0-9]+)*-[a-z0-9-]+"},
            levels=[
                level(separator=":-"),
                level("garden", of="*", separator="-:"),
            ],
        )
    )
    lists = {size: _random_list(size) for size in (SHORT, options.long)}
    texts = {size: _random_names(entries) for size, entries in lists.items()}
    walks = [_walks(profile, size, texts[size], lists[size]) for size in lists]
    judged = [
        _judged(f"judge_many, list of {size:,}", texts[size], Profiles([profile], {profile.nid: lists[size]}))
        for size in lists
    ]
    measure([*walks, *judged], options.rounds, "names")
    _print([*walks, *judged])

    profiles = load_profiles(FIXTURES)
    examples, _ = example_texts(profiles, _TEXTS)
    before_after = [
        _judged("judge_many, without lists", examples, Profiles(profiles)),
        _judged(f"judge_many, {len(profiles.lists)} lists", examples, profiles),
    ]
    measure(before_after, options.rounds, "examples")
    print(f"{len(profiles)} profiles, {_TEXTS:,} names of their examples, {WRONG:.0%} of them wrong")
    _print(before_after)
    without, with_lists = before_after
    return print_bounds(
        [
            Bound(f"walks, list of {options.long:,} / {SHORT:,}", walks[1].ratio_to(walks[0]), at_most=1.2),
            Bound(
                f"judge_many, list of {options.long:,} / {SHORT:,}",
                judged[1].ratio_to(judged[0]),
                at_most=1.2,
            ),
            Bound("judge_many, with lists / without", with_lists.ratio_to(without), at_most=1.25),
            Bound("answers per second, with lists", _TEXTS / with_lists.median, at_least=100_000),
            Bound("answers per second, long list", _TEXTS / judged[1].median, at_least=100_000),
        ]
    )


def _random_list(size: int) -> dict[str, SubNamespace]:
    """Sub-namespaces with labels of eight characters below a few others, in an order that depends only on the seed."""
    rng = Random(8141)
    parents = [_label(rng, 2) for _ in range(_PARENTS)]
    prefixes = [*parents, *(f"{rng.choice(parents)}:{_label(rng, 8)}" for _ in range(size - _PARENTS))]
    return {each: SubNamespace(each, f"The garden of {each}") for each in prefixes}


def _random_names(entries: dict[str, SubNamespace]) -> list[str]:
    """URNs below random sub-namespaces, of which a few are below unknown ones."""
    rng = Random(2141)
    prefixes = [each for each in entries if ":" in each]
    names = [
        f"urn:trees:{rng.choice(prefixes)[: -1 if rng.random() < WRONG else None]}:{rng.randrange(100)}-{_label(rng, 6)}"
        for _ in range(_NAMES)
    ]
    return rng.choices(names, k=_TEXTS)


def _label(rng: Random, length: int) -> str:
    return "".join(rng.choices(_LETTERS, k=length))


def _walks(profile: Profile, size: int, texts: list[str], entries: SubNamespaces) -> TimedFunction:
    walker = Walker(profile.names, profile.levels)
    names = [each.removeprefix("urn:trees:") for each in texts]

    def walk() -> None:
        for each in names:
            walker.walk(each, entries)

    return TimedFunction(f"walk, list of {size:,}", walk, remark="without judging the name")


def _judged(name: str, texts: list[str], profiles: Profiles) -> TimedFunction:
    def judge() -> None:
        for each in profiles.judge_many(texts):
            (each.is_urn, each.nid, each.conformant, each.reason, each.canonical)  # noqa: B018 - read, as a caller would

    return TimedFunction(name, judge, remark="with reason and canonical form")


def _print(found: list[TimedFunction]) -> None:
    for each in found:
        print(f"{each.name:<34}{_TEXTS / each.median:>12,.0f} a second  {each.remark}")
