"""Commands that are run to their end, with their time and the peak memory of all their processes."""

import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from .candidates import Candidate
from .servers import ROOT
from .terminal import BenchmarkError

PAUSE = 0.02  # seconds between two readings; growth of the memory in the last of them is not seen


@dataclass
class Command(Candidate):
    """A command. Its figures are seconds; `peak` is the memory in octets of the round with most."""

    words: list[str]
    environment: Mapping[str, str]
    peak: int = field(default=0, kw_only=True)

    def run(self) -> str:
        """Run the command, keep its figures, and return what it prints. Raises BenchmarkError if it fails."""
        with tempfile.TemporaryFile("w+") as printed, tempfile.TemporaryFile("w+") as errors:
            began = time.perf_counter()
            with subprocess.Popen(
                self.words, cwd=ROOT, env=self.environment, stdout=printed, stderr=errors
            ) as process:
                peak = 0
                while process.poll() is None:
                    peak = max(peak, memory_of_tree(process.pid))
                    with suppress(subprocess.TimeoutExpired):
                        process.wait(PAUSE)
            seconds = time.perf_counter() - began
            for stream in (printed, errors):
                stream.seek(0)
            if process.returncode:
                raise BenchmarkError(f"{' '.join(self.words)} failed:\n{errors.read()[-2000:]}")
            self.figures.append(seconds)
            self.peak = max(self.peak, peak)
            return printed.read()


def memory_of_tree(number: int) -> int:
    """Return the sum of the peaks of a process and of all processes below it, in octets; 0 if it has ended."""
    return sum(map(_peak, _tree(str(number))))


def _tree(number: str) -> Iterator[str]:
    yield number
    with suppress(OSError):
        for thread in Path(f"/proc/{number}/task").iterdir():
            for child in (thread / "children").read_text().split():
                yield from _tree(child)


def _peak(number: str) -> int:
    with suppress(OSError):
        for line in Path(f"/proc/{number}/status").read_text().splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) * 1024
    return 0
