"""A plugin of pytest. At the end of a run, one line says which tests were left out, and why."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

# Markers of tests that the default run leaves out, and the arguments that run them.
HOW_TO_RUN = {"drill": " -n 0 -m drill", "soak": " -m soak", "exhaustive": " --all", "slower": ""}

left_out = Counter[str]()


def pytest_deselected(items: Sequence[pytest.Item]) -> None:
    if not items:  # pytest's cache of failed tests calls this, too
        return
    options = items[0].config.option
    # As in run.py and pyproject.toml. Other selections are the user's own.
    expression = re.fullmatch(r"not \((.+)\)", options.markexpr)
    if not expression or options.keyword:
        return
    # What only the default run has is a part of a test that runs.
    markers = [name for name in expression[1].split(" or ") if name != "default_only"]
    for item in items:
        found = [name for name in markers if item.get_closest_marker(name)]
        if found:
            left_out[next((name for name in HOW_TO_RUN if name in found), "slower")] += 1


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = dict(left_out)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Each worker of xdist collects all tests, so all of them count the same. One that crashed has no output."""
    left_out.update(getattr(node, "workeroutput", {}).get("left_out", {}) if not left_out else {})


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Iterator[None]:
    yield
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = Counter(_reason(report) for report in skipped)
    parts = [f"{_tests(count)} because {reason}" for reason, count in reasons.most_common()]
    parts += [
        f"{_tests(left_out[kind], kind)} (python3 run.py test{arguments})"
        for kind, arguments in HOW_TO_RUN.items()
        if left_out[kind]
    ]
    if parts:
        terminalreporter.write_line(f"Left out: {'; '.join(parts)}.", yellow=True)


def _reason(report: pytest.TestReport) -> str:
    """The first line of the reason, as a clause."""
    assert isinstance(report.longrepr, tuple)
    return report.longrepr[2].removeprefix("Skipped: ").partition("\n")[0].rstrip(".")


def _tests(count: int, kind: str = "") -> str:
    return " ".join(filter(None, (f"{count:,}", kind, "tests" if count > 1 else "test")))
