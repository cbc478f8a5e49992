"""Confirmation of a proposed profile by the administrator who registers the namespace or its next version."""

from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus

from django.db import transaction

from registry.accounts.models import User
from registry.core.exceptions import RegistryError
from registry.namespaces.models import Namespace, ProfileVersion
from registry.namespaces.proposals.checking import check_proposal, findings_of_refusal
from registry.namespaces.proposals.folding import fold, with_number
from registry.namespaces.proposals.proposed_profile import ProposedProfile
from registry.namespaces.services.profiles import NamesContradict, StaleProfile, set_profile
from registry.registration_template.checks.findings import Finding
from registry.registration_template.template import RegistrationTemplate


class ProfileRefused(RegistryError):
    """The confirmed profile has findings, so it can't be set. `findings` holds them, each with its section."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "The profile can't be set"

    def __init__(self, findings: Sequence[Finding]) -> None:
        super().__init__(" ".join(finding.message for finding in findings))
        self.findings = tuple(findings)


@dataclass(frozen=True, slots=True)
class ConfirmedProfile:
    """What the administrator confirms. `subjects` are those of a namespace that has no profile yet.

    `replaces` is the version of the current profile that they have read, 0 if there is none.
    """

    proposed: ProposedProfile
    subjects: tuple[str, ...] = ()
    replaces: int = 0


@transaction.atomic
def confirm_profile(
    namespace: Namespace, confirmed: ConfirmedProfile, *, by: User, basis: str
) -> ProfileVersion | None:
    """Set the profile that a proposal makes of the current one, unless it states nothing or changes nothing.

    Raises StaleProfile if the current profile is not the one that was read, and ProfileRefused.
    """
    namespace = Namespace.objects.select_for_update().get(pk=namespace.pk)
    proposed = with_number(confirmed.proposed, namespace)
    if not proposed:
        return None
    current_version = namespace.profile.version if namespace.profile else 0
    if confirmed.replaces != current_version:
        raise StaleProfile(namespace, current_version)
    current, template = namespace.current_profile, _registered_text(namespace)
    subjects = confirmed.subjects
    if findings := check_proposal(proposed, template, current, nid=namespace.nid, subjects=subjects):
        raise ProfileRefused(findings)
    profile = fold(proposed, current, nid=namespace.nid, subjects=() if current else subjects)
    if profile == current:
        return None
    last = namespace.profile_versions.last()
    replaces = last.version if last else 0
    try:
        return set_profile(
            namespace, by=by, profile=profile, basis=basis, replaces=replaces, least_counterexamples=0
        )
    except NamesContradict as refusal:
        raise ProfileRefused(findings_of_refusal(refusal)) from refusal


def _registered_text(namespace: Namespace) -> RegistrationTemplate:
    return namespace.latest.template if namespace.latest else RegistrationTemplate()
