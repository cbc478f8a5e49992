"""What mail people choose, and links that unsubscribe without signing in.

The signature proves that the registry gave the link to the person. A link names the account and not its address, which
must not be in access logs. It works as long as the account has the address to which it was sent.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.base_user import AbstractBaseUser
from django.core import signing
from django.db import transaction
from django.urls import reverse
from django.utils.crypto import salted_hmac

from registry.core.digests import is_keyed_digest
from registry.core.http.urls import absolute_url
from registry.mail.kinds import COMMENTS, FOLLOWED, KIND_BY_NAME, KINDS, Delivery, MailKind
from registry.mail.models import MailPreference, Message

SALT = "registry.mail.preferences"
# Of these kinds, a link stops the mails of one thread.
KINDS_WITH_THREADS = {COMMENTS.name, FOLLOWED.name}


@dataclass(frozen=True, slots=True)
class UnsubscribeKey:
    """What a link stops: the mails of a thread, such as "case-7", or of a kind, for an account."""

    subject: str
    person: int
    proof: str

    def is_for(self, person: AbstractBaseUser) -> bool:
        """Whether the account still has the address to which the link was sent."""
        return is_keyed_digest(self.proof, lambda secret_key: _proof_of(person, secret_key))


def key_for(subject: str, person: AbstractBaseUser) -> str:
    """The key in the link with which a person stops the mails of a thread or of a kind."""
    return signing.Signer(salt=SALT).sign_object([subject, person.pk, _proof_of(person, settings.SECRET_KEY)])


def read_key(key: str) -> UnsubscribeKey:
    """What a key stops. Raises BadSignature for a key that was not signed here."""
    return UnsubscribeKey(*signing.Signer(salt=SALT).unsign_object(key))


def _proof_of(person: AbstractBaseUser, secret_key: str) -> str:
    return salted_hmac(SALT, str(getattr(person, "email", "")).lower(), secret_key).hexdigest()[:16]


def headers_of(message: Message) -> dict[str, str]:
    """The headers of RFC 2369 and RFC 8058, if the recipient can turn off mails like this one.

    One click needs HTTPS (RFC 8058, Section 3.1); over HTTP, mail programs open the page.
    """
    if not message.kind:
        return {}
    person = get_user_model().objects.with_address(message.to)
    if person is None:
        return {}
    subject = message.thread if message.thread and message.kind in KINDS_WITH_THREADS else message.kind
    path = reverse("cases:unsubscribe_by_mail", args=[key_for(subject, person)])
    one_click = {"List-Unsubscribe-Post": "List-Unsubscribe=One-Click"}
    headers = {"List-Unsubscribe": f"<{absolute_url(path)}>"}
    return headers | (one_click if settings.PUBLIC_ORIGIN.startswith("https://") else {})


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
