"""The personal data of cases: drafts, invitations, subscriptions, and the contacts in submitted templates."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from django.db.models import F, Model, Q, QuerySet

from registry.accounts.erasure import Erasure, PersonalDataHolder, TextColumns, holds_personal_data
from registry.accounts.export import exports
from registry.accounts.models import User
from registry.audit_log.models import Event
from registry.cases.canned_texts import writes_canned_texts
from registry.cases.models import (
    CLOSED_STATES,
    ActionPoint,
    CannedText,
    Case,
    CaseQuerySet,
    CoEditor,
    Comment,
    Dismissal,
    DraftVersion,
    Invitation,
    Recusal,
    Reply,
    Review,
    Round,
    State,
    Subscription,
)
from registry.cases.workflow import functions
from registry.namespaces.personal_data import erase_contact, fields_about, naming


@holds_personal_data
class CaseData(PersonalDataHolder):
    """Open cases end, drafts are emptied; on request, contact details in the rounds of closed cases are erased."""

    addresses = (
        (Invitation, "email"),
        (Round, "content__registrant__email"),
        (Case, "draft__registrant__email"),
        (DraftVersion, "draft__registrant__email"),
    )
    # The last ones are texts that people wrote in public.
    texts = (
        TextColumns("rounds", Round.objects, "text profile"),
        TextColumns("drafts of cases", Case.objects, "draft draft_profile draft_replies"),
        TextColumns("earlier texts of drafts", DraftVersion.objects, "draft profile", "case_id"),
        TextColumns("comments", Comment.objects, "text"),
        TextColumns("reviews", Review.objects, "rationale"),
        TextColumns("action points", ActionPoint.objects, "text"),
        TextColumns("answers to action points", Reply.objects, "text"),
        TextColumns("dismissed findings", Dismissal.objects, "reason"),
        TextColumns("recusals", Recusal.objects, "reason"),
    )

    def lock(self, account: User, *, to_erase: bool) -> None:
        """The cases to which the person invited, and those that an erasure changes."""
        concerned = Q(pk__in=Invitation.objects.filter(invited_by=account).values("case"))
        if to_erase:
            concerned |= Q(pk__in=_cases_that_name(account).order_by().values("pk"))
        list(Case.objects.filter(concerned).order_by("pk").select_for_update().values_list("pk"))

    def erase(self, erasure: Erasure) -> None:
        if erasure.account is not None:
            _withdraw_cases(erasure.account, erasure)
            _empty_drafts(erasure.account, erasure)
            subscriptions = Subscription.objects.filter(user=erasure.account)
            erasure.delete("subscriptions", subscriptions)
            # What was still pending was withdrawn with the account.
            erasure.delete(
                "invitations to closed cases", Invitation.objects.filter(invited_by=erasure.account)
            )
            for case in _cases_that_name(erasure.account):
                erasure.changes(case, case=case.pk)
        for address in sorted(erasure.person.addresses):
            erasure.delete("invitations", Invitation.objects.to_address(address))
        if erasure.with_texts:
            _erase_contacts(erasure)

    def left_to_do(self, account: User) -> Iterator[str]:
        for case in Case.objects.open().filter(registrant=account, organisation=None).order_by("pk"):
            named = f"case {case.pk} ({case.subject})"
            yield f"Delete the draft of {named}." if case.state == State.DRAFT else f"Withdraw {named}."


def _withdraw_cases(account: User, erasure: Erasure) -> None:
    """Only their registrant can continue open cases. Those of organisations go on."""
    for case in (
        Case.objects.open()
        .filter(registrant=account, organisation=None)
        .exclude(state=State.DRAFT)
        .order_by("pk")
    ):
        functions.withdraw(case, by=account, reason=erasure.reason)
        erasure.note(f"open case {case.pk} (withdrawn)")


def _cases_that_name(account: User) -> CaseQuerySet:
    """The public cases of a person, and those in which they acted, such as by a comment."""
    acted = Event.objects.filter(actor=account, case_number__isnull=False).values("case_number")
    return Case.objects.public().filter(Q(registrant=account) | Q(pk__in=acted)).order_by("pk")


def _empty_drafts(account: User, erasure: Erasure) -> None:
    """Empty the working copies of all cases of the person. The rounds stay."""
    cases = Case.objects.filter(registrant=account, organisation=None)
    erasure.delete("invitations to drafts", Invitation.objects.filter(case__in=cases))
    written = cases.exclude(draft={}, draft_profile={}, draft_replies={})
    stamp = F("draft_stamp") + 1
    cases.filter(state=State.DRAFT).update(requested_nid="")
    emptied = written.update(draft={}, draft_profile={}, draft_replies={}, draft_stamp=stamp)
    erasure.note("drafts", emptied)
    erasure.delete("earlier texts of drafts", DraftVersion.objects.filter(case__in=cases))


def _erase_contacts(erasure: Erasure) -> None:
    """Erase contact details in drafts, and in the rounds of closed cases: an open case needs a contact."""
    for case in naming(erasure.person, Case.objects.all(), "draft"):
        template = case.draft_template
        fields = fields_about(erasure.person, template.registrant)
        registrant = template.registrant.with_texts(dict.fromkeys(fields, ""))
        draft = case.draft | {"registrant": registrant.to_json()}
        changed = Case.objects.filter(pk=case.pk).update(draft=draft, draft_stamp=F("draft_stamp") + 1)
        erasure.note(f"contact details in the draft of case {case.pk}", changed if fields else 0)
    versions = naming(erasure.person, DraftVersion.objects.all(), "draft")
    about = [each.pk for each in versions if fields_about(erasure.person, each.template.registrant)]
    erasure.delete("earlier texts of other drafts", DraftVersion.objects.filter(pk__in=about))
    closed = Round.objects.filter(case__state__in=CLOSED_STATES).select_related("case")
    for row in naming(erasure.person, closed):
        if erase_contact(row, erasure):
            erasure.note(f"contact details in round {row.number} of case {row.case_id}")
            erasure.changes(row.case, case=row.case_id)


def _of_edited_case(person: User, model: type[Model]) -> QuerySet[Any]:
    return model._default_manager.filter(case__in=Case.objects.edited_by(person).values("pk"))


def _canned_texts(person: User) -> QuerySet[CannedText]:
    """All of them for experts and their leaders, who write and use them."""
    return CannedText.objects.all() if writes_canned_texts(person) else CannedText.objects.none()


exports(
    Case,
    "id kind procedure is_revision requested_nid namespace_id organisation_id body_id state state_since created_at",
    of="registrant",
)
# Others may edit the draft of the case, also when the person who began it no longer does.
exports(
    Case,
    "draft draft_profile draft_replies draft_saved_at",
    of="registrant",
    readable=Case.objects.edited_by,
)
exports(
    DraftVersion,
    "case_id number change changed draft profile began_at saved_at",
    of="editor",
    readable=partial(_of_edited_case, model=DraftVersion),
)
exports(CoEditor, "case_id has_written", of="user")
exports(
    Invitation,
    "case_id email invited_at",
    of="invited_by",
    readable=partial(_of_edited_case, model=Invitation),
)
exports(Recusal, "case_id reason at", of="user")
exports(Subscription, "case_id is_stopped at", of="user")
# Public, like all that follow but the texts of the experts.
exports(Round, "case_id number text profile submitted_at", of="submitted_by")
exports(Review, "round_id verdict rationale at", of="expert")
exports(Dismissal, "round_id section code message reason at", of="by")
exports(Comment, "round_id section text at", of="author")
exports(
    CannedText,
    "title text changed_at",
    of="changed_by",
    readable=_canned_texts,
)
