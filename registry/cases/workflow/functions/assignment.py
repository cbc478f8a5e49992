"""Transitions between the end of the review and the registration of the namespace."""

from functools import partial

from registry.accounts.models import User
from registry.actions.engine import performs
from registry.cases.models import Case, Round
from registry.cases.workflow.declarations.transitions import (
    ASSIGN,
    CANCEL_COMPLETION,
    REQUEST_COMPLETION,
    RETURN_TO_REGISTRANT,
)
from registry.cases.workflow.subject import CASE, CaseContext, check_latest_round
from registry.core.validators import check_optional_text, check_text
from registry.namespaces.actions import registration
from registry.namespaces.actions.profiles import WrittenProfile, record_profile
from registry.namespaces.models import Kind, Revision
from registry.namespaces.proposals.applying import ProposalOrigin
from registry.namespaces.proposals.confirmation import ConfirmedProfile, write_confirmed


@performs(REQUEST_COMPLETION, CASE)
def request_completion(context: CaseContext, *, round_number: int | None = None) -> None:
    """Request completion of the registration, for a recognised body (6.3, step 4)."""
    context.details = {"round": check_latest_round(context.case, round_number).number}


@performs(CANCEL_COMPLETION, CASE)
def cancel_completion(context: CaseContext, *, reason: str = "") -> None:
    """Cancel the request for completion before the registration: until then, the body has the decision (6.3, step 4)."""
    context.reason = check_optional_text(reason, "the reason")


@performs(ASSIGN, CASE)
def assign(
    context: CaseContext, *, round_number: int | None = None, profile: ConfirmedProfile | None = None
) -> None:
    """Register the approved round: claim the NID, assign the next number, or add the next version.

    `profile` is set in the same transaction. It is checked and written before the first event, which blocks all other
    writers.
    """
    case = context.case
    round_ = check_latest_round(case, round_number)
    approved = (round_.template, round_)
    if case.is_revision and case.namespace is not None:
        revision = registration.register_revision(case.namespace, *approved)
    elif case.kind == Kind.INFORMAL:
        revision = registration.register_informal(*approved, registrant=case.change_controller)
    else:
        revision = registration.register_formal(*approved, registrant=case.change_controller)
    case.revision, case.namespace = revision, revision.namespace
    context.nid = revision.namespace.nid
    context.text_digest = revision.digest
    context.details = {"version": revision.version, "round": round_.number}
    written = _write_profile(case, round_, revision, profile, by=context.actor) if profile else None
    if written is not None:
        context.afterwards = partial(record_profile, written)


def _write_profile(
    case: Case, round_: Round, revision: Revision, confirmed: ConfirmedProfile, *, by: User
) -> WrittenProfile | None:
    basis = _basis(case, round_, revision, confirmed)
    origin = ProposalOrigin(case.pk, round_.number, round_.proposed_profile)
    written = write_confirmed(revision.namespace, confirmed, by=by, basis=basis, origin=origin)
    revision.namespace.refresh_from_db(fields=["profile", "has_grammar", "changed_at"])
    return written


def _basis(case: Case, round_: Round, revision: Revision, confirmed: ConfirmedProfile) -> str:
    """Why the profile is set, as a sentence."""
    is_same = confirmed.proposed == round_.proposed_profile
    return (
        f"Proposed in case {case.pk}, round {round_.number}, and "
        f"{'confirmed' if is_same else 'confirmed with changes'} at the registration of version {revision.version}."
    )


@performs(RETURN_TO_REGISTRANT, CASE)
def return_to_registrant(context: CaseContext, *, reason: str) -> None:
    """Return an approved case to the registrant, with a reason."""
    context.reason = check_text(reason, "the reason")
