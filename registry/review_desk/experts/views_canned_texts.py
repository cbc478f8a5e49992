"""/desk/texts/: canned texts for reviews."""

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from registry.accounts.middleware import SignedInRequest
from registry.cases import canned_texts as canned
from registry.cases.models import CannedText
from registry.core.form_views import FormInvalid, form_page, get_or_post, posted, process_form
from registry.core.http.request_limits import accepts_body
from registry.core.validators import MAX_TEXT_LENGTH, MAX_TITLE_LENGTH, BodySize


class CannedTextForm(forms.Form):
    title = forms.CharField(
        label="Title", max_length=MAX_TITLE_LENGTH, help_text="The name shown in the list."
    )
    text = forms.CharField(
        label="Text",
        max_length=MAX_TEXT_LENGTH,
        widget=forms.Textarea({"rows": 8}),
        help_text="Reviewers add a line about the case.",
    )


@require_safe
def canned_texts(request: SignedInRequest) -> HttpResponse:
    canned.check_writes(request.user)
    texts = CannedText.objects.select_related("changed_by")
    return render(request, "review_desk/experts/canned_texts.html", {"texts": texts})


@accepts_body(BodySize.TEXTS)
@get_or_post
def canned_text(request: SignedInRequest, pk: int | None = None) -> HttpResponse:
    """A form for a new text, or for the one with this key."""
    canned.check_writes(request.user)
    text = get_object_or_404(CannedText, pk=pk) if pk is not None else None
    initial = {"title": text.title, "text": text.text} if text else None
    form = CannedTextForm(posted(request), initial=initial)

    def keep() -> HttpResponse:
        try:
            saved = canned.keep(by=request.user, canned=text, **form.cleaned_data)
        except canned.TitleTaken as refusal:
            form.add_error("title", str(refusal))
            raise FormInvalid(form) from refusal
        messages.success(request, f"“{saved.title}” was saved.")
        return redirect("review_desk:canned_texts")

    page = form_page(request, "review_desk/experts/canned_text.html", {"form": form, "text": text})
    return process_form(form, keep, page)


@require_POST
def remove_canned_text(request: SignedInRequest, pk: int) -> HttpResponse:
    canned.check_writes(request.user)
    text = get_object_or_404(CannedText, pk=pk)
    canned.remove(text, by=request.user)
    messages.success(request, f"“{text.title}” was removed.")
    return redirect("review_desk:canned_texts")
