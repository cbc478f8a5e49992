"""Benchmark: time and memory to import and export files with very many namespaces.

Everything runs in one transaction, which is rolled back. Registrations are blocked while it runs.
"""

import os
import resource
import tempfile
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

SUMMARY = "import and export of files with very many namespaces"
# The memory limit of a process for files of any size.
MAX_MEGABYTES = 200
HEAD = (
    "<?xml version='1.0' encoding='UTF-8'?>\n"
    '<registry xmlns="http://www.iana.org/assignments" id="urn-namespaces">\n'
    "  <title>Benchmark</title>\n  <updated>{updated}</updated>\n"
    '  <registry id="urn-namespaces-1">\n    <title>Formal</title>\n'
)
RECORD = (
    '    <record date="2020-01-{day:02}">\n      <name>benchmark-{number:07}</name>\n'
    '      <template><xref type="uri" data="https://example.org/urn-formal/benchmark-{number:07}">'
    "benchmark-{number:07}-template</xref></template>\n"
    '      <xref type="rfc" data="rfc{rfc}"/>\n    </record>\n'
)
FOOT = (
    "  </registry>\n"
    '  <registry id="urn-namespaces-2">\n    <title>Informal</title>\n  </registry>\n'
    "  <people/>\n</registry>\n"
)


def add_arguments(command: ArgumentParser) -> None:
    command.add_argument(
        "--namespaces", type=int, default=100_000, help="number of namespaces (default: 100,000)"
    )


def run(options: Namespace) -> bool:
    """Print a line for each file; return whether the memory bound is met."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "registry.settings")
    import django

    django.setup()
    from registry.devserver import database

    with database.running(), tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "urn-namespaces.xml"
        _write(path, options.namespaces)
        _measure(path, options.namespaces)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory of the process: {peak:.0f} MB (bound: {MAX_MEGABYTES} MB)")
    return peak <= MAX_MEGABYTES


def _write(path: Path, count: int) -> None:
    with path.open("w", encoding="utf-8") as stream:
        stream.write(HEAD.format(updated="9999-01-01"))
        for number in range(count):
            stream.write(RECORD.format(number=number, day=number % 28 + 1, rfc=number % 9000 + 1))
        stream.write(FOOT)


def _measure(path: Path, count: int) -> None:
    from registry.publication.formats.export_formats import FILES
    from registry.publication.iana.file_reader import read_versions
    from registry.publication.iana.importing.importer import import_transaction, import_versions

    with import_transaction(is_dry=True):
        with _timed("read", count):
            versions = read_versions(path)
        with _timed("compared, written and recorded", count):
            import_versions(versions)
        with _timed("compared again", count):
            import_versions(versions)
        for name, file in FILES.items():
            first = _first_block(file.write)
            with _timed(f"{name}, first block after {first * 1000:.1f} ms", count):
                size = sum(len(block) for block in file.write())
            print(f"    {size / 1e6:,.1f} MB")


def _first_block(write: Callable[[], Iterator[bytes]]) -> float:
    began = time.perf_counter()
    next(write(), b"")
    return time.perf_counter() - began


@contextmanager
def _timed(what: str, count: int) -> Iterator[None]:
    began, worked = time.perf_counter(), time.process_time()
    yield
    passed, worked = time.perf_counter() - began, time.process_time() - worked
    print(
        f"{what}: {passed:,.1f} s, of which {worked:,.1f} s in this process; {count / passed:,.0f} per second",
        flush=True,
    )
