"""The demonstration: namespaces, accounts, the health of services, and all else.

In an empty registry the dates of the cases cover some months, so that some cases are overdue and statistics have
content. If the audit log has events, everything is dated today, because the log is in chronological order.
"""

import json
from collections import defaultdict
from copy import copy
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth.hashers import get_hasher
from django.db import transaction
from django.utils import timezone

from registry.accounts.models import RoleName, User
from registry.accounts.roles import grant_role
from registry.audit_log.heads import publish_head
from registry.audit_log.models import LogPosition
from registry.audit_log.signed_notes import SigningKey
from registry.audit_log.signing_keys import default_name, write_key
from registry.cases import canned_texts
from registry.cases.models import CannedText, Case
from registry.custody.actions.claims import claim_namespace
from registry.custody.models import Ground
from registry.devserver.demonstration_cases import CASES, FIXTURES, PAST, AdvanceDays, person
from registry.devserver.demonstration_registers import make_registers
from registry.mail import outbox
from registry.namespaces.current_profiles import profiles_of
from registry.namespaces.models import Namespace
from registry.namespaces.profile_documents import LoadOutcome, load_profiles
from registry.publication.iana.file_reader import read_version
from registry.publication.iana.fixtures import IANA_FIXTURE
from registry.publication.iana.importing.importer import import_versions
from registry.publication.models import IanaRegistry
from registry.resolution.actions import confirm_host, hosts_of, was_withdrawn
from registry.resolution.health.checking import CheckResult, Finding, Outcome, services_of
from registry.resolution.health.recording import record_checks
from registry.resolution.models import Basis, ServiceHealth
from registry.sightings.actions import report_sighting
from registry.sightings.loading import load_sightings
from registry.subnamespaces.loading import load_subnamespaces
from urnsyntax.profiles.examples import verify_directory
from urnsyntax.profiles.subnamespaces.verifying import list_files

DETAIL = "Example of the demonstration, not a check: {}"


@dataclass(frozen=True, slots=True)
class History:
    """Daily checks of the services of a namespace until today: "+" for success, "-" for failure."""

    nid: str
    checks: str
    detail: str
    position: int | None = None
    """The service, from 0; None for all."""


HISTORIES = (
    History("alert", "+", "the reply is 200 OK."),
    History("ietf", "+", "the reply is 200 OK."),
    History("service", "+", "the reply is 200 OK."),
    History("urn-6", "+", "the reply is 200 OK.", position=0),
    History("urn-6", "+----", "the reply is 503 Service Unavailable.", position=1),
    History("urn-8", "+" + 20 * "-", "the reply is 404 Not Found."),
)


def record_health() -> list[str]:
    """Record the histories, unless health is recorded already. Returns what was done."""
    if ServiceHealth.objects.exists():
        return []
    profiles = profiles_of(each.nid for each in HISTORIES)
    by_day = defaultdict[int, list[CheckResult]](list)
    for history in HISTORIES:
        services = list(services_of(profiles[history.nid])) if history.nid in profiles else []
        chosen = services if history.position is None else services[history.position :][:1]
        for days_ago, check in zip(reversed(range(len(history.checks))), history.checks, strict=True):
            outcome = Outcome.WORKS if check == "+" else Outcome.FAILS
            finding = Finding(outcome, DETAIL.format(history.detail))
            by_day[days_ago] += [CheckResult(service, finding) for service in chosen]
    for days_ago, results in sorted(by_day.items(), reverse=True):
        record_checks(results, now=timezone.now() - timedelta(days=days_ago))
    count = ServiceHealth.objects.count()
    return [f"health of {count} services"] if count else []


UNCONFIRMED_HOSTS = {"books.google.com", "www.worldcat.org"}
CLAIMED_NID = "isan"
HOST_EVIDENCE = "For the demonstration: the source that the profile states gives this address."
# The password of all demonstration accounts is printed and not a secret.
PASSWORD = "only-for-trying-out"  # nosec B105  # printed


@dataclass(frozen=True, slots=True)
class DemonstrationAccount:
    """An account to sign in with."""

    email: str
    name: str
    roles: tuple[RoleName, ...]

    @property
    def role_labels(self) -> str:
        return ", ".join(role.label for role in self.roles) or "no role"


@dataclass(slots=True)
class Demonstration:
    """The created data; empty if everything existed."""

    accounts: list[DemonstrationAccount]
    made: list[str] = field(default_factory=list)


@transaction.atomic
def load_demonstration() -> Demonstration:
    """Create missing demonstration data, without mails about it. A second call changes nothing."""
    import time_machine  # not installed in a deployment

    with outbox.silence():
        if LogPosition.current().number:
            return _create_missing(lambda days: None)
        with time_machine.travel(timezone.now() - PAST) as traveller:
            return _create_missing(lambda days: traveller.shift(timedelta(days=days)))


def _create_missing(advance_days: AdvanceDays) -> Demonstration:
    demonstration = Demonstration(accounts=accounts(), made=_make_signing_key())
    demonstration.made += _import_iana()
    new = _load_profiles()
    new += _load_subnamespaces()
    new += _load_sightings()
    new += [f"account {each.email}" for each in demonstration.accounts if create_account(each)]
    demonstration.made += new
    if new:  # looking through all profiles takes long
        demonstration.made += confirm_hosts()
    if not Case.objects.filter(registrant__in=[person("registrant"), person("second-registrant")]).exists():
        demonstration.made += [
            f"{case} is {case.get_state_display()}" for case in (make(advance_days) for make in CASES)
        ]
        demonstration.made += [f"canned text “{text}”" for text in _make_canned_texts()]
    demonstration.made += make_registers(advance_days)
    demonstration.made += _claim_namespace()
    demonstration.made += _report_sighting()
    demonstration.made += record_health()
    if demonstration.made and (head := publish_head()):  # so that all these events have a proof at once
        demonstration.made.append(f"signed head of {head.size:,} events")
    return demonstration


def _make_signing_key() -> list[str]:
    """Make the key that signs the heads of the audit log, beside the embedded database."""
    path = Path(settings.BASE_DIR, settings.LOG_SIGNING_KEY)
    if not settings.IS_DEMONSTRATION or path.exists():
        return []
    key = SigningKey.generate(default_name())
    write_key(key, path)
    return [f"signing key {key.verifier}"]


def accounts() -> list[DemonstrationAccount]:
    people = json.loads((FIXTURES / "people.json").read_text(encoding="utf-8"))
    return [
        DemonstrationAccount(each["email"], each["name"], tuple(RoleName(role) for role in each["roles"]))
        for each in people
    ]


def _import_iana() -> list[str]:
    """Import the fixture, unless a file of the same or a later date has been imported."""
    version = read_version(FIXTURES / IANA_FIXTURE)
    known = IanaRegistry.current()
    if known is not None and known.updated >= version.file.updated:
        return []
    return [str(report) for report in import_versions([version])]


def _load_profiles() -> list[str]:
    results = load_profiles(verify_directory(FIXTURES / "profiles"))
    count = sum(each.outcome == LoadOutcome.SET for each in results)
    return [f"{count} profiles of namespaces"] if count else []


def _load_subnamespaces() -> list[str]:
    results = load_subnamespaces((each.stem, each) for each in list_files(FIXTURES / "subnamespaces"))
    count = sum(each.counts.get("added", 0) for each in results)
    return [f"{count:,} sub-namespaces"] if count else []


def confirm_hosts() -> list[str]:
    """Confirm the hosts of services, as an administrator would; loading the profiles confirmed some.

    A few stay unconfirmed, for trying it out, and so does a host that was withdrawn.
    """
    with_profile, administrator = Namespace.objects.filter(profile__isnull=False), person("administrator")
    missing = [
        (namespace, host)
        for namespace in with_profile.select_related("profile").prefetch_related("confirmed_hosts")
        for host in hosts_of(namespace)
        if host not in UNCONFIRMED_HOSTS.union(each.host for each in namespace.confirmed_hosts.all())
        and not was_withdrawn(namespace, host)
    ]
    for namespace, host in missing:
        confirm_host(
            namespace,
            by=administrator,
            host=host,
            basis=Basis.ADMINISTRATOR,
            evidence=HOST_EVIDENCE,
        )
    return [f"{len(missing)} confirmed hosts of services"] if missing else []


def _claim_namespace() -> list[str]:
    """Claim an imported namespace, with evidence on which administrators can decide."""
    claimant, namespace = person("participant"), Namespace.objects.filter(nid=CLAIMED_NID).first()
    if namespace is None or namespace.claims.filter(claimant=claimant).exists():
        return []
    claim_namespace(
        namespace,
        by=claimant,
        ground=Ground.SPECIFICATION,
        statement="For the demonstration: the page of our agency names me as the keeper of the identifiers.",
        links=["https://agency.example.org/keepers"],
    )
    return [f"claim of {namespace.nid}"]


def _load_sightings() -> list[str]:
    count = load_sightings()
    return [f"{count} sightings of unregistered NIDs"] if count else []


def _report_sighting() -> list[str]:
    """Report the use of a NID, on which administrators can decide."""
    reporter = person("participant")
    if reporter.sightings.exists():
        return []
    sighting = report_sighting(
        by=reporter,
        nid="orchard",
        used_by="Orchard labels of an example agency",
        example="urn:orchard:label:2026-17",
        source="https://agency.example.org/labels",
    )
    return [str(sighting)]


def create_account(account: DemonstrationAccount) -> bool:
    """Create the account, its verified address and its roles; return False if it exists."""
    if User.objects.filter(email__iexact=account.email).exists():
        return False
    user = User.objects.create(email=account.email, name=account.name, password=_hashed_password())
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    for role in account.roles:
        grant_role(user, role, by=None)
    return True


@cache
def _hashed_password() -> str:
    """Return the hash of the shared password. Hashing is slow by design, which protects no password that is printed.

    When an account signs in, Django stores a hash with its current number of iterations.
    """
    hasher: Any = copy(get_hasher())
    hasher.iterations = 1
    return str(hasher.encode(PASSWORD, hasher.salt()))


def _make_canned_texts() -> list[CannedText]:
    texts = json.loads((FIXTURES / "canned-texts.json").read_text(encoding="utf-8"))
    known = set(CannedText.objects.values_list("title", flat=True))
    new = [each for each in texts if each["title"] not in known]
    return [canned_texts.add_canned_text(by=person("expert"), **each) for each in new]
