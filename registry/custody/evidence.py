"""The evidence of a claim: domains and addresses that the registered text names."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import URLValidator, validate_email

from registry.accounts.models import User, addresses, confirmed_addresses
from registry.actions.parameters import FieldParameter
from registry.core.validators import MAX_BASIS_LENGTH, MAX_URL_LENGTH, check_optional_text, shortened
from registry.custody.exceptions import InvalidEvidence
from registry.custody.models import Ground, NamespaceClaim, NamespaceContact
from registry.domains.models import OrganisationDomain
from registry.namespaces.actions.registrants import people_of
from registry.namespaces.models import Namespace
from registry.organisations.models import members_of


def known_addresses_of(claim: NamespaceClaim) -> list[str]:
    """All addresses of the registrant and of the contacts in registered versions, except those of the claimant.

    In a recovery, those of all namespaces of the organisation.
    """
    known = {*confirmed_addresses(_people_of(claim))}
    for namespace in _namespaces_of(claim):
        known |= {*registered_addresses(namespace)}
        known |= {each.email.lower() for each in NamespaceContact.objects.filter(pk=namespace.pk)} - {""}
    return sorted(known - {*claim.claimant.confirmed_addresses})


def _namespaces_of(claim: NamespaceClaim) -> list[Namespace]:
    if claim.is_recovery and claim.organisation is not None:
        return list(claim.organisation.namespaces.all())
    return [claim.namespace]


def _people_of(claim: NamespaceClaim) -> list[User]:
    """The registrant, now and when the claim was announced, or the members of the organisation. In a recovery, also all
    former members.
    """
    if claim.is_recovery:
        return list(User.objects.filter(memberships__organisation=claim.organisation_id).distinct())
    people = people_of(claim.namespace) + ([claim.registrant] if claim.registrant else [])
    former = claim.former_organisation_id
    return people + (list(members_of(former)) if former else [])


def addresses_of_contact(contact: NamespaceContact) -> list[str]:
    """The address of the registrant's account, and that of the contact, or else of the contact in the registered text."""
    namespace = contact.namespace
    account = addresses(people_of(namespace))
    return sorted({*(each.lower() for each in account), address_of(contact)} - {""})


def address_of(contact: NamespaceContact) -> str:
    """The address of the contact, or else of that in the registered text, in lower case; "" without one."""
    latest = contact.namespace.latest
    return contact.email.lower() or (_valid(latest.template.registrant.email) if latest else "")


def registered_addresses(namespace: Namespace) -> Iterator[str]:
    """The valid e-mail addresses of the contacts in all registered versions, in lower case."""
    for revision in namespace.revisions.only("content", "namespace"):
        if address := _valid(revision.template.registrant.email):
            yield address


def _valid(text: str) -> str:
    """The e-mail address `text` in lower case, or "" if it is none."""
    address = text.strip().lower()
    try:
        validate_email(address)
    except ValidationError:
        return ""
    return address


def places_naming(claim: NamespaceClaim) -> list[str]:
    """Where the registration has a confirmed address of the claimant, or a domain, in words."""
    texts, own = _texts_of(claim.namespace), sorted(claim.claimant.confirmed_addresses)
    proved = _domains_of(claim)
    found = [(address, f"the address {address}, which the claimant confirmed.") for address in own]
    found += [(each, f"the domain {each}, which the organisation verified.") for each in proved]
    hints = sorted({address.rpartition("@")[2] for address in own} - {*proved})
    hint = "the domain {} of an address of the claimant. Check who can get an address there."
    found += [(each, hint.format(each)) for each in hints]
    return [f"{where} names {words}" for name, words in found for where, text in texts if _has(text, name)]


def _domains_of(claim: NamespaceClaim) -> list[str]:
    """The verified domains of the claiming organisation. Those of one to be recovered say nothing about the claimant."""
    if claim.is_recovery:
        return []
    verified = OrganisationDomain.objects.verified().filter(organisation=claim.organisation_id)
    return [each.domain for each in verified]


def _texts_of(namespace: Namespace) -> list[tuple[str, str]]:
    profile, latest = namespace.current_profile, namespace.latest
    references = " ".join(str(each.get("target", "")) for each in namespace.references)
    return [
        ("The registered text", latest.text if latest else ""),
        ("The record of IANA", f"{references} {namespace.template_url}"),
        ("The profile", f"{profile.homepage} {profile.organisation}" if profile else ""),
        ("The list of services", " ".join(_hosts(namespace))),
    ]


def _hosts(namespace: Namespace) -> list[str]:
    profile = namespace.current_profile
    return [each.host for each in profile.services] if profile else []


def _has(text: str, name: str) -> bool:
    """Whether a text has an address or a domain, also with a subdomain, and not as a part of another name."""
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-]|\.\w)", text, re.IGNORECASE) is not None


MAX_LINKS = 10
_is_web_address = URLValidator(schemes=["http", "https"])


class LinksField(forms.CharField):
    """Web addresses, one on each line. The action checks them."""

    def clean(self, value: str) -> list[str]:
        return str(super().clean(value)).split()


@dataclass(frozen=True, slots=True)
class Links(FieldParameter):
    """At most MAX_LINKS web addresses, which the registry never requests."""

    def form_field(self, subject: Any = None, by: User | None = None) -> forms.Field:
        return LinksField(
            label=self.label,
            help_text=self.help_text,
            max_length=MAX_LINKS * (MAX_URL_LENGTH + 2),
            required=False,
            widget=forms.Textarea({"rows": 3, "spellcheck": "false"}),
        )


def check_evidence(ground: str, statement: str, links: Iterable[str]) -> dict[str, Any]:
    """Return the columns for evidence. Raises InvalidEvidence, and the errors of texts."""
    if ground not in Ground.values:
        raise InvalidEvidence(
            f"“{shortened(ground)}” is not a ground. Choose one of: {', '.join(Ground.values)}."
        )
    statement = check_optional_text(
        statement, "the statement", longest=MAX_BASIS_LENGTH, argument="statement"
    )
    if not statement:
        raise InvalidEvidence("Say who you are, and what proves that the namespace is yours.")
    kept = list(dict.fromkeys(_link(each) for each in links if each.strip()))
    if len(kept) > MAX_LINKS:
        raise InvalidEvidence(f"Give at most {MAX_LINKS} links; describe the others in the statement.")
    return {"ground": ground, "statement": statement, "links": kept}


def _link(text: str) -> str:
    link = check_optional_text(text, "a link", longest=MAX_URL_LENGTH, argument="links")
    try:
        _is_web_address(link)
    except ValidationError as fault:
        message = f"“{shortened(link)}” is not a web address. It begins with https://."
        raise InvalidEvidence(message) from fault
    return link
