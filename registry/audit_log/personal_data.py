"""The personal data to which events commit, and its erasure.

An event refers to people by the keys of their accounts, and contains salted digests of their names and addresses at
that time, and of the name of the actor as it was shown. The names, the addresses and the salts are rows beside the log.
An event with the verb ERASURE lists the digests of the values that it erased, here and in the texts that other apps
store. Without value and salt a digest reveals nothing, and every digest in the log stays as it was.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth import get_user_model

from registry.audit_log.committed_texts import text_check
from registry.audit_log.leaves import SHOWN_NAME
from registry.audit_log.models import Event, PersonalData
from registry.core.digests import new_salt, salted_digest

ERASURE = "erase_person"
# With the values that events have already, by their digests.
IDENTITIES = """
SELECT person.id, email, name, erased_at,
    (SELECT jsonb_object_agg(digest, value) FROM audit_log_personaldata WHERE account_id = person.id) AS known_values
FROM accounts_user person
WHERE person.id = ANY (%s) AND erased_at IS NULL ORDER BY person.id FOR KEY SHARE OF person
"""


@dataclass(frozen=True, slots=True)
class ErasureEvent:
    """The event that erased a value, and the account whose value it was; None for a person without an account."""

    number: int
    at: datetime
    account: int | None


def identities_of(**people: int | None) -> dict[str, str]:
    """Return the digests of the names and addresses of these accounts, by the parts that they have in an event.

    The part SHOWN_NAME is the name of the actor as it is shown. An erased account no longer has an identity. The accounts are
    locked, so that none is erased before the event is committed; FOR KEY SHARE, which Django does not support, allows
    concurrent actions of one person.
    """
    keys = sorted({pk for pk in people.values() if pk is not None})
    accounts: Iterable[Any] = get_user_model().objects.raw(IDENTITIES, [keys]) if keys else ()
    by_key, added = {each.pk: each for each in accounts}, list[PersonalData]()
    found = {
        part: _digest(by_key[pk], _identity(by_key[pk]), added) for part, pk in people.items() if pk in by_key
    }
    if actor := by_key.get(people.get("actor")):
        found[SHOWN_NAME] = _digest(actor, shown_name(actor), added)
    if added:
        PersonalData.objects.bulk_create(added)
    return found


def _identity(account: Any) -> dict[str, str]:
    return {"address": account.email, "name": account.name}


def shown_name(account: Any) -> dict[str, str]:
    """The value to which an event commits with the name of its actor."""
    return {SHOWN_NAME: str(account)}


def _digest(account: Any, value: dict[str, str], added: list[PersonalData]) -> str:
    """Return the digest of a value of an account, which is added to `added` unless a row has it."""
    known = json.loads(account.known_values or "{}")
    known |= {each.digest: each.value for each in added if each.account_id == account.pk}
    for digest, each in known.items():
        if each == value:
            return str(digest)
    row = PersonalData(salt=new_salt(), value=value, account=account)
    row.digest = salted_digest(row.salt, value)
    added.append(row)
    return row.digest


def erasures() -> dict[str, ErasureEvent]:
    """Return the erasure of each erased value, by its digest."""
    return {
        digest: ErasureEvent(event.number, event.at, event.details.get("person"))
        for event in Event.objects.filter(verb=ERASURE).order_by("number").iterator()
        for digest in event.details["digests"]
    }


def describe_erasures() -> list[str]:
    """Return a sentence for each event that erased personal data, in order."""
    return [_sentence(event) for event in Event.objects.filter(verb=ERASURE).order_by("number")]


def _sentence(event: Event) -> str:
    account, count = event.details.get("person"), len(event.details["digests"])
    whose = f"account {account}" if account else "a person without an account"
    values = "value" if count == 1 else "values"
    return f"{count} {values} of {whose}: erased on {event.at:%Y-%m-%d}, by event {event.number}."


@text_check
def changed_personal_data() -> Iterator[str]:
    """Compare the rows with the digests in events. A row that is missing must have been erased by an event."""
    recorded, erased = _recorded(), erasures()
    for row in PersonalData.objects.order_by("pk").iterator():
        accounts = recorded.pop(row.digest, {})
        if row.digest in erased or row.digest != salted_digest(row.salt, row.value):
            yield f"the personal data of account {row.account_id}"
        elif row.account_id not in accounts:
            yield f"the personal data of account {row.account_id}, which no event records"
    for digest in recorded.keys() - erased.keys():
        account, number = next(iter(recorded[digest].items()))
        yield f"the personal data of account {account} in event {number}: it is missing, and no event erased it"


def _recorded() -> dict[str, dict[Any, int]]:
    """Return the accounts of each digest, each with the number of the first event that contains it."""
    found: defaultdict[str, dict[Any, int]] = defaultdict(dict)
    events = Event.objects.exclude(identities={}).order_by("number")
    for event in events.only("number", "actor", "details", "identities").iterator():
        people = {
            "actor": event.actor_id,
            SHOWN_NAME: event.actor_id,
            "person": event.details.get("person"),
        }
        for part, digest in event.identities.items():
            found[digest].setdefault(people[part], event.number)
    return found
