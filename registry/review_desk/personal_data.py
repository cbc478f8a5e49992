"""The personal data of the review desk: the working data of role holders."""

from django.utils import timezone

from registry.accounts.erasure import Erasure, PersonalDataHolder, holds_personal_data
from registry.accounts.export import exports
from registry.review_desk.models import (
    Absence,
    CaseAssignment,
    ChecklistMark,
    SentSummary,
    StaffNote,
    VerdictDraft,
)


@holds_personal_data
class ReviewDeskData(PersonalDataHolder):
    """Absences, checklists, drafts, notes and summaries; assignments of cases end, and stay under the number of the account."""

    def erase(self, erasure: Erasure) -> None:
        account = erasure.account
        if account is None:
            return
        erasure.delete("absences", Absence.objects.filter(person=account))
        erasure.delete("marks on checklists", ChecklistMark.objects.filter(expert=account))
        erasure.delete("drafts of verdicts", VerdictDraft.objects.filter(expert=account))
        erasure.delete("internal notes", StaffNote.objects.filter(author=account))
        erasure.delete("dates of daily summaries", SentSummary.objects.filter(person=account))
        assignments = CaseAssignment.objects.current().filter(person=account)
        erasure.note("assignments of cases", assignments.update(released_at=timezone.now()))


exports(CaseAssignment, "case_id assigned_at released_at", of="person")
exports(Absence, "first_day last_day", of="person")
exports(ChecklistMark, "round_id question is_ticked note at", of="expert")
exports(VerdictDraft, "case_id verdict texts points at", of="expert")
exports(StaffNote, "case_id text at", of="author")
exports(SentSummary, "day", of="person")
