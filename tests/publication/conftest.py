"""Fixtures: the demonstration data as an escrow and as published files."""

from pathlib import Path
from typing import Any

import pytest

from registry.publication.escrow.writer import write_escrow
from registry.publication.snapshot.publisher import publish
from tests.support.databases import a_fresh_database


@pytest.fixture(scope="session")
def a_full_escrow(
    the_demonstration: str, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Of the demonstration: cases in every state, people of every role, IANA's registry."""
    directory = tmp_path_factory.mktemp("escrow") / "full"
    with django_db_blocker.unblock(), a_fresh_database(the_demonstration):
        write_escrow(directory)
    return directory


@pytest.fixture(scope="session")
def a_published_demonstration(
    the_demonstration: str, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The demonstration data, published once; a test that publishes more works on a copy."""
    directory = tmp_path_factory.mktemp("published") / "demonstration"
    with django_db_blocker.unblock(), a_fresh_database(the_demonstration):
        publish(directory)
    return directory


@pytest.fixture
def an_escrow(a_full_escrow: Path, tmp_path: Path) -> Path:
    """A copy of the escrow that a test can damage."""
    folder = tmp_path / "brought"
    folder.mkdir()
    for file in (a_full_escrow / "current").iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    return folder
