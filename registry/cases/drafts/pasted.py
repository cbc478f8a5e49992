"""Remarks on a pasted template whose identifier, version or date are those of another request."""

from collections.abc import Iterator

from registry.cases.models import Case
from registry.namespaces.models import Kind
from registry.registration_template.template import RegistrationTemplate


def differences_from_request(case: Case, pasted: RegistrationTemplate) -> Iterator[str]:
    """What the pasted text says of itself that differs from the draft of the case, in sentences."""
    nid, draft = pasted.namespace_identifier, case.draft_template
    if nid and case.kind == Kind.INFORMAL and not case.is_revision:
        yield f"The text is for “{nid}”. This request is for the next informal number."
    elif nid and draft.namespace_identifier and nid.lower() != draft.namespace_identifier.lower():
        yield f"The text is for “{nid}”. The saved draft is for “{draft.namespace_identifier}”."
    if pasted.version not in {None, case.next_version}:
        yield f"The text is version {pasted.version}. This request is for version {case.next_version}."
    if pasted.date and draft.date and pasted.date != draft.date:
        yield f"The text has the date {pasted.date}. The saved draft has {draft.date}: enter the date of this request."
