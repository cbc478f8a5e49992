"""The processes that `run.py` starts."""

import http.client
import socket
from threading import Thread

import pytest

from registry.devserver.processes import HOST, responds
from tests.support.servers import a_free_port


@pytest.mark.parametrize("status", [200, 503])
def test_a_server_that_sends_a_response_responds(status: int) -> None:
    with socket.create_server((HOST, 0)) as server:
        answer = f"HTTP/1.1 {status} x\r\nContent-Length: 0\r\n\r\n"
        Thread(target=respond, args=[server, answer], daemon=True).start()
        assert responds(server.getsockname()[1])


@pytest.mark.parametrize("response", ["", "GET / HTTP/1.1\r\n\r\n"])
def test_a_server_that_closes_the_connection_does_not(response: str) -> None:
    """As granian does, whose main process listens for a moment before its workers do."""
    with socket.create_server((HOST, 0)) as server:
        Thread(target=respond, args=[server, response], daemon=True).start()
        assert not responds(server.getsockname()[1])


def respond(server: socket.socket, response: str) -> None:
    connection, _ = server.accept()
    with connection:
        if response:
            connection.recv(1024)
        connection.sendall(response.encode())


def test_a_server_that_accepts_no_connection_does_not() -> None:
    assert not responds(a_free_port())


def test_a_socket_that_is_connected_to_itself_is_no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    port = a_free_port()

    class ConnectedToItself(http.client.HTTPConnection):
        def connect(self) -> None:
            self.sock = socket.create_connection((HOST, port), timeout=10, source_address=(HOST, port))

    monkeypatch.setattr(http.client, "HTTPConnection", ConnectedToItself)
    assert not responds(port)


def test_a_port_of_a_test_is_reserved_against_other_test_processes() -> None:
    port = a_free_port()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other, pytest.raises(OSError, match="in use"):
        other.bind((HOST, port))
