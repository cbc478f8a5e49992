"""The personal data of accounts, and of mails to them."""

import json
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from allauth.account.models import EmailAddress
from allauth.account.utils import user_pk_to_url_str
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.contrib.admin.models import LogEntry
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Lower
from django.utils import timezone

from registry.accounts.erasure import Erasure, Person, PersonalDataHolder, TextColumns, holds_personal_data
from registry.accounts.export import NOT_EXPORTED, exports
from registry.accounts.grants import withdraw_lapsed_grants
from registry.accounts.models import (
    ERASED_DOMAIN,
    Body,
    Recognition,
    Role,
    RoleName,
    Token,
    User,
    erased_address,
)
from registry.accounts.roles import check_is_not_only_administrator, withdraw_role
from registry.accounts.tokens import revoke_all_tokens
from registry.audit_log.models import Event, PersonalData
from registry.core.exceptions import RegistryError
from registry.mail import outbox
from registry.mail.models import BouncedAddress, HeldMail, MailPreference, Message


class OnlyRepresentative(RegistryError):
    """The person is the only representative of a recognised body, whose cases could no longer use the fast track."""

    title = "The body needs a representative"


def find_person(address: str, names: Iterable[str] = ()) -> Person:
    """Return the person with this address. `names` are further names to look for in texts.

    Further addresses count only if they are confirmed: anyone can add the address of another person to an account.
    """
    confirmed = EmailAddress.objects.filter(verified=True)
    row = confirmed.filter(email__iexact=address).select_related("user").first()
    account = row.user if row else User.objects.filter(email__iexact=address).first()
    given = frozenset(names)
    if account is None:
        return Person(None, frozenset([address.lower()]), given, given)
    others = confirmed.filter(user=account).values_list("email", flat=True)
    addresses = {each.lower() for each in (address, account.email, *others)}
    return Person(account, frozenset(addresses), frozenset({*given, account.name} - {""}), given)


@holds_personal_data
class AccountData(PersonalDataHolder):
    """The account: its name, addresses, roles, tokens and sessions."""

    addresses = ((User, "email"), (EmailAddress, "email"))
    texts = (TextColumns("events", Event.objects, "reason details"),)

    def erase(self, erasure: Erasure) -> None:
        account = erasure.account
        if account is not None and account.erased_at is None:
            _check_has_no_sole_duty(account)
            _replace_name_and_address(account)
            erasure.note("name, addresses and password of the account")
            erasure.after_event.append(EmailAddress.objects.filter(user=account).delete)
            erasure.note("invitations, offers and claims by the person", withdraw_lapsed_grants(account))
            _end_duties(account, erasure)
            erasure.delete("passkeys and other second factors", Authenticator.objects.filter(user=account))
            erasure.delete("sign-ins with other providers", SocialAccount.objects.filter(user=account))
        claimed = EmailAddress.objects.alias(address=Lower("email")).exclude(user=account)
        erasure.delete("addresses of other accounts", claimed.filter(address__in=erasure.person.addresses))
        _end_sessions(erasure)

    def left_to_do(self, account: User) -> Iterator[str]:
        try:
            with transaction.atomic():
                _check_has_no_sole_duty(account)
        except RegistryError as refusal:
            yield str(refusal)


def _check_has_no_sole_duty(account: User) -> None:
    if RoleName.ADMINISTRATOR in account.held_roles:
        check_is_not_only_administrator(account)
    for body in Body.objects.filter(representatives=account, recognition=Recognition.RECOGNISED):
        if not body.representatives.filter(is_active=True).exclude(pk=account.pk).exists():
            raise OnlyRepresentative(
                f"{account} is the only representative of “{body}”, which is recognised for the fast track. A liaison "
                "records another one, or withdraws the recognition, at /desk/bodies/."
            )


def _replace_name_and_address(account: User) -> None:
    """Replace name and address first, so that the mails about what follows do not contain them."""
    account.name, account.email, account.time_zone = "", erased_address(), "UTC"
    account.is_active = account.is_staff = account.is_superuser = False
    account.last_login, account.erased_at = None, timezone.now()
    account.set_unusable_password()
    account.save()
    EmailAddress.objects.filter(user=account).delete()
    # Until the end of the transaction: only verified accounts can act.
    EmailAddress.objects.create(user=account, email=account.email, verified=True, primary=True)


def _end_duties(account: User, erasure: Erasure) -> None:
    roles = sorted(account.held_roles)
    for role in roles:
        withdraw_role(account, RoleName(role), by=None, reason=erasure.reason)
    erasure.note("roles", len(roles))
    erasure.note("representation of bodies", account.represented_bodies.count())
    account.represented_bodies.clear()
    revoke_all_tokens(account, by=None, reason=erasure.reason)
    erasure.note("API tokens", Token.objects.filter(owner=account).update(name="erased"))


def _end_sessions(erasure: Erasure) -> None:
    """Delete the sessions of the account, and those that contain an address, as during sign-up."""
    person = erasure.person
    ended = [each.pk for each in Session.objects.iterator() if _is_session_of(person, each.get_decoded())]
    if person.account is not None:
        erasure.delete("devices and places of sessions", UserSession.objects.filter(user=person.account))
    erasure.delete("sessions", Session.objects.filter(pk__in=ended))


def _is_session_of(person: Person, session: dict[str, Any]) -> bool:
    owner, sign_in = session.get(SESSION_KEY), session.get("account_login") or {}
    if person.account is not None:
        key = user_pk_to_url_str(person.account)
        if owner == str(person.account.pk) or sign_in.get("user_pk") == key:
            return True
    text = json.dumps(session, ensure_ascii=False).lower()
    return owner is None and any(address in text for address in person.addresses)


@holds_personal_data
class MailData(PersonalDataHolder):
    """The mails to the person, what they chose to get, and sent mails to others that name the person."""

    addresses = ((BouncedAddress, "address"),)
    texts = (
        TextColumns("unsent mails to others", Message.objects.unsent(), "subject body"),
        TextColumns("mails for the digests of others", HeldMail.objects, "subject body"),
        TextColumns("addresses at which mail came back", BouncedAddress.objects, "address reason"),
    )

    def erase(self, erasure: Erasure) -> None:
        person = erasure.person
        mails = Message.objects.alias(address=Lower("to"))
        erasure.note("mails", outbox.erase(mails.filter(address__in=person.addresses)))
        sent = Message.objects.exclude(sent_at=None)
        found = sent.filter(person.is_named_by("subject", "body")).iterator()
        named = [each.pk for each in found if person.is_named_in(f"{each.subject}\n{each.body}")]
        erasure.note("sent mails to others", outbox.erase(sent.filter(pk__in=named)))
        bounced = BouncedAddress.objects.filter(address__in=person.addresses)
        erasure.delete("addresses at which mail came back", bounced)
        if erasure.account is not None:
            erasure.delete("choices of mail", MailPreference.objects.filter(person=erasure.account))
            erasure.delete("mails for the next digest", HeldMail.objects.filter(person=erasure.account))
            # The mails about this erasure, to the address that replaces the others.
            new = mails.filter(address__endswith=ERASED_DOMAIN)
            erasure.after_event.append(partial(outbox.erase, new))


def _addresses(account: User) -> Any:
    return EmailAddress.objects.filter(user=account, verified=True)


exports(
    User,
    "id email name is_active is_staff is_superuser date_joined last_login time_zone",
    about=lambda person: Q(pk=person.pk),
)
exports(EmailAddress, "email verified primary", of="user")
exports(Role, "name granted_at signed_in_at", of="user")
exports(Body.representatives.through, "body_id", of="user")
exports(Token, "id name scopes requests_an_hour created_at expires_at last_used_at revoked_at", of="owner")
exports(Authenticator, "type created_at last_used_at", of="user")
exports(SocialAccount, "provider uid last_login date_joined extra_data", of="user")
exports(UserSession, "created_at ip last_seen_at user_agent", of="user")
# What the person did, without the details, which can name others.
exports(Event, "number at verb case_number nid from_state to_state reason", of="actor")
exports(PersonalData, "value", of="account")
exports(MailPreference, "kind delivery", of="person")
exports(HeldMail, "name subject created_at", of="person")
exports(
    Message,
    "name to subject created_at sent_at",
    about=lambda person: Q(to__in=_addresses(person).values("email")),
)
exports(
    BouncedAddress,
    "id address bounced_at reason",
    about=lambda person: Q(address__in=_addresses(person).values(lower=Lower("email"))),
)
for unused in (LogEntry, User.groups.through, User.user_permissions.through):
    NOT_EXPORTED[unused] = "The registry does not use it."
