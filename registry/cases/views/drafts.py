"""Beginning a case, writing its draft, pasting into it, revising a namespace: the registrant's pages.

Whatever goes wrong, what was typed comes back in the form.
"""

from http import HTTPStatus
from typing import Any

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from registry.accounts.middleware import SignedInRequest
from registry.cases.competing_cases import competing_cases_of_draft
from registry.cases.drafts import drafts
from registry.cases.drafts.edit_conflicts import conflict_of, with_saved
from registry.cases.drafts.replies import PointsUnanswered
from registry.cases.forms.begin import BeginForm, PasteForm
from registry.cases.forms.drafts import DraftForm
from registry.cases.models import Case, known_bodies
from registry.cases.views.detail import UNPROCESSABLE, case_page, plain_text, visible_case
from registry.cases.workflow import transitions
from registry.cases.workflow.exceptions import AlreadySubmitted, SubmissionIncomplete
from registry.cases.workflow.table import transitions_allowed_for
from registry.core.exceptions import NotPermitted, RegistryError
from registry.namespaces.queries import get_namespace
from registry.namespaces.services.registration import next_informal_nid
from registry.registration_template.diff import compare_templates
from registry.registration_template.formatting import format_template
from registry.registration_template.parsing.parser import ParsedTemplate
from urnsyntax.nid import is_well_formed

# A template that can't be read at all would fill the page with its lines.
MAX_NOTES = 300
get_or_post = require_http_methods(["GET", "HEAD", "POST"])


def status_of(form: forms.Form) -> HTTPStatus:
    return UNPROCESSABLE if form.is_bound and not form.is_valid() else HTTPStatus.OK


@get_or_post
def begin(request: SignedInRequest) -> HttpResponse:
    """Choose what to ask for, and open a draft; a template that exists already can be pasted."""
    typed = request.POST if request.method == "POST" else None
    asked = request.GET.get("nid", "")
    form = BeginForm(typed, initial={"nid": asked if is_well_formed(asked) else ""})
    if form.is_bound and form.is_valid():
        case = form.begin(by=request.user)
        _keep_notes(request, case, form.parsed)
        messages.success(
            request, f"Draft created: case {case.pk}. It is visible to its editors only until you submit it."
        )
        return redirect("cases:edit", case.pk)
    context = {"form": form, "bodies": known_bodies(), "next_informal": next_informal_nid()}
    return render(request, "cases/begin.html", context, status=status_of(form))


@get_or_post
def edit(request: SignedInRequest, pk: int) -> HttpResponse:
    """The sections of the template as one form: save, save and check, or save and submit."""
    case = visible_case(request, pk)
    posted = _stamped(request.POST) if request.method == "POST" else None
    form = DraftForm(posted, case=case, initial={"checked": "check" in request.GET})
    try:
        drafts.check_editable(case, by=request.user)
    except drafts.DraftClosed as refusal:
        return case_page(request, case, status=refusal.status, refusal=refusal, recovered_texts=form.typed())
    if posted is None:
        return edit_page(request, form)
    return _take(request, form) if "take" in posted else _save(request, form)


def _stamped(posted: QueryDict) -> QueryDict:
    """What was posted; whoever saves over what they were shown names the stamp of that."""
    if "over" in posted:
        posted = posted.copy()
        posted["stamp"] = str(posted["over"])
    return posted


def _save(request: SignedInRequest, form: DraftForm) -> HttpResponse:
    if not form.is_valid():
        return edit_page(request, form, status=UNPROCESSABLE)
    try:
        if "submit" in request.POST:
            return _save_and_submit(request, form)
        case = form.save(by=request.user)
        _forget_notes(request, case)
    except AlreadySubmitted as refusal:
        messages.info(request, str(refusal))
        return redirect(form.case)
    except drafts.StaleDraft as refusal:
        return _compared(request, form, refusal.case, status=refusal.status, refusal=refusal)
    except (SubmissionIncomplete, PointsUnanswered) as refusal:
        return edit_page(request, form, status=refusal.status, refusal=refusal, is_checked=True)
    except NotPermitted:
        raise
    except RegistryError as refusal:
        return edit_page(request, form, status=refusal.status, refusal=refusal)
    if "preview" in request.POST:
        return redirect("cases:preview", case.pk)
    messages.success(request, "Draft saved.")
    address = redirect("cases:edit", case.pk)["Location"]
    return redirect(f"{address}?check=1" if "check" in request.POST else address)


def _save_and_submit(request: SignedInRequest, form: DraftForm) -> HttpResponse:
    """In one transaction, so that a second click finds the round; the draft is kept whatever is refused."""
    refused: RegistryError | None = None
    try:
        with transaction.atomic():
            case = form.save(by=request.user)
            _forget_notes(request, case)
            try:
                submitted = transitions.submit(case, by=request.user, draft_stamp=case.draft_stamp)
            except RegistryError as refusal:
                refused = refusal
    except drafts.StaleDraft as refusal:
        transitions.check_not_submitted(refusal.case, form.template, by=request.user)
        raise
    if refused:
        raise refused
    messages.success(request, "Submitted. The text was posted to the discussion list.")
    return redirect(submitted)


def _take(request: SignedInRequest, form: DraftForm) -> HttpResponse:
    """Put what is saved of one section into the form, and show what else differs; nothing is saved."""
    taken = DraftForm(with_saved(request.POST, form, str(request.POST["take"])), case=form.case)
    if not taken.is_valid():
        return edit_page(request, taken, status=UNPROCESSABLE)
    return _compared(request, taken, form.case)


def _compared(request: SignedInRequest, form: DraftForm, saved: Case, **more: Any) -> HttpResponse:
    """What was typed, and how it differs from what is saved; it can be saved over that."""
    form.take_stamp(saved)
    return edit_page(request, form, conflict=conflict_of(form, saved), **more)


def edit_page(
    request: SignedInRequest,
    form: DraftForm,
    *,
    status: HTTPStatus = HTTPStatus.OK,
    is_checked: bool = False,
    **more: Any,
) -> HttpResponse:
    context = draft_context(request, form, is_checked=is_checked) | {
        "notes": request.session.get(_notes_key(form.case)),
        "may_submit": any(
            transition.name == "submit" for transition in transitions_allowed_for(request.user, form.case)
        ),
        # What nobody has looked through yet is saved by a person, not by itself.
        "saves_itself": not more.keys() & {"conflict", "is_pasted"},
    }
    return render(request, "cases/edit.html", context | more, status=status)


def draft_context(request: SignedInRequest, form: DraftForm, *, is_checked: bool = False) -> dict[str, Any]:
    """What is said of a draft beside its fields, on the page and whenever it has saved itself."""
    form.look_over(is_checked=is_checked)
    return {"form": form, "case": form.case, "competing_cases": competing_cases_of_draft(form.case)}


@require_POST
def autosave(request: SignedInRequest, pk: int) -> HttpResponse:
    """Keep what is typed as the page sends it by itself, and answer with what has changed beside the fields.

    The fields are not in the answer, so nothing that is being typed is ever replaced.
    """
    case = visible_case(request, pk)
    form = DraftForm(request.POST, case=case)
    outcome: dict[str, Any] = {"status": HTTPStatus.OK}
    if not form.is_valid():
        outcome = {"status": UNPROCESSABLE, "trouble": "something marked below can't be kept as it is"}
    else:
        outcome |= _kept_by_itself(request, form)
    context = draft_context(request, form) | outcome
    answer = render(request, "cases/_autosaved.html", context, status=outcome["status"])
    answer["Draft-Answer"] = "saved" if outcome.get("is_saved") else "not saved"
    return answer


def _kept_by_itself(request: SignedInRequest, form: DraftForm) -> dict[str, Any]:
    """What to say of the saving. After a conflict the page keeps its old stamp, until the person has chosen."""
    try:
        form.save(by=request.user)
    except drafts.StaleDraft as refusal:
        return {"status": refusal.status, "conflict": conflict_of(form, refusal.case)}
    except NotPermitted:
        raise
    except RegistryError as refusal:
        return {"status": refusal.status, "trouble": str(refusal)}
    return {"is_saved": True}


@get_or_post
def paste(request: SignedInRequest, pk: int) -> HttpResponse:
    """Read a whole template into the form of the draft, for the person to look through and save."""
    case = visible_case(request, pk)
    drafts.check_editable(case, by=request.user)
    form = PasteForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid() and form.parsed:
        _keep_notes(request, case, form.parsed)
        read = drafts.in_case(case, form.parsed.template)
        draft = DraftForm(case=case, template=read)
        return edit_page(request, draft, is_pasted=True, changes=compare_templates(case.draft_template, read))
    return render(request, "cases/paste.html", {"form": form, "case": case}, status=status_of(form))


def _notes_key(case: Case) -> str:
    return f"notes-on-draft-{case.pk}"


def _keep_notes(request: SignedInRequest, case: Case, parsed: ParsedTemplate | None) -> None:
    """What could not be placed, and how lines were read: shown beside the draft until it is saved."""
    if parsed is None or not (parsed.unplaced or parsed.remarks):
        return
    request.session[_notes_key(case)] = {
        "unplaced": [[line.line, line.text, line.reason] for line in parsed.unplaced[:MAX_NOTES]],
        "left_out": max(0, len(parsed.unplaced) - MAX_NOTES),
        "remarks": [[remark.line, remark.message] for remark in parsed.remarks[:MAX_NOTES]],
    }


def _forget_notes(request: SignedInRequest, case: Case) -> None:
    request.session.pop(_notes_key(case), None)


@require_safe
def preview(request: SignedInRequest, pk: int) -> HttpResponse:
    """The saved draft as the text that would be posted, to be looked through and downloaded."""
    case = visible_case(request, pk)
    drafts.check_editor(case, by=request.user)
    text = format_template(drafts.in_case(case, case.draft_template))
    return render(request, "cases/preview.html", {"case": case, "text": text})


@require_safe
def draft_text(request: SignedInRequest, pk: int) -> HttpResponse:
    """The draft as the plain text that would be posted; for its editors."""
    case = visible_case(request, pk)
    drafts.check_editor(case, by=request.user)
    return plain_text(format_template(drafts.in_case(case, case.draft_template)))


@get_or_post
def revise(request: SignedInRequest, nid: str) -> HttpResponse:
    """Begin a revision of one's own namespace, from its current text."""
    namespace = get_namespace(nid.lower())
    drafts.check_is_registrant(namespace, by=request.user)
    if request.method == "POST":
        case = drafts.begin_revision(namespace, by=request.user)
        messages.success(request, f"Draft created: version {case.next_version} of {namespace.nid}.")
        return redirect("cases:edit", case.pk)
    begun = namespace.cases.open().edited_by(request.user).filter(is_revision=True)
    return render(request, "cases/revise.html", {"namespace": namespace, "begun": begun})
