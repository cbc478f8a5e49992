"""Code that runs in a separate process, so that tests can kill it.

Processes are forked from a server that has Django set up and no connections. They start in milliseconds and share
only the database with the tests.
"""

import itertools
import multiprocessing
import os
import random
import signal
import sys
import threading
from collections.abc import Callable
from functools import partial
from multiprocessing.connection import Connection
from typing import Any

import django
import pytest
from django.apps import apps
from django.db import connection

from tests.support import static_files

if not apps.ready:
    django.setup()

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["tests.support.processes"])


def start(job: Callable[..., None], *arguments: Any) -> multiprocessing.process.BaseProcess:
    """Run `job(*arguments)` in another process, on the database of this test."""
    process = FORKS.Process(target=_run, args=(connection.settings_dict["NAME"], job, arguments))
    process.start()
    return process


def ended(process: multiprocessing.process.BaseProcess, seconds: float = 120) -> int | None:
    """Wait for the process with a generous timeout, and return its exit code. Fails if it does not end; it is killed."""
    process.join(seconds)
    if process.exitcode is None:
        process.kill()
        process.join(seconds)
        pytest.fail(f"The process did not end within {seconds:.0f} s.")
    return process.exitcode


def _run(database: str, job: Callable[..., None], arguments: tuple[Any, ...]) -> None:
    connection.settings_dict["NAME"] = database
    static_files.use_source_files()
    job(*arguments)


def die_at(step: str) -> None:
    """Kill this process with SIGKILL when it calls `module.function`."""
    module, _, function = step.rpartition(".")
    home = __import__(module, fromlist=[function])
    setattr(home, function, lambda *_args, **_kwargs: os.kill(os.getpid(), signal.SIGKILL))


def assign_and_die(step: str, case: int, administrator: int, is_let_go: Any = None) -> None:
    """Start to assign the case, and get killed at `step`."""
    from registry.accounts.models import User
    from registry.cases.models import Case
    from registry.cases.workflow import functions

    by = User.objects.get(pk=administrator)
    approved = Case.objects.get(pk=case)
    die_at(step)
    if is_let_go is not None:
        is_let_go.wait(timeout=60)
    functions.assign(approved, by=by)


def publish_head_and_die(step: str) -> None:
    """Start the hourly job, and get killed at `step`."""
    from registry.audit_log.tasks import publish_hourly_head

    die_at(step)
    publish_hourly_head(timestamp=0)


def deliver_and_die(step: str, webhook: int, host: str, ca: str) -> None:
    """Start to deliver to a webhook on loopback, and get killed at `step`."""
    from ipaddress import ip_address

    from django.conf import settings

    from registry.core.outgoing import public_addresses
    from registry.webhooks.delivery import take_turn

    public_addresses.addresses_of = lambda name, _: [ip_address("127.0.0.1")] if name == host else []
    settings.ALLOW_REQUESTS_TO_LOOPBACK = True
    os.environ["SSL_CERT_FILE"] = ca
    die_at(step)
    take_turn(webhook)


def die_before_step(number: int) -> None:
    """Kill this process with SIGKILL before its statement or commit of that number, counted from 0."""
    steps = itertools.count()

    def step() -> None:
        if next(steps) == number:
            os.kill(os.getpid(), signal.SIGKILL)

    def execute(run: Callable[..., Any], *arguments: Any) -> Any:
        step()
        return run(*arguments)

    commit = connection.commit

    def commit_later() -> None:
        step()
        commit()

    connection.execute_wrappers.append(execute)
    connection.commit = commit_later  # type: ignore[method-assign]


def write_the_log_and_die(step: int, events: int, others: dict[str, list[str]], ca: str) -> None:
    """Write events, do what the hourly job does, and ask witnesses and authorities on loopback; get killed before a step."""
    from ipaddress import ip_address

    from django.conf import settings

    from registry.audit_log import tiles
    from registry.audit_log.attestations import ask_each
    from registry.audit_log.tasks import publish_hourly_head
    from registry.audit_log.timestamps import authorities
    from registry.audit_log.witnesses import witnesses
    from registry.core.outgoing import public_addresses
    from tests.audit_log.test_tiles import write_events

    for name, words in others.items():
        setattr(settings, name, words)
    public_addresses.addresses_of = lambda *_: [ip_address("127.0.0.1")]
    os.environ["SSL_CERT_FILE"] = ca
    tiles.TILES_AT_ONCE = 1  # so that each is written in a transaction of its own
    die_before_step(step)
    write_events(events)
    publish_hourly_head(timestamp=0)
    ask_each([*witnesses(), *authorities()])


def take_cases_through(acknowledge: Connection, seed: int) -> None:
    """Take cases through the process in an endless loop, and acknowledge each transition."""
    from registry.accounts.models import User
    from registry.cases.workflow import functions
    from registry.namespaces.models import Kind
    from tests.support.factories import a_draft

    chance = random.Random(seed)
    registrant, expert, administrator = (
        User.objects.get(email=f"{name}@example.org") for name in ("registrant", "expert", "administrator")
    )
    while True:
        case = a_draft(by=registrant, kind=Kind.INFORMAL)
        for verb, make in (
            ("submit", lambda: functions.submit(case, by=registrant, draft_stamp=0)),  # noqa: B023
            (
                "approve",
                lambda: functions.approve(case, by=expert, round_number=1, rationale="Sound."),  # noqa: B023
            ),
            ("assign", lambda: functions.assign(case, by=administrator)),  # noqa: B023
        ):
            if chance.random() < 0.1:
                break
            make()
            acknowledge.send((case.pk, verb))


def request_entry_and_tell(start: Any, told: Any, register: int, person: int, label: str) -> None:
    """Request an entry at the same time as others, and put the name of the refusal, or "", into a queue."""
    from registry.accounts.models import User
    from registry.core.exceptions import RegistryError
    from registry.registers.actions.requests import request_entry
    from registry.registers.models import Register

    asked = {"title": label, "contact": "gardener@example.org", "register_version": 1}
    where, by, refusal = Register.objects.get(pk=register), User.objects.get(pk=person), ""
    start.wait(timeout=120)
    try:
        request_entry(where, by=by, label=label, **asked)
    except RegistryError as refused:
        refusal = type(refused).__name__
    told.put(refusal)


def escrow_and_die(step: str, directory: str) -> None:
    """Start to write an escrow, and get killed at `step`."""
    from pathlib import Path

    from registry.publication.escrow.writer import write_escrow

    die_at(step)
    write_escrow(Path(directory))


def export_and_die(step: str, directory: str) -> None:
    """Start to export the registry, and get killed at `step`."""
    from django.core.management import call_command

    die_at(step)
    call_command("export", directory)


def publish_and_die(step: str, calls: int, directory: str, is_whole: bool = False) -> None:
    """Start to publish, and get killed at the call of `step` after `calls` calls."""
    from pathlib import Path

    from registry.publication.snapshot.publisher import PublishOptions, publish

    module, _, function = step.rpartition(".")
    home = __import__(module, fromlist=[function])
    as_it_is, seen = getattr(home, function), iter(range(calls))

    def die_after_that(*arguments: Any) -> Any:
        if next(seen, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)
        return as_it_is(*arguments)

    setattr(home, function, die_after_that)
    publish(Path(directory), PublishOptions(is_whole=is_whole))


def render_for_ever(path: str) -> None:
    """Start two worker processes that write their ids into a named pipe and never end."""
    from registry.publication.snapshot.process_pool import map_in_processes

    next(map_in_processes(partial(say_and_wait, path), range(2), 2))


def say_and_wait(path: str, _task: int) -> None:
    with open(path, "wb", buffering=0) as pipe:  # noqa: PTH123
        pipe.write(f"{os.getpid()}\n".encode())
        threading.Event().wait(3600)


def be_killed(_task: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def be_stuck(_task: int) -> None:
    """Block inside C code, where no exception can be raised."""
    threading.Event().wait(3600)


def work_until(step: int) -> None:
    """Run a worker, and send SIGTERM to this process at a step of its event loop."""
    import asyncio

    from django.core.management import call_command

    as_it_is, steps = asyncio.Handle._run, itertools.count()  # type: ignore[attr-defined]

    def run(handle: Any) -> None:
        if next(steps) == step:
            os.kill(os.getpid(), signal.SIGTERM)
        as_it_is(handle)

    asyncio.Handle._run = run  # type: ignore[attr-defined]
    call_command("worker")


def work_with(name_server: int, mail_server: int) -> None:
    """Run a worker that asks a name server and sends mail to a server, at these ports of loopback."""
    import dns.resolver
    from django.conf import settings
    from django.core.management import call_command

    resolver = dns.resolver.Resolver(configure=False)
    resolver.nameservers, resolver.port = ["127.0.0.1"], name_server
    dns.resolver.default_resolver = resolver
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_USE_TLS = "127.0.0.1", mail_server, False
    settings.EMAIL_HOST_USER = settings.EMAIL_HOST_PASSWORD = ""
    call_command("worker")


def work_on_a_mail_that_is_never_sent(log: str) -> None:
    """Run a worker that takes a mail up and never returns from it. What it says goes to a file."""
    from django.core.management import call_command

    from registry.core.processes import worker
    from registry.mail import delivery

    def wait_for_an_hour(_message: object) -> None:
        threading.Event().wait(3600)

    worker.PAUSE = worker.END_NOTICE = 0.2
    worker.END_TIMEOUT = 2.0
    delivery.attempt = wait_for_an_hour  # type: ignore[assignment]
    with open(log, "wb") as file:  # noqa: PTH123
        os.dup2(file.fileno(), sys.stderr.fileno())
    call_command("worker")
