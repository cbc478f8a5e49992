"""A plugin of pytest. Failed tests are kept under their own names, so that `--last-failed` finds them.

xdist reports a test of a group as `test@group`. In a run without workers, no test has this name, and all tests ran.
"""

import pytest


def without_group(nodeid: str) -> str:
    """The name of a test without its group, which follows the brackets of its parameters."""
    at = nodeid.rfind("@")
    return nodeid[:at] if at > nodeid.rfind("]") else nodeid


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    cache = session.config.cache
    if cache is not None and not hasattr(session.config, "workerinput"):
        failed = cache.get("cache/lastfailed", {})
        cache.set("cache/lastfailed", {without_group(nodeid): True for nodeid in failed})
