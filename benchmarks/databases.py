"""Databases of the benchmarks, filled with namespaces."""

import contextlib
import json
import os
import secrets
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from urllib.parse import quote, urlencode

import psycopg
from psycopg import sql

from registry.core.digests import digest_of
from registry.devserver import database
from registry.registration_template.parsing.parser import parse_template
from urnsyntax.profiles import Profile
from urnsyntax.profiles.profile import SUBJECTS

from .servers import server_and_client_cores
from .terminal import show_progress

ROOT = Path(__file__).resolve().parent.parent
ORIGIN = "http://localhost:8000"
CASES = ("example-lighthouses.txt", "example-bridges.txt", "example-museums.txt", "example-everything.txt")
WORDS = [
    "books",
    "maps",
    "trees",
    "bridges",
    "standards",
    "documents",
    "films",
    "songs",
    "museums",
    "atoms",
    "stars",
    "rivers",
    "recipes",
]
PART = 5_000  # namespaces per batch: an interrupt waits for the current batch
# A quarter of the machine's memory, as PostgreSQL's documentation advises for a server of a database (section 19.4.1).
MEGABYTES = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4 // 2**20


@contextlib.contextmanager
def benchmark_databases(*sizes: int) -> Iterator[list["BenchmarkDatabase"]]:
    """Create a database for each number of namespaces, on the server's core; drop them afterwards."""
    with database.running(shared_buffers=f"{MEGABYTES}MB"), contextlib.ExitStack() as stack:
        filled = [stack.enter_context(_new_database(size)) for size in sizes]
        _pin_embedded_server(stack)
        yield filled


def _pin_embedded_server(stack: contextlib.ExitStack) -> None:
    """Pin the embedded PostgreSQL; backends inherit the core. An external server is not pinned."""
    postmaster = database.EMBEDDED.cluster / "postmaster.pid"
    if os.environ.get("DATABASE_URL") or not postmaster.exists():
        print("note: PostgreSQL is not the embedded server and is not pinned to a core")
        return
    number = int(postmaster.read_text().splitlines()[0])
    before = os.sched_getaffinity(number)
    os.sched_setaffinity(number, server_and_client_cores()[0])
    stack.callback(os.sched_setaffinity, number, before)


class BenchmarkDatabase:
    """A database with namespaces."""

    def __init__(self, name: str, size: int) -> None:
        self.name = name
        self.size = size

    @property
    def environment(self) -> dict[str, str]:
        """Return the environment for processes of the registry on this database, without throttling."""
        settings = database.configuration()
        who = quote(settings["USER"]) + (
            f":{quote(settings['PASSWORD'])}" if settings.get("PASSWORD") else ""
        )
        where = urlencode({"host": settings["HOST"], "port": str(settings["PORT"])})
        return {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "DJANGO_SETTINGS_MODULE": "registry.settings",
            "DATABASE_URL": f"postgresql://{who}@/{quote(self.name)}?{where}",
            "SECRET_KEY": secrets.token_urlsafe(50),
            "ALLOWED_HOSTS": "localhost 127.0.0.1",
            "PUBLIC_ORIGIN": ORIGIN,
            "API_READS_A_MINUTE": "999999999",
            "API_WRITES_A_MINUTE": "999999999",
            "ENTRY_REQUESTS_A_DAY": "999999999",
        }

    def connect(self) -> psycopg.Connection:
        return _connect(self.name)

    def nids(self, count: int, *, with_text: bool | None = None) -> list[str]:
        """Return a sample of NIDs from the whole table."""
        which = {None: "true", True: "latest_id IS NOT NULL", False: "latest_id IS NULL"}[with_text]
        query = f"SELECT nid FROM namespaces_namespace WHERE {which} ORDER BY md5(nid || 'x') LIMIT {count}"
        with self.connect() as connection:
            return [nid for (nid,) in connection.execute(query).fetchall()]

    def prefixes(self, nid: str, count: int) -> list[str]:
        """Return a sample of the sub-namespaces of a namespace."""
        query = """
            SELECT prefix FROM subnamespaces_subnamespace JOIN namespaces_namespace AS namespace ON namespace.id = namespace_id
            WHERE nid = %s ORDER BY md5(prefix) LIMIT %s
        """
        with self.connect() as connection:
            return [prefix for (prefix,) in connection.execute(query, [nid, count]).fetchall()]

    def add_profiles(self, profiles: Iterable[Profile]) -> None:
        """Write a namespace with each of these profiles."""
        rows = [
            {
                "nid": each.nid,
                "number": each.nid.removeprefix("urn-") if each.nid.startswith("urn-") else None,
                "content": json.dumps(each.to_dict()),
                "digest": digest_of(each.to_dict()),
            }
            for each in profiles
        ]
        with self.connect() as connection, connection.cursor() as cursor:
            cursor.executemany(ADD_NAMESPACE, rows)
            cursor.executemany(ADD_PROFILE, rows)

    def store_list_items(self) -> None:
        """Store an entry of lists for each namespace without one, as `manage.py store_list_items` does, but quicker.

        The text is that of an entry that a request has stored, with another NID.
        """
        with self.connect() as connection, connection.transaction():
            connection.execute("SELECT set_config('namespaces.writes_lookups', 'on', true)")
            connection.execute(STORE_ITEMS)

    def expected_response(self, nid: str) -> bytes:
        """Return the expected response of a lookup."""
        with self.connect() as connection:
            row = connection.execute(
                "SELECT body FROM namespaces_cachedlookup WHERE nid = %s", [nid]
            ).fetchone()
        assert row is not None
        return bytes(row[0])


def _connect(name: str) -> psycopg.Connection:
    settings = database.configuration()
    return psycopg.connect(
        host=settings["HOST"],
        port=settings["PORT"],
        user=settings["USER"],
        password=settings.get("PASSWORD"),
        dbname=name,
        autocommit=True,
    )


@contextlib.contextmanager
def _new_database(size: int) -> Iterator[BenchmarkDatabase]:
    name = f"urn_benchmark_{os.getpid()}_{size}"
    try:
        with _connect(str(database.configuration()["NAME"])) as connection:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        bench_db = BenchmarkDatabase(name, size)
        show_progress(f"a database for {size:,} namespaces is made")
        manage = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
        subprocess.run(manage, cwd=ROOT, env=bench_db.environment, check=True)
        _fill(bench_db)
        show_progress("")
        yield bench_db
    finally:
        _drop(name)


def _drop(name: str) -> None:
    # WITH (FORCE) would not do: of the server's own cleaning only a superuser may end anything by force, and without
    # force it makes way.
    clients = "FROM pg_stat_activity WHERE datname = %s AND backend_type = 'client backend'"
    with _connect(str(database.configuration()["NAME"])) as connection:
        connection.execute(f"SELECT pg_terminate_backend(pid) {clients}", [name])
        connection.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(name)))


def _fill(bench_db: BenchmarkDatabase) -> None:
    """Write namespaces like those of IANA's registry; every other one of the first thousand has a template."""
    texts = [parse_template((ROOT / "fixtures" / "cases" / name).read_text()) for name in CASES]
    contents = [json.dumps(text.template.to_json()) for text in texts]
    with bench_db.connect() as connection:
        # Indexes are created afterwards, as in a restore, which takes a tenth of the time.
        later = connection.execute(INDEXES_FOR_SEARCHES).fetchall()
        for name, _ in later:
            connection.execute(sql.SQL("DROP INDEX {}").format(sql.Identifier(name)))
        _write_all(bench_db)
        show_progress("indexes are made")
        for _, definition in later:
            connection.execute(definition)
        connection.execute(FILL_TEXTS, {"contents": contents})
        connection.execute(LATEST)
        if bench_db.size:
            connection.execute(FILL_ORGANISATION)
        connection.execute(FILL_PROFILES, {"words": WORDS, "subjects": list(SUBJECTS)})
        connection.execute("VACUUM ANALYZE")


def _write_all(bench_db: BenchmarkDatabase) -> None:
    done = 0
    with ThreadPoolExecutor(2) as pool:
        for written in pool.map(partial(_fill_part, bench_db), range(0, bench_db.size, PART)):
            done += written
            show_progress(
                f"{done:,} of {bench_db.size:,} namespaces are written into a database of their own"
            )


def _fill_part(bench_db: BenchmarkDatabase, start: int) -> int:
    end = min(start + PART, bench_db.size)
    with bench_db.connect() as connection:
        return connection.execute(FILL, {"first": start + 1, "last": end, "words": WORDS}).rowcount


INDEXES_FOR_SEARCHES = """
SELECT indexname, indexdef FROM pg_indexes
WHERE tablename = 'namespaces_namespace' AND indexdef LIKE 'CREATE INDEX%'
"""
# A NID is as good as random, so that the next one asked for lies somewhere else. One in twenty is informal, one in
# 33 deprecated; a registrant has four, but one has a fiftieth of all. Many dates are those of an import.
FILL = """
INSERT INTO namespaces_namespace (
    nid, kind, number, origin, holder, purpose, registered_on, updated_on, "references", template_url,
    deprecated_at, deprecation_statement, changed_at
)
SELECT
    nid, CASE WHEN n %% 20 = 0 THEN 'informal' ELSE 'formal' END, CASE WHEN n %% 20 = 0 THEN n END, 'iana',
    CASE WHEN n %% 50 = 7 THEN 'Example Standards Institute' ELSE 'Example Body ' || n / 4 END,
    'Names ' || (%(words)s::text[])[1 + n %% 13] || ' and ' || (%(words)s::text[])[1 + n / 13 %% 13]
        || ' in collection ' || md5((n / 7)::text) || ', so that all catalogues can cite them.',
    CASE WHEN n %% 5 = 0 THEN '2001-01' ELSE to_char(registered, 'YYYY-MM-DD') END,
    CASE n %% 3 WHEN 0 THEN '' WHEN 1 THEN '2017-04-11'
        ELSE to_char(least(registered + n %% 2000, date '2026-06-30'), 'YYYY-MM-DD') END,
    '[{"type": "rfc", "target": "https://www.rfc-editor.org/rfc/rfc8254", "label": "RFC 8254"}]'::jsonb,
    'https://www.iana.org/assignments/urn-formal/' || nid,
    CASE WHEN n %% 33 = 0 THEN timestamptz '2019-01-01 12:00Z' + n %% 2500 * interval '1 day' END,
    CASE WHEN n %% 33 = 0 THEN 'No longer used.' ELSE '' END,
    least(registered + n %% 2000, date '2026-06-30') + interval '9 hours'
FROM generate_series(%(first)s::integer, %(last)s) AS n,
    LATERAL (SELECT date '1997-01-01' + (n * 7919::bigint %% 10700)::integer) AS days (registered)
    CROSS JOIN LATERAL (
        SELECT CASE WHEN n %% 20 = 0 THEN 'urn-' || n ELSE 'n' || left(md5(n::text), 12) || n END
    ) AS names (nid)
"""
FILL_TEXTS = """
INSERT INTO namespaces_revision (namespace_id, version, content, text, commitments, digest, origin, registered_at)
SELECT id, 1, (%(contents)s::text[])[1 + id %% 4]::jsonb, '', '{}', '', 'registry', now()
FROM namespaces_namespace WHERE id <= 1000 AND id %% 2 = 0
"""
LATEST = """
UPDATE namespaces_namespace AS namespace SET latest_id = revision.id
FROM namespaces_revision AS revision WHERE revision.namespace_id = namespace.id
"""
# One in a thousand belongs to an organisation, which has the number 1.
FILL_ORGANISATION = """
WITH organisation AS (
    INSERT INTO organisations_organisation (name, homepage, created_at)
    VALUES ('Example Arboretum', '', now()) RETURNING id
)
UPDATE namespaces_namespace SET organisation_id = organisation.id
FROM organisation WHERE namespaces_namespace.id % 1000 = 3
"""
STORE_ITEMS = """
UPDATE namespaces_cachedlookup AS lookup SET item_release = sample.item_release,
    item = convert_to(replace(convert_from(sample.item, 'UTF8'), sample.nid, lookup.nid), 'UTF8')
FROM (SELECT nid, item, item_release FROM namespaces_cachedlookup WHERE item IS NOT NULL LIMIT 1) AS sample
WHERE lookup.item IS NULL
"""
ADD_NAMESPACE = """
INSERT INTO namespaces_namespace (
    nid, kind, number, origin, holder, purpose, registered_on, updated_on, "references", template_url,
    deprecation_statement, changed_at
)
VALUES (
    %(nid)s, CASE WHEN %(number)s::text IS NULL THEN 'formal' ELSE 'informal' END, %(number)s::text::integer, 'iana',
    '', '', '', '', '[]', '', '', now()
)
"""
ADD_PROFILE = """
INSERT INTO namespaces_profileversion (namespace_id, version, content, digest, basis, set_at)
SELECT id, 1, %(content)s::jsonb, %(digest)s, 'Fixture.', now() FROM namespaces_namespace WHERE nid = %(nid)s
"""
# 2% have a profile; 5% of those state a grammar.
FILL_PROFILES = """
INSERT INTO namespaces_profileversion (namespace_id, version, content, digest, basis, set_at)
SELECT id, 1, content, encode(sha256(convert_to(content::text, 'UTF8')), 'hex'), 'Syntax.', now()
FROM (
    SELECT id, jsonb_build_object(
        'nid', nid, 'title', 'Names of ' || (%(words)s::text[])[1 + id / 50 %% 13] || ' of kind ' || id %% 50,
        'summary', 'Each of the ' || (%(words)s::text[])[1 + id / 650 %% 13] || ' in collection ' || id / 50
            || ' has a name that is written on it. It is never given to another one.',
        'organisation', 'Example Body ' || id / 4,
        'subjects', jsonb_build_array((%(subjects)s::text[])[1 + id / 50 %% cardinality(%(subjects)s::text[])]),
        'keywords', jsonb_build_array(
            'collection', (%(words)s::text[])[1 + id / 100 %% 13], 'example of ' || (%(words)s::text[])[1 + id / 150 %% 13]
        ),
        'names', CASE WHEN id %% 1000 = 7 THEN jsonb_build_object('pattern', '[0-9]+')
            ELSE jsonb_build_object('unstated', 'The registration states none.') END
            || jsonb_build_object(
                'examples', (SELECT jsonb_agg(jsonb_build_object('urn', format('urn:%%s:%%s', nid, n))) FROM generate_series(1, 3) AS n),
                'counterexamples', CASE WHEN id %% 1000 = 7 THEN (
                    SELECT jsonb_agg(jsonb_build_object('urn', format('urn:%%s:x%%s', nid, n), 'reason', 'It has a letter.'))
                    FROM generate_series(1, 3) AS n) ELSE '[]'::jsonb END
            ),
        'sources', jsonb_build_array(jsonb_build_object(
            'facts', jsonb_build_array('title', 'summary', 'organisation', 'subjects', 'keywords', 'grammar', 'examples'),
            'kind', 'registration', 'document', 'Registration of urn:' || nid
        ))
    ) AS content
    FROM namespaces_namespace WHERE id %% 50 = 7
) AS profiles
"""
