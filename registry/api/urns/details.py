"""A URN in the registry: its namespace, its judgement by the profile, and similar valid URNs."""

from dataclasses import dataclass
from functools import cached_property

from registry.cases.nids.report import report_on
from registry.namespaces.models import Namespace, ProfileVersion
from registry.namespaces.suggestions import suggestions_for_unregistered
from registry.registration_template.nids.report import NIDReport
from registry.resolution.namespace_data import namespace_data_of_one
from registry.resolution.resolving import ResolvedURN, resolve
from urnsyntax import URN
from urnsyntax.profiles import Judgement, Suggestion


@dataclass(frozen=True)
class URNDetails:
    """A URN and the report on its NID. The judgement and the suggestions are computed on first use."""

    urn: URN
    report: NIDReport

    @property
    def namespace(self) -> Namespace | None:
        """The namespace, if it is registered."""
        found = self.report.namespace
        return found if isinstance(found, Namespace) else None

    @property
    def profile(self) -> ProfileVersion | None:
        """The current profile of the namespace."""
        return self.namespace.profile if self.namespace else None

    @cached_property
    def judgement(self) -> Judgement | None:
        """The judgement by the profile; None without one."""
        profile = self.namespace.current_profile if self.namespace else None
        return profile.judge(self.urn) if profile else None

    @cached_property
    def resolution(self) -> ResolvedURN | None:
        """The services of the URN, and which of them the registry redirects to; None without a profile."""
        if self.profile is None:
            return None
        return resolve(self.urn, namespace_data_of_one(self.urn.nid))

    @cached_property
    def did_you_mean(self) -> list[Suggestion]:
        """The repair of a URN that is not conformant, or URNs of registered namespaces with a similar NID."""
        if self.judgement:
            repair, reason = self.judgement.repair, self.judgement.reason
            return [Suggestion(repair, reason.rstrip("."))] if repair else []
        if self.namespace:
            return []
        return suggestions_for_unregistered(self.urn)


def details_of(urn: URN) -> URNDetails:
    """The details of a URN, with its namespace and the profile in one query."""
    with_profile = Namespace.objects.with_profile("registered_on", "deprecated_at")
    return URNDetails(urn, report_on(urn.nid, with_profile))
