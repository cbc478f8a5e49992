"""/desk/absences/: days on which people are out of office."""

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from registry.accounts.middleware import SignedInRequest
from registry.core.form_views import form_page, get_or_post, posted, process_form
from registry.review_desk.experts.absences import add_absence, remove_absence
from registry.review_desk.models import Absence
from registry.review_desk.permissions import check_has_role


class AbsenceForm(forms.Form):
    first_day = forms.DateField(label="First day", widget=forms.DateInput({"type": "date"}))
    last_day = forms.DateField(label="Last day", widget=forms.DateInput({"type": "date"}))


@get_or_post
def absences(request: SignedInRequest) -> HttpResponse:
    """The absences of the user and of others, and a form for a new one."""
    check_has_role(request.user)
    form = AbsenceForm(posted(request))

    def add() -> HttpResponse:
        add_absence(by=request.user, **form.cleaned_data)
        messages.success(request, "The absence was added. Other experts see it next to your cases.")
        return redirect("review_desk:absences")

    upcoming = Absence.objects.from_day(timezone.now().date()).select_related("person")
    context = {
        "form": form,
        "own": upcoming.filter(person=request.user),
        "others": upcoming.exclude(person=request.user)[:100],
    }
    return process_form(form, add, form_page(request, "review_desk/experts/absences.html", context))


@require_POST
def end_absence(request: SignedInRequest, pk: int) -> HttpResponse:
    check_has_role(request.user)
    remove_absence(get_object_or_404(Absence, pk=pk), by=request.user)
    messages.success(request, "The absence was removed.")
    return redirect("review_desk:absences")
