"""Confirmation of a proposed profile by the administrator who registers the namespace or its next version."""

from dataclasses import dataclass, replace

from registry.accounts.models import User
from registry.namespaces.actions.profiles import (
    SET_PROFILE,
    NamesContradict,
    StaleProfile,
    WrittenProfile,
    write_profile,
)
from registry.namespaces.models import Namespace
from registry.namespaces.proposals.applying import ProposalOrigin, with_number
from registry.namespaces.proposals.checking import (
    ProfileRefused,
    check_proposal,
    findings_of_refusal,
    findings_on_subjects_alone,
    folded,
)
from registry.namespaces.proposals.proposed_profile import ProposedProfile
from registry.namespaces.subjects import NAMESPACE
from registry.registration_template.template import RegistrationTemplate


@dataclass(frozen=True, slots=True)
class ConfirmedProfile:
    """What the administrator confirms. A new profile needs `subjects`; otherwise they replace the current ones.

    `replaces` is the version of the current profile that they have read, 0 if there is none.
    """

    proposed: ProposedProfile
    subjects: tuple[str, ...] = ()
    replaces: int = 0


def write_confirmed(
    namespace: Namespace, confirmed: ConfirmedProfile, *, by: User, basis: str, origin: ProposalOrigin
) -> WrittenProfile | None:
    """Write the profile that a proposal makes of the current one, unless it states nothing or changes nothing.

    The caller opens the transaction, locks the roles of `by`, and calls `record_profile`. Raises StaleProfile if the current
    profile is not the one that was read, NotPermitted, and ProfileRefused, also for subjects without a profile.
    """
    namespace = NAMESPACE.lock(namespace, by)
    proposed = with_number(confirmed.proposed, namespace)
    if not proposed and not (namespace.profile and confirmed.subjects):
        if confirmed.subjects:
            raise ProfileRefused(findings_on_subjects_alone())
        return None
    current_version = namespace.profile.version if namespace.profile else 0
    if confirmed.replaces != current_version:
        raise StaleProfile(namespace, current_version)
    current = namespace.current_profile
    origin = replace(origin, proposed=with_number(origin.proposed, namespace))
    profile = folded(proposed, current, nid=namespace.nid, subjects=confirmed.subjects, origin=origin)
    if profile == current:
        return None
    last = namespace.profile_versions.last()
    replaces = last.version if last else 0
    SET_PROFILE.check_permission(by, namespace)
    try:
        return write_profile(
            namespace, by=by, profile=profile, basis=basis, replaces=replaces, least_counterexamples=0
        )
    except NamesContradict as refusal:
        found = check_proposal(proposed, _registered_text(namespace), current, nid=namespace.nid)
        raise ProfileRefused(found or findings_of_refusal(refusal)) from refusal


def _registered_text(namespace: Namespace) -> RegistrationTemplate:
    return namespace.latest.template if namespace.latest else RegistrationTemplate()
