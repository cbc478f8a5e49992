"""Remarks on a pasted template whose identifier, version or date are those of another request."""

from collections.abc import Iterator

from registry.cases.models import Case
from registry.namespaces.models import Kind
from registry.registration_template.template import RegistrationTemplate


def differences_from_request(
    case: Case, pasted: RegistrationTemplate, requested: RegistrationTemplate
) -> Iterator[str]:
    """What the pasted text says of itself that differs from what was `requested` before, in sentences."""
    nid = pasted.namespace_identifier
    if nid and case.kind == Kind.INFORMAL and not case.is_revision:
        yield f"The text is for “{nid}”. This request is for the next informal number."
    elif nid and nid.lower() != (requested.namespace_identifier or nid).lower():
        yield f"The text is for “{nid}”. This request is for “{requested.namespace_identifier}”."
    if pasted.version not in {None, case.next_version}:
        yield f"The text is version {pasted.version}. This request is for version {case.next_version}."
    if pasted.date and requested.date and pasted.date != requested.date:
        yield (
            f"The text has the date {pasted.date}. This request has {requested.date}: "
            "enter the date of this request."
        )
