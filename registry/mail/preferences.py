"""People's choices of mail. Without a choice, mail is sent at once."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction

from registry.mail.kinds import KIND_BY_NAME, KINDS, Delivery, MailKind
from registry.mail.models import MailPreference


def kinds_for(person: AbstractBaseUser) -> list[MailKind]:
    """The kinds of mail that a person can get."""
    has_role = bool(person.held_roles)  # type: ignore[attr-defined]
    return [kind for kind in KINDS if has_role or not kind.needs_role]


def deliveries_of(person: AbstractBaseUser) -> dict[MailKind, Delivery]:
    """How the person gets each kind of mail."""
    chosen = dict(MailPreference.objects.filter(person=person.pk).values_list("kind", "delivery"))
    return {kind: Delivery(chosen.get(kind.name, Delivery.AT_ONCE)) for kind in kinds_for(person)}


def choose(person: AbstractBaseUser, deliveries: Mapping[str, str]) -> None:
    """Set how the person gets these kinds of mail, by their names. Form and serializer offer what is possible."""
    with transaction.atomic():
        for name, delivery in deliveries.items():
            if delivery not in KIND_BY_NAME[name].deliveries:
                raise AssertionError(f"{name} can't be {delivery}")
            MailPreference.objects.update_or_create(
                person_id=person.pk, kind=name, defaults={"delivery": delivery}
            )


def preferences_at(addresses: Iterable[str]) -> Mapping[str, Mapping[str, tuple[Delivery, int]]]:
    """The choices of the people with these addresses: by address and kind, with the key of the account."""
    found: dict[str, dict[str, tuple[Delivery, int]]] = defaultdict(dict)
    rows = MailPreference.objects.filter(person__email__in=list(addresses))
    for address, kind, delivery, person in rows.values_list("person__email", "kind", "delivery", "person"):
        found[address][kind] = Delivery(delivery), person
    return found
