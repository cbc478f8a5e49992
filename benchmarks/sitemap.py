"""Benchmark: the sitemap of very many namespaces: time and size of its index and of its files, and the memory of a worker."""

import re
import time
import urllib.request
from argparse import ArgumentParser, Namespace
from dataclasses import dataclass

from .bounds import Bound, memory_bound, print_bounds
from .databases import ORIGIN, benchmark_databases
from .servers import free_port, peak_memory, registry_server
from .terminal import BenchmarkError

SUMMARY = "the sitemap of very many namespaces"
INDEX = "/sitemap.xml"
ADDRESS = re.compile(rb"<loc>([^<]+)</loc>")
BLOCK = 2**16  # octets
# The limits of https://www.sitemaps.org/protocol.html.
MAX_ADDRESSES, MAX_OCTETS = 50_000, 50 * 2**20


@dataclass(frozen=True, slots=True)
class SitemapFile:
    """A file as it was read: seconds until its first block and its end, size in octets, and the addresses in it."""

    path: str
    first: float
    seconds: float
    size: int
    addresses: list[str]


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--namespaces", type=int, default=1_000_000, help="number of namespaces (default: 1,000,000)"
    )


def run(options: Namespace) -> bool:
    """Read the whole sitemap, print a line for each file, and return whether every bound is met."""
    with benchmark_databases(options.namespaces) as (filled,):
        port = free_port()
        with registry_server(filled.environment, port) as process:
            index = _read(port, INDEX)
            files = [_read(port, address.removeprefix(ORIGIN)) for address in index.addresses]
            memory = peak_memory(process)
    for each in (index, *files):
        print(
            f"{each.path}: {len(each.addresses):,} addresses, {each.size / 1e6:.2f} MB, "
            f"first block after {each.first * 1000:.1f} ms, whole after {each.seconds * 1000:.1f} ms"
        )
    seconds = index.seconds + sum(each.seconds for each in files)
    size = index.size + sum(each.size for each in files)
    print(f"{len(files) + 1} files: {size / 1e6:.1f} MB in {seconds:.2f} s")
    return print_bounds([*_bounds(index, files, options.namespaces), memory_bound(memory)])


def _bounds(index: SitemapFile, files: list[SitemapFile], count: int) -> list[Bound]:
    shown = {address for each in files for address in each.addresses if "/namespaces/" in address}
    shown.discard(f"{ORIGIN}/namespaces/")  # the list
    everything = [index, *files]
    return [
        Bound("namespaces in the sitemap", len(shown), at_least=count, at_most=count),
        Bound("addresses in a file", max(len(each.addresses) for each in everything), at_most=MAX_ADDRESSES),
        Bound("megabytes of a file", max(each.size for each in everything) / 1e6, at_most=MAX_OCTETS / 1e6),
        Bound("seconds until the first block of the index", index.first, at_most=2),
        Bound("seconds until the first block of a file", max(each.first for each in files), at_most=0.5),
    ]


def _read(port: int, path: str) -> SitemapFile:
    began = time.perf_counter()
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=300) as response:
        blocks = [response.read1(BLOCK)]
        first = time.perf_counter() - began
        while blocks[-1]:
            blocks.append(response.read1(BLOCK))
    content = b"".join(blocks)
    seconds = time.perf_counter() - began
    if not content.rstrip().endswith((b"</sitemapindex>", b"</urlset>")):
        raise BenchmarkError(f"{path} is not complete.")
    addresses = [each.decode() for each in ADDRESS.findall(content)]
    return SitemapFile(path, first, seconds, len(content), addresses)
