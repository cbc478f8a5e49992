"""Pages of a draft: its form, and its history.

If a text can't be saved, it stays in the form.
"""

from collections.abc import Iterable
from functools import partial
from typing import Any

from django import forms
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render, resolve_url
from django.views.decorators.http import require_POST, require_safe

from registry.accounts.middleware import SignedInRequest
from registry.cases.competing_cases import competing_cases_of_draft
from registry.cases.drafts import drafts
from registry.cases.drafts.drafts import differences_from_request, restore_version
from registry.cases.drafts.edit_conflicts import conflict_of, with_saved
from registry.cases.drafts.history import MAX_VERSIONS, compare_texts
from registry.cases.drafts.replies import PointsUnanswered, answered_points_of
from registry.cases.findings import blocking, findings_of
from registry.cases.forms.cases import PasteForm
from registry.cases.forms.drafts import DraftForm
from registry.cases.history import record_of
from registry.cases.models import EDITABLE_STATES, Case, DraftVersion
from registry.cases.queries import get_edited_case
from registry.cases.status import status_of
from registry.cases.views.detail import plain_text, refused_page
from registry.cases.workflow import functions
from registry.cases.workflow.declarations.transitions import SUBMIT
from registry.cases.workflow.exceptions import AlreadySubmitted, SubmissionIncomplete
from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.form_views import (
    FormPage,
    form_page,
    get_or_post,
    lead_to,
    posted,
    process_form,
    refused,
    with_draft_status,
)
from registry.core.http.request_limits import accepts_body
from registry.core.validators import BodySize
from registry.namespaces.permissions import may_revise
from registry.namespaces.proposals.proposed_profile import ProposedProfile
from registry.registration_template.diff import compare_templates
from registry.registration_template.formatting import format_template
from registry.registration_template.parsing.parser import MAX_NOTES, ParsedTemplate
from registry.registration_template.sections import TEXT_SECTIONS
from registry.registration_template.template import RegistrationTemplate

NOTHING_TO_TAKE = "The text states nothing for the empty fields of the description."


@accepts_body(BodySize.TEMPLATE)
@get_or_post
def edit(request: SignedInRequest, pk: int) -> HttpResponse:
    """The sections of the template as one form: save, save and check, or save and continue to the submission."""
    case = get_edited_case(request.user, pk)
    form = DraftForm(_with_stamp(posted(request)), case=case, initial={"checked": "check" in request.GET})
    try:
        drafts.check_editable(case, by=request.user)
    except drafts.DraftClosed as refusal:
        return refused(refused_page(request, pk, form.entered_texts(), refusal), refusal)
    if "take" in request.POST:
        return _take(request, form)
    return process_form(form, lambda: _save(request, form), _page_after(request, form))


def _with_stamp(posted: QueryDict | None) -> QueryDict | None:
    """The submitted fields. `over` is the stamp of the saved draft that the person chose to overwrite."""
    if posted and "over" in posted:
        posted = posted.copy()
        posted["stamp"] = str(posted["over"])
    return posted


def _page_after(request: SignedInRequest, form: DraftForm) -> FormPage:
    """The page of the draft, or the one that follows a refusal."""

    def page(refusal: RegistryError | None = None) -> HttpResponse:
        if isinstance(refusal, AlreadySubmitted):
            return refused_page(request, form.case.pk, form.entered_texts(), refusal)
        if isinstance(refusal, drafts.StaleDraft):
            return _conflict_page(request, form, refusal.case, refusal=refusal)
        if isinstance(refusal, SubmissionIncomplete | PointsUnanswered):
            return edit_page(request, form, is_checked=True)  # which lists what to correct
        return edit_page(request, form, refusal=refusal)

    return page


def _save(request: SignedInRequest, form: DraftForm) -> HttpResponse:
    if "submit" in request.POST:
        return _continue_to_submission(request, form)
    if "prefill" in request.POST:
        return _fill_profile(request, form)
    case = form.save(by=request.user)
    _clear_parse_notes(request, case)
    if "preview" in request.POST:
        return redirect("cases:preview", case.pk)
    address = resolve_url("cases:edit", case.pk)
    return lead_to(request, "Draft saved.", f"{address}?check=1" if "check" in request.POST else address)


def _fill_profile(request: SignedInRequest, form: DraftForm) -> HttpResponse:
    """Save the draft with what its text states in the empty fields of the proposed profile."""
    is_filled = form.fill_profile()
    case = form.save(by=request.user)
    _clear_parse_notes(request, case)
    found = "Empty fields were filled from the text. Check them." if is_filled else NOTHING_TO_TAKE
    return lead_to(request, f"Draft saved. {found}", f"{resolve_url('cases:edit', case.pk)}#profile")


def _continue_to_submission(request: SignedInRequest, form: DraftForm) -> HttpResponse:
    """Save, and lead to the page that asks for confirmation, unless the draft is incomplete. It is saved either way."""
    try:
        case = form.save(by=request.user)
    except drafts.StaleDraft as refusal:
        functions.check_not_submitted(refusal.case, form.template, form.proposed, by=request.user)
        if not form.is_saved_in(refusal.case):
            raise
        case = refusal.case  # the second of two clicks
    _clear_parse_notes(request, case)
    SUBMIT.check_allowed(request.user, case)
    functions.check_changed(case, drafts.complete_template(case, case.draft_template))
    if faults := blocking(findings_of(case)):
        raise SubmissionIncomplete(faults)
    answered_points_of(case)  # raises PointsUnanswered
    return redirect("cases:transition", case.pk, SUBMIT.slug)


def _take(request: SignedInRequest, form: DraftForm) -> HttpResponse:
    """Replace one section of the form by its saved text, and show the other differences. Saves nothing."""
    taken = DraftForm(with_saved(request.POST, form, str(request.POST["take"])), case=form.case)
    return process_form(
        taken, partial(_conflict_page, request, taken, form.case), _page_after(request, taken)
    )


def _conflict_page(request: SignedInRequest, form: DraftForm, saved: Case, **more: Any) -> HttpResponse:
    """The typed texts, and how they differ from the saved draft, which they can overwrite."""
    form.use_stamp_of(saved)
    return edit_page(request, form, conflict=conflict_of(form, saved), **more)


def edit_page(
    request: SignedInRequest,
    form: DraftForm,
    *,
    is_checked: bool = False,
    **more: Any,
) -> HttpResponse:
    context = _draft_context(request, form, is_checked=is_checked) | {
        "status": status_of(form.case, partial(record_of, form.case)),
        "may_submit": SUBMIT.is_allowed_for(request.user, form.case),
        # Texts that the person has not checked yet are not saved automatically.
        "saves_itself": not more.keys() & {"conflict", "is_pasted"},
    }
    return render(request, "cases/edit.html", context | more)


def _draft_context(request: SignedInRequest, form: DraftForm, *, is_checked: bool = False) -> dict[str, Any]:
    """The context that the page and the autosave response share."""
    form.run_checks(is_checked=is_checked)
    return {
        "form": form,
        "case": form.case,
        "competing_cases": competing_cases_of_draft(form.case),
        "notes": _current_notes(request, form),
        "may_revise": form.taken is not None and may_revise(request.user, form.taken),
    }


@accepts_body(BodySize.TEMPLATE)
@require_POST
def autosave(request: SignedInRequest, pk: int) -> HttpResponse:
    """Save the draft as the page sends it in the background; the response is what changes beside the fields.

    The response has no fields, so text that is being typed is never replaced. After a conflict the page keeps its
    old stamp, until the person has chosen.
    """
    form = DraftForm(request.POST, case=get_edited_case(request.user, pk))

    def save() -> HttpResponse:
        form.save(by=request.user)
        return _autosave_response(request, form, is_saved=True)

    def page(refusal: RegistryError | None = None) -> HttpResponse:
        if isinstance(refusal, drafts.StaleDraft):
            return _autosave_response(request, form, conflict=conflict_of(form, refusal.case))
        return _autosave_response(request, form, trouble=str(refusal))

    return with_draft_status(process_form(form, save, page))


def _autosave_response(request: SignedInRequest, form: DraftForm, **outcome: Any) -> HttpResponse:
    return render(request, "cases/_autosaved.html", _draft_context(request, form) | outcome)


@accepts_body(BodySize.TEMPLATE)
@get_or_post
def paste(request: SignedInRequest, pk: int) -> HttpResponse:
    """Read a whole template into the form of the draft, for the person to look through and save."""
    case = get_edited_case(request.user, pk)
    drafts.check_editable(case, by=request.user)
    form = PasteForm(posted(request))

    def fill_in() -> HttpResponse:
        differences = differences_from_request(case, form.pasted, case.draft_template)
        store_parse_notes(request, case, form.parsed, differences)
        read = drafts.complete_template(case, form.pasted)
        draft = DraftForm(case=case, template=read)
        return edit_page(request, draft, is_pasted=True, changes=compare_templates(case.draft_template, read))

    return process_form(form, fill_in, form_page(request, "cases/paste.html", {"form": form, "case": case}))


@get_or_post
def delete(request: SignedInRequest, pk: int) -> HttpResponse:
    """Delete a draft that was never submitted; the page asks for confirmation."""
    case = get_edited_case(request.user, pk)
    functions.check_deletable(case, by=request.user)
    if request.method != "POST":
        return render(request, "cases/delete.html", {"case": case})
    functions.delete_draft(case, by=request.user)
    return lead_to(request, f"The draft of case {pk} is deleted.", "cases:mine")


def _notes_key(case: Case) -> str:
    # The number is that of their shape: a session can hold notes that an earlier release stored.
    return f"notes-on-draft-{case.pk}-v3"


def store_parse_notes(
    request: SignedInRequest,
    case: Case,
    parsed: ParsedTemplate | None,
    differences: Iterable[tuple[str, str]],
) -> None:
    """Store the parser's notes, and the differences from the request, in the session until the draft is saved. Each unplaced
    line is stored with the number of times that the sections have it already.
    """
    differences = list(differences)
    if parsed is None or not (parsed.unplaced or parsed.remarks or parsed.changes or differences):
        return
    words = _words_of(parsed.template)
    request.session[_notes_key(case)] = {
        "unplaced": [
            [line.line, line.text, line.reason, _copies_of(line.text, words)]
            for line in parsed.unplaced_notes
        ],
        "differences": differences,
        "pasted": {section: getattr(parsed.template, section) for section, _ in differences if section},
        "left_out": parsed.left_out,
        "changes": [change.message for change in parsed.changes],
        "remarks": [[remark.line, remark.message] for remark in parsed.remarks[:MAX_NOTES]],
    }


def _current_notes(request: SignedInRequest, form: DraftForm) -> dict[str, Any] | None:
    """The notes that still apply to the text of the form: without those on a section that was corrected since, and without
    lines that were copied into a section.
    """
    notes = request.session.get(_notes_key(form.case))
    if notes is None:
        return None
    text = form.text
    words = _words_of(text)
    current = {
        "differences": [
            sentence
            for section, sentence in notes["differences"]
            if not section or getattr(text, section) == notes["pasted"][section]
        ],
        "unplaced": [note for *note, copies in notes["unplaced"] if _copies_of(note[1], words) <= copies],
    }
    shown = notes | current
    kinds = ("differences", "unplaced", "left_out", "changes", "remarks")
    return shown if any(shown[key] for key in kinds) else None


def _words_of(template: RegistrationTemplate) -> str:
    """The text sections, one a line, with one space between words."""
    return "\n".join(" ".join(str(getattr(template, key)).split()) for key in TEXT_SECTIONS)


def _copies_of(note: str, words: str) -> int:
    """How often a line is in the sections, however it is wrapped. Of a shortened line, its beginning is looked for."""
    return words.count(" ".join(note.removesuffix("…").split()))


def _clear_parse_notes(request: SignedInRequest, case: Case) -> None:
    request.session.pop(_notes_key(case), None)


@require_safe
def preview(request: SignedInRequest, pk: int) -> HttpResponse:
    """The saved draft as the text that would be posted, to be looked through and downloaded."""
    case = get_edited_case(request.user, pk)
    text = format_template(drafts.complete_template(case, case.draft_template))
    return render(request, "cases/preview.html", {"case": case, "text": text})


@require_safe
def draft_text(request: SignedInRequest, pk: int) -> HttpResponse:
    """The draft as the plain text that would be posted; for its editors."""
    case = get_edited_case(request.user, pk)
    return plain_text(format_template(drafts.complete_template(case, case.draft_template)))


class RestoreForm(forms.Form):
    """The confirmation, with the stamp of the draft that is replaced."""

    stamp = forms.IntegerField(widget=forms.HiddenInput)


@require_safe
def history(request: SignedInRequest, pk: int) -> HttpResponse:
    """The versions of a draft, newest first; for its editors."""
    case = get_edited_case(request.user, pk)
    versions = case.draft_versions.defer("draft", "profile").select_related("editor")
    return render(
        request, "cases/history.html", {"case": case, "versions": versions, "longest": MAX_VERSIONS}
    )


@get_or_post
def version(request: SignedInRequest, pk: int, number: int) -> HttpResponse:
    """One version: its changes, and how the draft would change if it were restored. A POST restores it."""
    case = get_edited_case(request.user, pk)
    shown = case.draft_versions.select_related("editor").filter(number=number).first()
    if shown is None:
        raise NotPermitted(f"The history of case {case.pk} has no text {number}, or no longer has it.")
    form = RestoreForm(posted(request), initial={"stamp": case.draft_stamp})

    def restore() -> HttpResponse:
        restore_version(shown, by=request.user, stamp=form.cleaned_data["stamp"])
        restored = f"Text {number} is restored. The text that it replaced is in the history."
        return lead_to(request, restored, "cases:edit", case.pk)

    def page(refusal: RegistryError | None = None) -> HttpResponse:
        texts = (shown.template, shown.proposed_profile)
        saved = (case.draft_template, case.proposed_profile)
        context = {
            "case": case,
            "version": shown,
            "form": RestoreForm(initial={"stamp": case.draft_stamp}),
            "refusal": refusal,
            "is_editable": case.state in EDITABLE_STATES,
            "changes": compare_texts(_texts_before(shown), texts),
            "is_saved": saved == texts,
            "restoring": compare_texts(saved, texts),
        }
        return render(request, "cases/draft_version.html", context)

    return process_form(form, restore, page)


def _texts_before(shown: DraftVersion) -> tuple[RegistrationTemplate, ProposedProfile]:
    earlier = DraftVersion.objects.filter(case=shown.case_id, number__lt=shown.number).first()
    if earlier is None:
        return RegistrationTemplate(), ProposedProfile()
    return earlier.template, earlier.proposed_profile
