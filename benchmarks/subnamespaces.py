"""Benchmark: a short and a long list of sub-namespaces, in memory and in the database, and URNs judged with and without lists."""

import json
from argparse import ArgumentParser, Namespace
from random import Random
from string import ascii_lowercase, digits

from tests.urnsyntax.profiles.samples import mapping
from tests.urnsyntax.profiles.subnamespaces.samples import level
from urnsyntax.profiles import Profile, Profiles, SubNamespace, load_profiles
from urnsyntax.profiles.subnamespaces.levels import Walker
from urnsyntax.profiles.subnamespaces.lists import SubNamespaces

from .bounds import Bound, memory_bound, print_bounds
from .databases import BenchmarkDatabase, benchmark_databases
from .profile_checks import FIXTURES, WRONG, example_texts
from .servers import free_port, granian, peak_memory, registry_server, running_server
from .terminal import show_progress
from .timing import TimedFunction, measure
from .two_sizes import compared
from .wrk_load import LoadedServer, check_wrk, print_table, run_rounds

SUMMARY = "sub-namespaces in lists of 1,000 and 1,000,000, stored and in memory, and URNs judged with and without lists"

SHORT = 1_000
_PARENTS = 30
_TEXTS = 20_000
_LOOKED_UP = 500  # different ones; responses of 10,000 are remembered
_RARELY_LOOKED_UP = 100_000
_NAMES = (
    2_000  # different ones among the texts, so that what they need of a list stays in the caches of a core
)
_NAMES_OF_ALL = {"pattern": "[a-z0-9]+(?::[a-z0-9]+)*-[a-z0-9-]+"}
_LETTERS = ascii_lowercase + digits


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of this benchmark."""
    parser.add_argument("--rounds", type=int, default=9, help="rounds (default: 9)")
    parser.add_argument("--long", type=int, default=1_000_000, help="the long list (default: 1,000,000)")
    parser.add_argument(
        "--seconds", type=int, default=4, help="seconds for each server in a round (default: 4)"
    )
    parser.add_argument("--only", choices=("memory", "database"), help="only one of the two (default: both)")


def run(options: Namespace) -> bool:
    """Measure, print the tables, and return whether every bound is met."""
    in_memory = [] if options.only == "database" else _measured_in_memory(options)
    stored = [] if options.only == "memory" else _measured_in_database(options)
    return print_bounds([*in_memory, *stored])


def _measured_in_memory(options: Namespace) -> list[Bound]:
    profile = Profile.from_dict(
        mapping(
            names=_NAMES_OF_ALL,
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
    return [
        Bound(f"walks, list of {options.long:,} / {SHORT:,}", walks[1].ratio_to(walks[0]), at_most=1.2),
        Bound(
            f"judge_many, list of {options.long:,} / {SHORT:,}", judged[1].ratio_to(judged[0]), at_most=1.2
        ),
        Bound("judge_many, with lists / without", with_lists.ratio_to(without), at_most=1.25),
        Bound("answers per second, with lists", _TEXTS / with_lists.median, at_least=100_000),
        Bound("answers per second, long list", _TEXTS / judged[1].median, at_least=100_000),
    ]


def _measured_in_database(options: Namespace) -> list[Bound]:
    """The times of requests and imports in stored lists, and requests for one sub-namespace a second."""
    sizes = {f"example-{size}": size for size in (SHORT, options.long)}
    with benchmark_databases(0) as (bench_db,):
        _fill(bench_db, sizes)
        times = compared(bench_db, "stored_lists", sizes, options.rounds, "list")
        return [*times, *_looked_up(bench_db, sizes, options)]


def _looked_up(bench_db: BenchmarkDatabase, sizes: dict[str, int], options: Namespace) -> list[Bound]:
    """Requests for one sub-namespace, compared with a plain view of REST framework."""
    check_wrk()
    port, plain_port = free_port(), free_port()
    plain_view = granian("benchmarks.baseline_namespaces:application", plain_port)
    with (
        registry_server(bench_db.environment, port) as process,
        running_server(plain_view, plain_port, bench_db.environment),
    ):
        one, address = "subnamespace/?prefix=", "/api/v1/namespaces"
        few = {nid: bench_db.prefixes(nid, _LOOKED_UP) for nid in sizes}
        short, long = (
            LoadedServer(
                f"one of {sizes[nid]:,}", port, [f"{address}/{nid}/{one}{each}" for each in prefixes]
            )
            for nid, prefixes in few.items()
        )
        nid = list(sizes)[-1]
        many = [f"{address}/{nid}/{one}{each}" for each in bench_db.prefixes(nid, _RARELY_LOOKED_UP)]
        rare = LoadedServer(f"one of {options.long:,}, mostly another one", port, many)
        plain = LoadedServer(
            "the plain way",
            plain_port,
            [path.replace(address, "/plain") for path in long.paths],
            remark="the baseline",
        )
        for ours, theirs in zip(long.paths[:50], plain.paths, strict=False):
            assert json.loads(long.get(ours)) == json.loads(plain.get(theirs)), ours
        candidates = [short, long, rare, plain]
        run_rounds(candidates, rounds=options.rounds, seconds=options.seconds)
        print_table(candidates, plain)
        memory = peak_memory(process)
    return [
        Bound("requests for one a second, relative to the plain view", long.ratio_to(plain), at_least=40),
        Bound(f"time of one, list of {options.long:,} / {SHORT:,}", short.ratio_to(long), at_most=1.2),
        memory_bound(memory),
    ]


def _fill(bench_db: BenchmarkDatabase, sizes: dict[str, int]) -> None:
    """Write a namespace with a list of each size, by NID."""
    levels = [level(separator=":-"), {"name": "bed", "coverage": "free", "of": "*", "separator": ":-"}]
    bench_db.add_profiles(
        Profile.from_dict(mapping(nid=nid, names=_NAMES_OF_ALL, levels=levels)) for nid in sizes
    )
    with bench_db.connect() as connection:
        for nid, size in sizes.items():
            show_progress(f"a list of {size:,} is written")
            connection.execute(_FILL_LIST, {"nid": nid, "size": size, "parents": _PARENTS})
            connection.execute(_FILL_VERSION, {"nid": nid, "size": size})
        connection.execute("VACUUM ANALYZE")
    show_progress("")


# Nine in ten are below the first sub-namespace. Every second title has one word, every eighth sub-namespace is deprecated.
_FILL_LIST = """
INSERT INTO subnamespaces_subnamespace (namespace_id, key, content, version)
SELECT namespace.id, prefix, jsonb_strip_nulls(jsonb_build_object(
    'prefix', prefix, 'title', CASE WHEN n %% 2 = 0 THEN 'Garden ' ELSE 'House ' END || left(md5(n || 't'), 6),
    'holder', 'Board ' || n %% 997, 'source', 'List', 'as_of', '2026-01-31',
    'status', CASE WHEN n %% 8 = 7 THEN 'deprecated' END
)), 1
FROM namespaces_namespace AS namespace, generate_series(1, %(size)s::integer) AS n, LATERAL (
    SELECT CASE WHEN n <= %(parents)s THEN 'g' || n
        ELSE 'g' || CASE WHEN n %% 10 > 0 THEN 1 ELSE 1 + n / 10 %% %(parents)s END || ':' || left(md5(n::text), 16) END
) AS prefixes (prefix)
WHERE nid = %(nid)s
"""
_FILL_VERSION = """
INSERT INTO subnamespaces_listversion
    (namespace_id, version, digest, total, added, changed, retired, basis, set_at, profile_id)
SELECT id, 1, repeat('0', 64), %(size)s, %(size)s, 0, 0, 'Benchmark.', clock_timestamp(), profile_id
FROM namespaces_namespace WHERE nid = %(nid)s
"""


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
