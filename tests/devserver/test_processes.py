"""The processes that `run.py` starts."""

import socket
import struct
from typing import Any

import pytest

from registry.devserver.processes import HOST, accepts_connections
from tests.support.servers import a_free_port


def test_a_port_accepts_connections_while_a_server_listens() -> None:
    with socket.socket() as server:
        server.bind((HOST, 0))
        port = server.getsockname()[1]
        assert not accepts_connections(port)
        server.listen()
        assert accepts_connections(port)


def test_a_connection_of_a_socket_to_itself_is_no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    port = a_free_port()
    client = socket.socket()
    client.bind((HOST, port))
    monkeypatch.setattr(socket, "socket", lambda: client)
    assert not accepts_connections(port)


def test_a_server_that_resets_the_connection_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    class ResetSocket(socket.socket):
        def connect_ex(self, address: Any) -> int:
            result = super().connect_ex(address)
            connection, _ = server.accept()
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()
            return result

    with socket.create_server((HOST, 0)) as server:
        monkeypatch.setattr(socket, "socket", ResetSocket)
        assert accepts_connections(server.getsockname()[1])
