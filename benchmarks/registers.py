"""Benchmark: a short and a long register, side by side."""

from argparse import ArgumentParser, Namespace

from tests.urnsyntax.profiles.samples import mapping
from tests.urnsyntax.profiles.subnamespaces.samples import level
from urnsyntax.profiles import Profile

from .bounds import print_bounds
from .databases import BenchmarkDatabase, benchmark_databases
from .terminal import show_progress
from .two_sizes import compared

SUMMARY = "registers of 1,000 and 1,000,000 entries: their pages, requests and decisions"

SHORT = 1_000
_NAMES = {"pattern": "[a-z0-9-]+:[0-9]+"}


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of this benchmark."""
    parser.add_argument("--rounds", type=int, default=9, help="rounds (default: 9)")
    parser.add_argument("--long", type=int, default=1_000_000, help="the long register (default: 1,000,000)")


def run(options: Namespace) -> bool:
    """Measure, print the table, and return whether every bound is met."""
    sizes = {f"example-{size}": size for size in (SHORT, options.long)}
    with benchmark_databases(0) as (bench_db,):
        _fill(bench_db, sizes)
        return print_bounds(compared(bench_db, "stored_registers", sizes, options.rounds, "register"))


def _fill(bench_db: BenchmarkDatabase, sizes: dict[str, int]) -> None:
    """Write a namespace with a register of each size, by NID."""
    levels = [level("garden", "partial", separator=":")]
    bench_db.add_profiles(Profile.from_dict(mapping(nid=nid, names=_NAMES, levels=levels)) for nid in sizes)
    with bench_db.connect() as connection:
        connection.execute(_ADD_ADMINISTRATOR)
        for nid, size in sizes.items():
            show_progress(f"a register of {size:,} is written")
            for statement in (_FILL_LIST, _FILL_VERSION, _OPEN_REGISTER, _FILL_REGISTER):
                connection.execute(statement, {"nid": nid, "size": size})
        connection.execute("VACUUM ANALYZE")
    show_progress("")


_ADD_ADMINISTRATOR = """
INSERT INTO accounts_user (email, password, name, is_superuser, is_staff, is_active, date_joined, time_zone)
VALUES ('administrator@example.org', '', 'Administrator', false, false, true, now(), 'UTC')
"""
_FILL_LIST = """
INSERT INTO subnamespaces_subnamespace (namespace_id, key, content, version, is_registered)
SELECT namespace.id, prefix, jsonb_build_object(
    'prefix', prefix, 'title', 'Garden ' || left(md5(n || 't'), 6), 'source', 'Register of urn:' || nid, 'as_of', '2026-01-31'
), 1, true
FROM namespaces_namespace AS namespace, generate_series(1, %(size)s::integer) AS n,
    LATERAL (SELECT left(md5(n::text), 16)) AS prefixes (prefix)
WHERE nid = %(nid)s
"""
_FILL_VERSION = """
INSERT INTO subnamespaces_listversion
    (namespace_id, version, digest, total, added, changed, retired, basis, set_at, profile_id)
SELECT id, 1, repeat('0', 64), %(size)s, %(size)s, 0, 0, 'Benchmark.', clock_timestamp(), profile_id
FROM namespaces_namespace WHERE nid = %(nid)s
"""
_OPEN_REGISTER = """
INSERT INTO registers_register
    (namespace_id, policy, title, guidance, version, suspension_reason, opened_by_id, opened_at, changed_at)
SELECT namespace.id, 'expert_review', 'Gardens', '', 1, '', account.id, now(), now()
FROM namespaces_namespace AS namespace, accounts_user AS account WHERE nid = %(nid)s AND email = 'administrator@example.org'
"""
# The digests of what labels look like are random ones.
_FILL_REGISTER = """
INSERT INTO registers_entry (register_id, subnamespace_id, skeleton)
SELECT register.id, row.id, md5(row.key)
FROM registers_register AS register
    JOIN namespaces_namespace AS namespace ON namespace.id = register.namespace_id
    JOIN subnamespaces_subnamespace AS row ON row.namespace_id = namespace.id
WHERE nid = %(nid)s
"""
