"""Load with wrk, and its results. Candidates take turns, so that a slow moment affects all of them."""

import json
import os
import shutil
import statistics
import subprocess
import tempfile
import urllib.request
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .candidates import Candidate
from .servers import pinned, server_and_client_cores
from .terminal import BenchmarkError, show_progress

CONNECTIONS = 16
WARM_UP = 1  # seconds
# Requests random paths, and prints the results as JSON.
SCRIPT = """
local requests = {}
math.randomseed(4711)
function init(arguments)
    local body = arguments[2] and io.open(arguments[2], "rb"):read("*a")
    for path in io.lines(arguments[1]) do
        if body then
            requests[#requests + 1] = wrk.format("POST", path, {["Content-Type"] = arguments[3]}, body)
        else
            requests[#requests + 1] = wrk.format("GET", path)
        end
    end
end
function request() return requests[math.random(#requests)] end
function done(summary, latency, _)
    local wrong = summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.timeout
    io.write(string.format(
        '\\nRESULT {"requests":%d,"seconds":%.6f,"p50":%.6f,"p99":%.6f,"wrong":%d}\\n',
        summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e6, latency:percentile(99) / 1e6, wrong))
end
"""


@dataclass(frozen=True, slots=True)
class RoundResult:
    """Requests per second, and latency in seconds."""

    rate: float
    p50: float
    p99: float


@dataclass
class LoadedServer(Candidate):
    """A server at a port, and the paths to request; `body` is sent to them. Figures are requests per second.

    `header` is sent with each request, as `Name: value`.
    """

    port: int
    paths: Sequence[str]
    body: bytes = b""
    content_type: str = "text/plain"
    header: str = ""
    rounds: list[RoundResult] = field(default_factory=list)

    def get(self, path: str) -> bytes:
        """Return the body of one response."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=30) as response:
            content: bytes = response.read()
            return content


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of a benchmark with wrk."""
    parser.add_argument("--rounds", type=int, default=5, help="rounds (default: 5)")
    parser.add_argument(
        "--seconds", type=int, default=4, help="seconds for each candidate in a round (default: 4)"
    )


def check_wrk() -> None:
    if not shutil.which("wrk"):
        raise BenchmarkError("wrk is not installed. On Debian: apt-get install wrk")


def run_rounds(
    candidates: Sequence[LoadedServer], *, rounds: int, seconds: int, connections: int = CONNECTIONS
) -> None:
    """Load the candidates in turn for a number of rounds, after one warm-up round."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "paths.lua")
        script.write_text(SCRIPT)
        for number in range(rounds + 1):
            for place, candidate in enumerate(candidates):
                show_progress(f"round {number} of {rounds}: {candidate.name}")
                paths, body = Path(folder, f"{place}.paths"), Path(folder, f"{place}.body")
                paths.write_text("".join(f"{path}\n" for path in candidate.paths))
                sent = [str(paths)]
                if candidate.body:
                    body.write_bytes(candidate.body)
                    sent += [str(body), candidate.content_type]
                options = [
                    "--connections",
                    str(connections),
                    "--duration",
                    f"{seconds if number else WARM_UP}s",
                    *(["--header", candidate.header] if candidate.header else []),
                ]
                found = _load(candidate, options, script, sent)
                if number:
                    candidate.rounds.append(found)
                    candidate.figures.append(found.rate)
    show_progress("")


def _load(candidate: LoadedServer, options: list[str], script: Path, arguments: list[str]) -> RoundResult:
    command = ["wrk", "--threads", "1", "--timeout", "30s", *options, "--script", str(script)]
    command += [f"http://127.0.0.1:{candidate.port}", "--", *arguments]
    output = subprocess.run(
        pinned(server_and_client_cores()[1], command), check=True, capture_output=True, text=True
    ).stdout
    found = json.loads(output.partition("RESULT ")[2])
    if found["wrong"]:
        raise BenchmarkError(f"{candidate.name} answered {found['wrong']} requests with errors:\n{output}")
    return RoundResult(found["requests"] / found["seconds"], found["p50"], found["p99"])


def print_table(candidates: Sequence[LoadedServer], baseline: LoadedServer) -> None:
    """Print the medians of the rounds: requests per second, latency, and the ratio to the baseline."""
    width = max(len(each.name) for each in candidates)
    print(f"{'':<{width}}{'requests/s':>12}{'p50 ms':>9}{'p99 ms':>9}{'to baseline':>12}")
    for each in candidates:
        p50 = statistics.median(found.p50 for found in each.rounds) * 1000
        p99 = statistics.median(found.p99 for found in each.rounds) * 1000
        ratio = each.ratio_to(baseline)
        print(f"{each.name:<{width}}{each.median:>12,.0f}{p50:>9.2f}{p99:>9.2f}{ratio:>12.1f}  {each.remark}")
    busy = os.getloadavg()[0]
    print(f"(load of the machine in the last minute: {busy:.1f})\n")
