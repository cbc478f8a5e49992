"""Fixtures: accounts with the roles in their names, and databases."""

import gc
import importlib
import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from django.conf import settings
from django.core.cache.backends.dummy import DummyCache
from django.core.management import call_command
from django.db import connection
from django.db.backends.base.creation import TEST_DATABASE_PREFIX
from django.test import Client, override_settings
from django.utils import timezone
from xdist.scheduler import LoadGroupScheduling

from registry.accounts.models import RoleName, User
from tests.support import static_files
from tests.support.databases import a_filled_database, a_fresh_database, a_migrated_database, copies_in_memory
from tests.support.factories import a_person
from tests.support.signing_key import use_a_signing_key


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.import_plugin("tests.support.left_out")
    config.pluginmanager.import_plugin("tests.support.last_failed")
    # Password hashing is slow by design, and a test creates a dozen accounts.
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    # Only some tests count what waits for the reader of a page: those with `real_counts`, and journeys.
    settings.CACHES["waiting_counts"]["BACKEND"] = "tests.support.waiting_counts.NothingWaits"
    static_files.use_source_files()
    use_a_signing_key()
    # On a busy machine an example may take long. The fixtures that these tests share do not change.
    hypothesis.settings.register_profile(
        "any machine",
        deadline=None,
        suppress_health_check=[
            hypothesis.HealthCheck.too_slow,
            hypothesis.HealthCheck.function_scoped_fixture,
        ],
    )
    hypothesis.settings.load_profile("any machine")
    # A stream has the events that there are. Tests of what comes later set the seconds that they wait.
    os.environ["EVENT_STREAM_SECONDS"] = "0"
    # Web processes end slow statements. On a busy machine, those of tests may be slow.
    os.environ |= {"LOCK_TIMEOUT": "0", "STATEMENT_TIMEOUT": "0"}


# `counted` is that of tests/api, which asks for one of the others by itself.
OF_THE_DATABASE = {"db", "django_db_setup", "counted"}


collected = Counter[tuple[str, str]]()
LONGEST_NAME = 200


def pytest_make_parametrize_id(val: object) -> str | None:
    """The start and the length of a long text. Names of tests are sent between processes, and are in their environment."""
    if not isinstance(val, str | bytes) or len(val) <= LONGEST_NAME:
        return None
    start = val[:40].decode("latin-1") if isinstance(val, bytes) else val[:40]
    return f"{start.encode('unicode_escape').decode('ascii')}... ({len(val)})"


def pytest_itemcollected(item: pytest.Item) -> None:
    if sampled := item.get_closest_marker("sampled"):
        test = (item.nodeid.partition("::")[0], getattr(item, "originalname", item.name))
        every, first = (*sampled.args, 0)[:2]
        if collected[test] % every != first:
            item.add_marker("exhaustive")
        collected[test] += 1
    fixtures = getattr(item, "fixturenames", ())
    is_marked = item.get_closest_marker("django_db") is not None
    if is_marked or not OF_THE_DATABASE.isdisjoint(fixtures):
        item.add_marker("database")
    # It takes seconds to fill: one worker does.
    if "made_demonstration" in fixtures and not item.get_closest_marker("exhaustive"):
        item.add_marker(pytest.mark.xdist_group("demonstration"))


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Before a worker collects all tests, import those that are its share.

    A module that is imported for the first time is compiled, with its assertions: half of the time that collecting takes. What
    one worker has compiled, the others read.
    """
    config = session.config
    if not hasattr(config, "workerinput") or config.args_source is not config.ArgsSource.TESTPATHS:
        return
    worker, workers = (
        int(config.workerinput["workerid"].removeprefix("gw")),
        config.workerinput["workercount"],
    )
    folder = Path(__file__).parent
    for path in sorted(folder.rglob("test_*.py"))[worker::workers]:
        name = ".".join(path.relative_to(folder.parent).with_suffix("").parts)
        with suppress(Exception, pytest.skip.Exception):  # reported when it is collected
            importlib.import_module(name)


def pytest_collection_finish() -> None:
    # Thousands of collected tests are never garbage: looking through them again and again takes time.
    gc.collect()
    gc.freeze()
    # Reference counts free nearly all of what a page allocates: looking for cycles every 700 objects takes a twelfth of a run.
    gc.set_threshold(50_000, 20, 100)


class ByFile(LoadGroupScheduling):  # type: ignore[misc]
    """One worker runs all tests of a file, and so sets up once what they share; groups may join several files."""

    def _split_scope(self, nodeid: str) -> str:
        group = super()._split_scope(nodeid)
        return nodeid.partition("::")[0] if group == nodeid else group


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadGroupScheduling | None:
    return ByFile(config, log) if config.getvalue("dist") == "loadgroup" else None


# Of tests that are not in the default run, on a busy machine; pyproject.toml has that of the others.
LONG_TIMEOUT = pytest.mark.timeout(1500)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if {"exhaustive", "soak", "drill"}.intersection(each.name for each in item.iter_markers()):
            item.add_marker(LONG_TIMEOUT, append=True)  # after one of its own
    # A walk by everyone takes minutes: the tests of one are not in a random order with those of another.
    items.sort(
        key=lambda item: [item.get_closest_marker("slow") is None, bool(item.get_closest_marker("everyone"))]
    )


@pytest.fixture
def registrant(db: None) -> User:
    return a_person(email="registrant@example.org")


@pytest.fixture
def co_editor(db: None) -> User:
    return a_person(email="co-editor@example.org")


@pytest.fixture
def participant(db: None) -> User:
    return a_person(email="participant@example.org")


@pytest.fixture
def expert(db: None) -> User:
    return a_person(email="expert@example.org", roles=(RoleName.EXPERT,))


@pytest.fixture
def other_expert(db: None) -> User:
    return a_person(email="other-expert@example.org", roles=(RoleName.EXPERT,))


@pytest.fixture
def administrator(db: None) -> User:
    return a_person(email="administrator@example.org", roles=(RoleName.ADMINISTRATOR,))


@pytest.fixture
def liaison(db: None) -> User:
    return a_person(email="liaison@example.org", roles=(RoleName.LIAISON,))


@pytest.fixture
def real_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Count anew on each page what waits for its reader, so that no page has fewer queries than an earlier one."""
    monkeypatch.setattr("registry.accounts.waiting.caches", {"waiting_counts": DummyCache("", {})})


@pytest.fixture
def read_metrics(client: Client, settings: Any) -> Callable[[], str]:
    """A function that returns the text of /metrics, as Prometheus reads it."""
    settings.METRICS_TOKEN = "token"

    def read() -> str:
        response = client.get("/metrics", headers={"Authorization": "Bearer token"})
        assert response.status_code == 200
        return response.content.decode()

    return read


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, django_db_blocker: Any
) -> None:
    """Migrations take seconds, a copy of a database in which they were made does not."""
    with django_db_blocker.unblock():
        connection.settings_dict["TEST"]["TEMPLATE"] = a_migrated_database()


@pytest.fixture(scope="session")
def the_test_database(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """Create the test database, also if no selected test uses `db`, and the place of its copies."""
    name, creation = connection.settings_dict["NAME"], connection.creation
    is_made = name.startswith(TEST_DATABASE_PREFIX)
    with django_db_blocker.unblock():
        if not is_made:
            creation.create_test_db(verbosity=0, autoclobber=True)
        with copies_in_memory(), django_db_blocker.block():
            yield
        if not is_made:
            creation.destroy_test_db(name, verbosity=0)


@pytest.fixture
def real_database(the_test_database: None, django_db_blocker: Any) -> Iterator[None]:
    """Use a separate database, where transactions commit and are visible to threads; replaces `db`."""
    with django_db_blocker.unblock(), a_fresh_database():
        yield


@pytest.fixture(scope="session")
def made_demonstration(
    the_test_database: None, django_db_blocker: Any
) -> Iterator[tuple[str, str, datetime]]:
    """The name of a database that `manage.py demo` has filled once, what it printed, and when it began."""
    printed, began = StringIO(), timezone.now()
    fill = override_settings(IS_DEMONSTRATION=True)(partial(call_command, "demo", stdout=printed))
    with django_db_blocker.unblock(), a_filled_database(fill) as database:
        yield database, printed.getvalue(), began


@pytest.fixture(scope="session")
def the_demonstration(made_demonstration: tuple[str, str, datetime]) -> str:
    """The name of a database with everything that the demonstration has, made once: to be copied."""
    return made_demonstration[0]


@pytest.fixture
def demonstration_database(the_demonstration: str, django_db_blocker: Any) -> Iterator[None]:
    """Like `real_database`, with the demonstration in it."""
    with django_db_blocker.unblock(), a_fresh_database(the_demonstration):
        yield
