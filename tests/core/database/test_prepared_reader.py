"""Prepared reads: an error of one statement leaves the connections and the other statements working."""

from collections.abc import Iterator

import pytest
from django.db import connection

from registry.core.database.prepared_reader import PreparedReader, Statement

RIGHT = Statement(b"right", b"SELECT 'found' WHERE $1 = 'x'")
WITHOUT_A_TABLE = Statement(b"without_a_table", b"SELECT 1 FROM no_such_table WHERE $1 = 'x'")
FAILING = Statement(b"failing", b"SELECT 1 / length($1)")


@pytest.fixture
def reader(real_database: None) -> Iterator[PreparedReader]:
    reader = PreparedReader(WITHOUT_A_TABLE, RIGHT, FAILING)
    yield reader
    reader.close()


def is_found(reader: PreparedReader) -> bool:
    result = reader.read(RIGHT, [b"x"])
    return result is not None and result.get_value(0, 0) == b"found"


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("broken", "parameter"), [(WITHOUT_A_TABLE, b"x"), (FAILING, b"")])
def test_a_broken_statement_leaves_the_others_working(
    reader: PreparedReader, broken: Statement, parameter: bytes
) -> None:
    assert is_found(reader)
    [link] = reader._free
    assert reader.read(broken, [parameter]) is None
    assert reader._free == [link]
    assert is_found(reader)
    assert reader._free == [link]


def test_a_statement_that_cannot_be_prepared_is_logged(
    reader: PreparedReader, caplog: pytest.LogCaptureFixture
) -> None:
    assert is_found(reader)
    assert "no_such_table" in caplog.text


def test_a_connection_that_the_server_ended_is_replaced(reader: PreparedReader) -> None:
    assert is_found(reader)
    [link] = reader._free
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s)", [link.info.backend_pid])
    assert is_found(reader)
    assert reader._free != [link]
