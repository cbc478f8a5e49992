"""Events as the registry wrote them before format 2: with the digest of all that they contain, and without salts."""

from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from registry.accounts.models import User
from registry.audit_log.models import ChainHead, Event, PersonalData
from registry.core.database.prepared_reader import prepared
from registry.core.digests import new_salt, salted_digest

IDENTITIES = """
SELECT person.id, email, name, digest AS known_digest FROM accounts_user person
LEFT JOIN audit_log_personaldata known
    ON known.account_id = person.id AND known.value = jsonb_build_object('address', email, 'name', name)
WHERE person.id = ANY (%s) AND erased_at IS NULL ORDER BY person.id FOR KEY SHARE OF person
"""


def append_former(
    verb: str,
    *,
    by: User,
    case: int | None = None,
    nid: str = "",
    from_state: str = "",
    to_state: str = "",
    reason: str = "",
    **details: Any,
) -> None:
    """Write one event, as `log.append` did."""
    event = Event(
        actor=by,
        verb=verb,
        case_number=case,
        nid=nid,
        from_state=from_state,
        to_state=to_state,
        reason=reason,
        details=details,
        identities=_identities_of(actor=by.pk, person=details.get("person")),
    )
    (head,) = ChainHead.objects.raw(*_head(1))
    event.number, event.at, event.previous = head.number + 1, timezone.now(), head.digest
    event.digest = event.computed_digest()
    head.number, head.digest = event.number, event.digest
    event.save(force_insert=True)
    head.save(update_fields=["number", "digest"])


@prepared
def _head(key: int) -> QuerySet[ChainHead]:
    return ChainHead.objects.select_for_update().filter(pk=key)


def _identities_of(**people: int | None) -> dict[str, str]:
    keys = sorted({pk for pk in people.values() if pk is not None})
    digests = {
        each.pk: each.known_digest or _new_digest_of(each) for each in User.objects.raw(IDENTITIES, [keys])
    }
    return {part: digests[pk] for part, pk in people.items() if pk in digests}


def _new_digest_of(account: User) -> str:
    value, salt = {"address": account.email, "name": account.name}, new_salt()
    digest = salted_digest(salt, value)
    PersonalData.objects.create(digest=digest, salt=salt, value=value, account=account)
    return digest
