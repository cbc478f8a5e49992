"""The numbers that docs/security.md states are those of the code."""

from datetime import timedelta
from pathlib import Path

import pytest
from allauth.account import app_settings as allauth_settings
from django.conf import settings

from registry.accounts.recent_sign_in import ACCOUNT_CHANGES, FOR_DECISIONS
from registry.accounts.second_factors.passkeys import MAX_PASSKEYS
from registry.api.framework.parsers import MAX_DEPTH, MAX_DIGITS, MAX_VALUES
from registry.api.urns.bulk import MAX_URNS
from registry.core.http.capacity import BODY_TIMEOUT, MAX_BODIES, MAX_LOOKUPS, MAX_REQUESTS, MAX_WAIT
from registry.core.outgoing import dns_lookups
from registry.core.validators import MAX_FORM_LENGTH, MAX_LISTED, MAX_REPEATED, BodySize
from registry.environment import SETTINGS
from registry.organisations.gains import BARRED_FOR

TEXT = (Path(settings.BASE_DIR) / "docs" / "security.md").read_text(encoding="utf-8")
MIB = 1024 * 1024
STATED = [
    f"has {MAX_REQUESTS + MAX_LOOKUPS + 2} database connections: {MAX_REQUESTS} for requests, {MAX_LOOKUPS} for lookups",
    f"waits for more than {MAX_WAIT:.0f} seconds gets 503",
    f"does not arrive within {BODY_TIMEOUT:.0f} seconds gets 408",
    f"At most {MAX_BODIES} bodies are received at a time",
    f"| small | {BodySize.SMALL // 1024} KiB |",
    f"| texts | {BodySize.TEXTS // MIB} MiB |",
    f"| URNs | {BodySize.URNS // MIB} MiB |",
    f"| template | {BodySize.TEMPLATE // MIB} MiB |",
    f"at most {settings.DATA_UPLOAD_MAX_NUMBER_FIELDS:,} fields and {MAX_FORM_LENGTH:,} characters",
    f"at most {MAX_VALUES:,} values",
    f"{2 * MAX_URNS:,}) and {MAX_DEPTH} levels",
    f"numbers have at most {MAX_DIGITS} digits",
    f"repeat at most {MAX_REPEATED} characters of a text, and list the first {'ten' if MAX_LISTED == 10 else MAX_LISTED} errors",
    f"more than {min(ACCOUNT_CHANGES, FOR_DECISIONS).seconds // 60} minutes ago",
    f"to the discussion list at most {SETTINGS['POSTS_A_DAY'].default} times a day",
    f"at most {MAX_PASSKEYS} passkeys",
    f"the password, and after {allauth_settings.LOGIN_TIMEOUT // 60} minutes",
    f"look-up ends within {dns_lookups.SECONDS:.0f} seconds",
    f"at most {SETTINGS['EVENT_STREAMS_OF_A_CLIENT'].default} of the {SETTINGS['EVENT_STREAMS'].default} streams",
    f"For {'a year' if timedelta(days=365) == BARRED_FOR else BARRED_FOR}, such a person",
]


@pytest.mark.parametrize("sentence", STATED)
def test_a_number_that_is_stated_is_that_of_the_code(sentence: str) -> None:
    assert sentence in TEXT


def test_both_kinds_of_pages_ask_after_the_same_time() -> None:
    assert ACCOUNT_CHANGES == FOR_DECISIONS
