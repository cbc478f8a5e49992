"""Variables of processes that take effect in other programs: the database server, the mail server."""

import ssl
import subprocess
import sys
import urllib.request
from datetime import datetime
from http import HTTPStatus
from pathlib import Path

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.handlers import Mailbox
from django.conf import settings
from django.db import connection
from django.utils import timezone

from tests.support.databases import environment_of_a_process
from tests.support.https_servers import Authority
from tests.support.programs import running
from tests.support.servers import a_free_port, serving
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.processes, pytest.mark.usefixtures("real_database")]


def wait_for_connection(name: str, since: datetime) -> None:
    """Wait until a process uses the database of the test under this name. This process may use it under several."""
    found = (
        "SELECT FROM pg_stat_activity"
        " WHERE datname = current_database() AND application_name = %s AND backend_start > %s"
    )

    def is_connected() -> bool:
        with connection.cursor() as cursor:
            cursor.execute(found, [name, since])
            return cursor.rowcount > 0

    wait_until(is_connected)


@pytest.mark.exhaustive
def test_web_processes_name_their_connections() -> None:
    port, since = a_free_port(), timezone.now()
    with serving(port):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/namespaces/", timeout=60) as page:
            assert page.status == HTTPStatus.OK
        wait_for_connection("urn-registry web", since)


def test_a_command_names_its_connections() -> None:
    since = timezone.now()
    with running(
        [sys.executable, "manage.py", "worker"], cwd=settings.BASE_DIR, env=environment_of_a_process()
    ):
        wait_for_connection("urn-registry worker", since)


@pytest.mark.exhaustive
def test_mail_leaves_with_implicit_tls(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(authority.certificate("localhost"))
    port = a_free_port()
    server = Controller(Mailbox(tmp_path / "mail"), hostname="127.0.0.1", port=port, ssl_context=context)
    server.start()
    try:
        subprocess.run(
            [sys.executable, "manage.py", "sendtestemail", "reader@example.org"],
            cwd=settings.BASE_DIR,
            env=environment_of_a_process()
            | {
                "EMAIL_HOST": "localhost",
                "EMAIL_PORT": str(port),
                "EMAIL_USE_SSL": "1",
                "EMAIL_USE_TLS": "1",
                "SSL_CERT_FILE": str(authority.ca),
            },
            check=True,
            timeout=240,
        )
    finally:
        server.stop()
    assert len(list((tmp_path / "mail" / "new").iterdir())) == 1
