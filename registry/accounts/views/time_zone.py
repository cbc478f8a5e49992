"""/accounts/time-zone/: the time zone in which dates and times are shown."""

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme

from registry.accounts.middleware import SignedInRequest
from registry.accounts.time_zones import available_zones
from registry.core.form_views import form_page, get_or_post, posted, process_form


class TimeZoneForm(forms.Form):
    time_zone = forms.ChoiceField(
        label="Time zone",
        help_text="Choose the nearest large city. E-mail and the API use UTC.",
        choices=lambda: [(name, name.replace("_", " ")) for name in available_zones()],
    )


@get_or_post
def time_zone(request: SignedInRequest) -> HttpResponse:
    """GET shows the choice; POST saves it and redirects to `next`."""
    came_from = request.POST.get("next") or request.GET.get("next", "")
    if not url_has_allowed_host_and_scheme(came_from, allowed_hosts={request.get_host()}):
        came_from = "/mine/"
    form = TimeZoneForm(posted(request), initial={"time_zone": request.user.time_zone})

    def keep() -> HttpResponse:
        request.user.time_zone = form.cleaned_data["time_zone"]
        request.user.save(update_fields=["time_zone"])
        messages.success(request, f"Your time zone is now {request.user.time_zone}.")
        return redirect(came_from)

    page = form_page(request, "accounts/time_zone.html", {"form": form, "came_from": came_from})
    return process_form(form, keep, page)
