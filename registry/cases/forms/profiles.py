"""The fields of the proposed profile, on the form of a draft and at the assignment."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.forms import BoundField

from registry.actions.parameters import IDENTIFIER
from registry.cases.drafts.drafts import Stage
from registry.cases.forms.cases import raw_text_field
from registry.core.exceptions import RegistryError
from registry.namespaces.proposals.applying import as_proposed
from registry.namespaces.proposals.proposed_profile import MEMBERS, Member, ProposedProfile
from registry.registration_template.checks.findings import Finding
from urnsyntax.profiles import Profile
from urnsyntax.profiles.services.service import KINDS


@dataclass(frozen=True, slots=True)
class MemberRow:
    """A member of the proposed profile on a form, with its field, its findings, and what the current profile says."""

    member: Member
    field: BoundField
    findings: tuple[Finding, ...]
    current: str


@dataclass(frozen=True, slots=True)
class ProfileRow:
    """The section of the proposed profile: its members, and how far it is."""

    members: tuple[MemberRow, ...]
    is_stated: bool

    @property
    def kinds(self) -> Iterable[tuple[str, str]]:
        """The kinds of services, each with what it returns."""
        return KINDS.items()

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(finding for each in self.members for finding in each.findings)

    @property
    def is_open(self) -> bool:
        """Whether the section is open on a phone from the beginning: it has an error."""
        return bool(self.findings) or any(each.field.errors for each in self.members)

    @property
    def stage(self) -> Stage:
        if self.findings:
            return Stage.NEEDS_FIXING
        return Stage.DONE if self.is_stated else Stage.OPTIONAL


def add_profile_fields(form: forms.Form) -> None:
    """Add a field for each member. Its guidance and its remarks have ids of their own."""
    for each in MEMBERS:
        described = f"{each.name}-guidance {each.name}-remarks"
        attributes = IDENTIFIER if each.is_code else {}
        form.fields[each.name] = raw_text_field(
            each.label, lines=each.lines, **attributes, **{"aria-describedby": described}
        )


def profile_values(proposed: ProposedProfile) -> dict[str, str]:
    """The values of the fields for a proposed profile."""
    return {each.name: getattr(proposed, each.key) for each in MEMBERS}


def read_profile(form: forms.Form, cleaned: Mapping[str, Any]) -> ProposedProfile:
    """The proposed profile of the fields. What can't be stored is an error of its field."""
    texts: dict[str, str] = {}
    for each in MEMBERS:
        try:
            texts[each.key] = each.check(cleaned.get(each.name, ""))
        except RegistryError as refusal:
            form.add_error(each.name, str(refusal))
    return ProposedProfile(**texts)


def profile_row(
    form: forms.Form, proposed: ProposedProfile, findings: Iterable[Finding], current: Profile | None
) -> ProfileRow:
    """The section of the proposed profile, with the findings on its members and the current profile."""
    found, before = tuple(findings), as_proposed(current)
    rows = (
        MemberRow(
            each,
            form[each.name],
            tuple(one for one in found if one.section == each.name),
            getattr(before, each.key),
        )
        for each in MEMBERS
    )
    return ProfileRow(tuple(rows), bool(proposed))
