"""A signal that comes during a callback, whose exceptions Python reports and forgets."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = """
import signal, sys, time, weakref
from registry.core.processes.interruptions import raise_lost_interruptions

class Thing:
    pass

def interrupted():
    signal.raise_signal(signal.SIGINT if sys.argv[1] == "SIGINT" else signal.SIGTERM)

def failing():
    raise ValueError("reported as ever")

signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
raise_lost_interruptions()
for callback in (failing, interrupted):
    thing = Thing()
    weakref.finalize(thing, callback)
    del thing
try:
    time.sleep(30)
except KeyboardInterrupt:
    sys.exit(130)
finally:
    print("cleaned up")
"""


@pytest.mark.processes
@pytest.mark.parametrize(("name", "status"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_an_interruption_of_a_callback_is_raised_after_it(name: str, status: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, name],
        cwd=ROOT,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (status, "cleaned up\n")
    assert "ValueError: reported as ever" in done.stderr
    assert "Interrupt" not in done.stderr


INTERRUPTED = """
import signal, sys
import manage
from registry.core.management.base import RegistryCommand

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs come without it
RegistryCommand.execute = lambda *_, **__: signal.raise_signal(signal.SIGINT)
sys.argv = ["manage.py", "template", "check", "-"]
manage.main()
"""


@pytest.mark.processes
def test_ctrl_c_ends_a_command_without_a_traceback() -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], cwd=ROOT, capture_output=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")
