"""What the examples of the API begin with: settings, files, the clock, people."""

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

from django.conf import settings
from django.test import override_settings

from registry.api.schema.document import EXAMPLE_ORIGIN
from registry.audit_log.signed_notes import SigningKey
from registry.audit_log.signing_keys import default_name, write_key
from registry.devserver import demonstration
from registry.devserver.api_examples.cases import record_cases
from registry.devserver.api_examples.namespaces import IMPORTED, record_namespaces, record_urns
from registry.devserver.api_examples.people import (
    record_account,
    record_api,
    record_organisations,
    record_registry,
    record_webhook,
)
from registry.devserver.api_examples.recorder import Recorder
from registry.devserver.demonstration_cases import FIXTURES
from registry.namespaces.profile_documents import load_profiles
from registry.publication.iana.file_reader import read_version
from registry.publication.iana.fixtures import IANA_FIXTURE
from registry.publication.iana.importing.importer import import_versions
from urnsyntax.profiles import Profile, load_profile
from urnsyntax.profiles.examples import Verification

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


# In this order, because a part needs what the parts before have made.
PARTS = (
    record_api,
    record_urns,
    record_account,
    record_cases,
    record_namespaces,
    record_organisations,
    record_webhook,
    record_registry,
)


def record(parts: Iterable[Callable[[Recorder], None]] = PARTS) -> dict[str, Any]:
    """The recording of all parts, or of the first ones. Needs an empty database, which it fills."""
    with fixed_surroundings() as traveller:
        import_namespaces([IMPORTED])
        for account in demonstration.accounts():
            demonstration.create_account(account)
        demonstration.confirm_hosts()
        recorder = Recorder(traveller)
        for part in parts:
            part(recorder)
        return recorder.recording


def import_namespaces(nids: Iterable[str]) -> None:
    """Import these namespaces of IANA's registry, with their profiles."""
    version = read_version(FIXTURES / IANA_FIXTURE)
    records = tuple(each for each in version.file.records if each.name in nids)
    import_versions([replace(version, file=replace(version.file, records=records))])
    profiles = [load_profile(FIXTURES / "profiles" / f"{nid}.toml") for nid in nids]
    load_profiles([Verification(each.nid, in_brief(each), ()) for each in profiles])


def in_brief(profile: Profile) -> Profile:
    """A profile with one service, and without the titles and authors of what its examples name."""
    examples = tuple(replace(each, description="") for each in profile.names.examples)
    names = replace(profile.names, examples=examples)
    return replace(profile, names=names, services=profile.services[:1])
