"""Fixtures: escrows of the demonstration data."""

from pathlib import Path
from typing import Any

import pytest

from registry.devserver import demonstration
from registry.publication.escrow.writer import write_escrow
from tests.support.databases import a_copy_of_the_test_database


@pytest.fixture(scope="session")
def a_full_escrow(
    the_test_database: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Of the demonstration: cases in every state, people of every role, IANA's registry."""
    directory = tmp_path_factory.mktemp("escrow") / "full"
    with django_db_blocker.unblock(), a_copy_of_the_test_database():
        demonstration.load_demonstration()
        write_escrow(directory)
    return directory


@pytest.fixture
def an_escrow(a_full_escrow: Path, tmp_path: Path) -> Path:
    """A copy of the escrow that a test can damage."""
    folder = tmp_path / "brought"
    folder.mkdir()
    for file in (a_full_escrow / "current").iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    return folder
