"""What a recording depends on beside the code, made the same each time: the clock, random values, settings and keys."""

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

from django.conf import settings
from django.test import override_settings

from registry.api.schema.document import EXAMPLE_ORIGIN
from registry.audit_log.signing.keys import default_name, write_key
from registry.audit_log.signing.signed_notes import SigningKey

if TYPE_CHECKING:
    from time_machine import Traveller

START = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
# No secrets: what they sign and encrypt is printed in the documentation.
SEED = bytes(range(32))
# The limits that a deployment may change, and that responses contain.
SETTINGS = {
    "PUBLIC_ORIGIN": EXAMPLE_ORIGIN,
    "ALLOWED_HOSTS": [EXAMPLE_ORIGIN.partition("://")[2]],
    "SECRET_KEY": SEED.hex(),
    "SECRET_KEY_FALLBACKS": [],
    "LOG_VERIFIER_KEYS": [],
    "REQUIRE_SECOND_FACTOR": False,
    "SEPARATE_DUTIES": False,
    "API_READS_A_MINUTE": 600,
    "API_WRITES_A_MINUTE": 60,
    "ACTIONS_AN_HOUR": dict.fromkeys(settings.ACTIONS_AN_HOUR, 1000),
}


@contextmanager
def fixed_surroundings() -> Iterator["Traveller"]:
    """Stop the clock at START, and make the random values of this process, its settings and its key those of the examples."""
    import time_machine  # not installed in a deployment

    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        stack.enter_context(override_settings(**SETTINGS, LOG_SIGNING_KEY=str(folder / "key")))
        write_key(SigningKey(default_name(), SEED), folder / "key")
        # A stream has the events that there are.
        stack.enter_context(mock.patch.dict(os.environ, {"EVENT_STREAM_SECONDS": "0"}))
        octets = _octets()
        stack.enter_context(mock.patch("secrets.token_hex", lambda length: octets(length).hex()))
        stack.enter_context(mock.patch("secrets.token_bytes", octets))
        yield stack.enter_context(time_machine.travel(START, tick=False))


def _octets() -> Callable[[int], bytes]:
    """A function that returns octets that look random, each time others."""
    numbers = count()
    return lambda length: hashlib.shake_256(f"{next(numbers)}".encode()).digest(length)
