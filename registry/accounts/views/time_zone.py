"""The page to choose a time zone: /accounts/time-zone/."""

from http import HTTPStatus

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme

from registry.accounts.middleware import SignedInRequest
from registry.accounts.time_zones import available_zones
from registry.accounts.views.roles import get_or_post


class TimeZoneForm(forms.Form):
    time_zone = forms.ChoiceField(
        label="Time zone",
        help_text="Choose the nearest large city. E-mail and the API use UTC.",
        choices=lambda: [(name, name.replace("_", " ")) for name in available_zones()],
    )


@get_or_post
def time_zone(request: SignedInRequest) -> HttpResponse:
    """Show the form on GET; on POST, save the zone and redirect to `next`."""
    came_from = request.POST.get("next") or request.GET.get("next", "")
    if not url_has_allowed_host_and_scheme(came_from, allowed_hosts={request.get_host()}):
        came_from = "/mine/"
    form = TimeZoneForm(request.POST or None, initial={"time_zone": request.user.time_zone})
    if request.method == "POST" and form.is_valid():
        request.user.time_zone = form.cleaned_data["time_zone"]
        request.user.save(update_fields=["time_zone"])
        messages.success(request, f"Your time zone is now {request.user.time_zone}.")
        return redirect(came_from)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    return render(request, "accounts/time_zone.html", {"form": form, "came_from": came_from}, status=status)
