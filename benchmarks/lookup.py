"""Benchmark: lookups of one namespace, compared with the baseline, a bare server, nginx and bioregistry."""

import contextlib
import importlib.util
import json
import random
import shutil
import subprocess
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from pathlib import Path

from .bounds import Bound, memory_bound, print_bounds
from .databases import BenchmarkDatabase, benchmark_databases
from .servers import free_port, granian, peak_memory, registry_server, running_server
from .wrk_load import LoadedServer, check_wrk, print_table, run_rounds

SUMMARY = "lookups of one namespace, compared with a plain Django view, a bare server, nginx and bioregistry"
LOOKUP = "/api/v1/namespaces/{}"
SAMPLE_SIZE = 1000  # different NIDs
FEW = 1000
PREFIXES = ("chebi", "doid", "go", "hgnc", "isbn", "mesh", "ncbitaxon", "orcid", "pubmed", "uniprot")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of this benchmark."""
    parser.add_argument("--rounds", type=int, default=5, help="rounds (default: 5)")
    parser.add_argument(
        "--seconds", type=int, default=4, help="seconds for each candidate in a round (default: 4)"
    )
    parser.add_argument(
        "--namespaces", type=int, default=1_000_000, help="namespaces in the large table (default: 1,000,000)"
    )
    parser.add_argument(
        "--bioregistry",
        metavar="PYTHON",
        default=sys.executable,
        help="a Python interpreter with bioregistry; default: this one",
    )


def run(options: Namespace) -> bool:
    """Measure, print the table, and return whether every bound is met."""
    check_wrk()
    with benchmark_databases(FEW, options.namespaces) as (few, many), contextlib.ExitStack() as stack:
        servers = _Servers(stack)
        ours, front = servers.lookups(few, "lookup", few.nids(SAMPLE_SIZE), "half with a template")
        plain = servers.plain_view(few, ours)
        bare = servers.bare_server("bare server", threads=1)
        bare_as_ours = servers.bare_server("bare server, 2 threads", threads=2)
        small, _ = servers.lookups(
            few, f"lookup, {FEW:,}", few.nids(SAMPLE_SIZE, with_text=False), "without templates"
        )
        large, large_front = servers.lookups(
            many, f"lookup, {many.size:,}", many.nids(SAMPLE_SIZE * 10, with_text=False), "without templates"
        )
        others = [*servers.nginx(few, ours), *servers.bioregistry(options.bioregistry)]
        _check_responses(ours, plain, few)
        candidates = [ours, plain, bare, bare_as_ours, small, large, *others]
        run_rounds(candidates, rounds=options.rounds, seconds=options.seconds)
        print_table(candidates, plain)
        memory = max(peak_memory(front), peak_memory(large_front))
    for name in servers.missing:
        print(f"not measured: {name}")
    return print_bounds(
        [
            Bound("requests per second, relative to the plain view", ours.ratio_to(plain), at_least=40),
            Bound("requests per second, relative to the bare server", ours.ratio_to(bare), at_least=0.25),
            Bound(
                f"time with {many.size:,} namespaces, relative to {FEW:,}", small.ratio_to(large), at_most=1.2
            ),
            memory_bound(memory),
        ]
    )


class _Servers:
    """Starts the servers of the candidates, which run until the end of the benchmark."""

    def __init__(self, stack: contextlib.ExitStack) -> None:
        self.stack = stack
        self.missing: list[str] = []

    def lookups(
        self, bench_db: BenchmarkDatabase, name: str, nids: list[str], remark: str
    ) -> tuple[LoadedServer, "subprocess.Popen[bytes]"]:
        """Start the registry as deployed, with all middleware."""
        port = free_port()
        process = self.stack.enter_context(registry_server(bench_db.environment, port))
        chance = random.Random(8141)
        paths = [LOOKUP.format(chance.choice([nid, nid.upper(), f"{nid}/"])) for nid in nids]
        candidate = LoadedServer(name, port, paths, remark=remark)
        for path in paths:  # the first request stores the response
            candidate.get(path)
        return candidate, process

    def plain_view(self, bench_db: BenchmarkDatabase, ours: LoadedServer) -> LoadedServer:
        port = free_port()
        command = granian("benchmarks.baseline_namespaces:application", port)
        self.stack.enter_context(running_server(command, port, bench_db.environment))
        paths = [f"/plain/{_nid_in(path)}/" for path in ours.paths]
        return LoadedServer(
            "the plain way", port, paths, remark="the baseline: a view over a model serializer"
        )

    def bare_server(self, name: str, *, threads: int) -> LoadedServer:
        """Start a server with an empty response, which needs only one thread; more threads compete."""
        port = free_port()
        command = granian("benchmarks.empty_response:application", port, threads=threads)
        self.stack.enter_context(running_server(command, port))
        return LoadedServer(name, port, ["/"], remark="granian and an empty answer")

    def nginx(self, bench_db: BenchmarkDatabase, ours: LoadedServer) -> list[LoadedServer]:
        """Start nginx with the same bodies as files, as an upper limit."""
        program = shutil.which("nginx") or "/usr/sbin/nginx"
        if not Path(program).exists():
            self.missing.append("nginx is not here. On Debian: apt-get install nginx-light")
            return []
        folder = Path(self.stack.enter_context(tempfile.TemporaryDirectory()))
        folder.chmod(0o755)
        nids = sorted({_nid_in(path) for path in ours.paths})
        for nid in nids:
            (folder / nid).write_bytes(bench_db.expected_response(nid))
        port = free_port()
        (folder / "nginx.conf").write_text(NGINX.format(folder=folder, port=port))
        self.stack.enter_context(running_server([program, "-c", str(folder / "nginx.conf")], port))
        return [LoadedServer("nginx", port, [f"/{nid}" for nid in nids], remark="the same bodies, as files")]

    def bioregistry(self, python: str) -> list[LoadedServer]:
        """Start bioregistry, an alternative that looks up identifier prefixes in memory."""
        if python == sys.executable and not importlib.util.find_spec("bioregistry"):
            self.missing.append(
                "bioregistry is not installed (dependency group `benchmarks`), nor named by --bioregistry"
            )
            return []
        port = free_port()
        command = [python, "-m", "bioregistry", "web", "--host", "127.0.0.1", "--port", str(port)]
        self.stack.enter_context(running_server(command, port))
        paths = [f"/api/registry/{prefix}?format=json" for prefix in PREFIXES]
        return [LoadedServer("bioregistry", port, paths, remark="its web API looks up a prefix")]


# One process, no log, files from the page cache.
NGINX = """
daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/error.log crit;
events {{ worker_connections 256; }}
http {{
    access_log off; sendfile on; keepalive_requests 100000000; default_type application/json;
    open_file_cache max=4000;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    server {{ listen 127.0.0.1:{port}; root {folder}; }}
}}
"""


def _nid_in(path: str) -> str:
    return path.removeprefix(LOOKUP.format("")).strip("/").lower()


def _check_responses(ours: LoadedServer, plain: LoadedServer, bench_db: BenchmarkDatabase) -> None:
    """Check that the candidates return the expected responses."""
    for our_path, plain_path in list(zip(ours.paths, plain.paths, strict=True))[:50]:
        body = ours.get(our_path)
        assert body == bench_db.expected_response(_nid_in(our_path)), our_path
        assert json.loads(body) == json.loads(plain.get(plain_path)), our_path
