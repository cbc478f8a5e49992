"""The history of a draft: its earlier texts, what changed, and restoring one of them."""

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from registry.accounts.middleware import SignedInRequest
from registry.cases.drafts.comparison import compare_texts
from registry.cases.drafts.drafts import restore_version
from registry.cases.drafts.history import MAX_VERSIONS
from registry.cases.models import EDITABLE_STATES, DraftVersion
from registry.cases.queries import get_edited_case
from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.form_views import get_or_post, posted, process_form
from registry.namespaces.proposals.proposed_profile import ProposedProfile
from registry.registration_template.template import RegistrationTemplate


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
        messages.success(request, f"Text {number} is restored. The text that it replaced is in the history.")
        return redirect("cases:edit", case.pk)

    def page(refusal: RegistryError | None = None) -> HttpResponse:
        texts = (shown.template, shown.proposed_profile)
        context = {
            "case": case,
            "version": shown,
            "form": RestoreForm(initial={"stamp": case.draft_stamp}),
            "refusal": refusal,
            "is_editable": case.state in EDITABLE_STATES,
            "changes": compare_texts(_texts_before(shown), texts),
            "restoring": compare_texts((case.draft_template, case.proposed_profile), texts),
        }
        return render(request, "cases/draft_version.html", context)

    return process_form(form, restore, page)


def _texts_before(shown: DraftVersion) -> tuple[RegistrationTemplate, ProposedProfile]:
    earlier = DraftVersion.objects.filter(case=shown.case_id, number__lt=shown.number).first()
    if earlier is None:
        return RegistrationTemplate(), ProposedProfile()
    return earlier.template, earlier.proposed_profile
