"""/desk/away/ and /desk/texts/: when one is out of office, and the texts that experts begin with."""

from http import HTTPStatus

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from registry.accounts.middleware import SignedInRequest
from registry.desk import actions
from registry.desk.forms import AwayForm, CannedTextForm
from registry.desk.models import Absence
from registry.desk.views import check_has_desk
from registry.errors import RegistryError
from registry.registrations import canned_texts as canned
from registry.registrations.models import CannedText
from registry.registrations.views import get_or_post


@get_or_post
def away(request: SignedInRequest) -> HttpResponse:
    """One's own absences, those of the others, and a form for one more."""
    check_has_desk(request.user)
    form = AwayForm(request.POST or None)
    status = HTTPStatus.OK
    if request.method == "POST":
        status = HTTPStatus.UNPROCESSABLE_ENTITY
        if form.is_valid():
            try:
                actions.be_away(by=request.user, **form.cleaned_data)
                messages.success(request, "It is noted. The others see it beside the cases that you hold.")
                return redirect("desk:away")
            except RegistryError as refusal:
                form.add_error(None, str(refusal))
    absences = Absence.objects.from_day(timezone.now().date()).select_related("person")
    context = {
        "form": form,
        "own": absences.filter(person=request.user),
        "others": absences.exclude(person=request.user)[:100],
    }
    return render(request, "desk/away.html", context, status=status)


@require_POST
def back(request: SignedInRequest, pk: int) -> HttpResponse:
    check_has_desk(request.user)
    actions.be_back(get_object_or_404(Absence, pk=pk), by=request.user)
    messages.success(request, "This absence is taken back.")
    return redirect("desk:away")


@require_safe
def canned_texts(request: SignedInRequest) -> HttpResponse:
    canned.check_writes(request.user)
    texts = CannedText.objects.select_related("changed_by")
    return render(request, "desk/canned_texts.html", {"texts": texts})


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
            messages.success(request, f"“{kept.title}” is kept.")
            return redirect("desk:canned_texts")
        except RegistryError as refusal:
            form.add_error(None, str(refusal))
    status = HTTPStatus.UNPROCESSABLE_ENTITY if request.method == "POST" else HTTPStatus.OK
    return render(request, "desk/canned_text.html", {"form": form, "text": text}, status=status)


@require_POST
def remove_canned_text(request: SignedInRequest, pk: int) -> HttpResponse:
    canned.check_writes(request.user)
    text = get_object_or_404(CannedText, pk=pk)
    canned.remove(text, by=request.user)
    messages.success(request, f"“{text.title}” is removed.")
    return redirect("desk:canned_texts")
