"""/desk/away/ and /desk/texts/: when one is out of office, and the texts that experts begin with."""

from http import HTTPStatus

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from registry.accounts.middleware import SignedInRequest
from registry.cases.discussion import canned_texts as canned
from registry.cases.models import CannedText
from registry.cases.views.detail import get_or_post
from registry.core.exceptions import RegistryError
from registry.review_desk.experts import actions
from registry.review_desk.experts.forms import AbsenceForm, CannedTextForm
from registry.review_desk.models import Absence
from registry.review_desk.views import check_has_role


@get_or_post
def absences(request: SignedInRequest) -> HttpResponse:
    """One's own absences, those of the others, and a form for one more."""
    check_has_role(request.user)
    form = AbsenceForm(request.POST or None)
    status = HTTPStatus.OK
    if request.method == "POST":
        status = HTTPStatus.UNPROCESSABLE_ENTITY
        if form.is_valid():
            try:
                actions.add_absence(by=request.user, **form.cleaned_data)
                messages.success(request, "The absence was added. Other experts see it next to your cases.")
                return redirect("review_desk:absences")
            except RegistryError as refusal:
                form.add_error(None, str(refusal))
    upcoming = Absence.objects.from_day(timezone.now().date()).select_related("person")
    context = {
        "form": form,
        "own": upcoming.filter(person=request.user),
        "others": upcoming.exclude(person=request.user)[:100],
    }
    return render(request, "review_desk/experts/absences.html", context, status=status)


@require_POST
def end_absence(request: SignedInRequest, pk: int) -> HttpResponse:
    check_has_role(request.user)
    actions.remove_absence(get_object_or_404(Absence, pk=pk), by=request.user)
    messages.success(request, "The absence was removed.")
    return redirect("review_desk:absences")


@require_safe
def canned_texts(request: SignedInRequest) -> HttpResponse:
    canned.check_writes(request.user)
    texts = CannedText.objects.select_related("changed_by")
    return render(request, "review_desk/experts/canned_texts.html", {"texts": texts})


@get_or_post
def canned_text(request: SignedInRequest, pk: int | None = None) -> HttpResponse:
    """Make one, or change the one of this key."""
    canned.check_writes(request.user)
    text = get_object_or_404(CannedText, pk=pk) if pk is not None else None
    initial = {"title": text.title, "text": text.text} if text else None
    form = CannedTextForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            kept = canned.keep(by=request.user, canned=text, **form.cleaned_data)
            messages.success(request, f"“{kept.title}” was saved.")
            return redirect("review_desk:canned_texts")
        except RegistryError as refusal:
            form.add_error(None, str(refusal))
    status = HTTPStatus.UNPROCESSABLE_ENTITY if request.method == "POST" else HTTPStatus.OK
    return render(
        request, "review_desk/experts/canned_text.html", {"form": form, "text": text}, status=status
    )


@require_POST
def remove_canned_text(request: SignedInRequest, pk: int) -> HttpResponse:
    canned.check_writes(request.user)
    text = get_object_or_404(CannedText, pk=pk)
    canned.remove(text, by=request.user)
    messages.success(request, f"“{text.title}” was removed.")
    return redirect("review_desk:canned_texts")
