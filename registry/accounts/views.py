"""The pages of an account: what people set and see, their addresses, mail and time zone.

The link that confirms an address proves only that someone can read the mailbox. If that were enough, a person who follows a link in an
unexpected mail would confirm an account whose password a stranger knows.
"""

from typing import Any
from urllib.parse import urlsplit

from allauth.account import views
from allauth.account.models import EmailAddress, get_emailconfirmation_model
from allauth.account.stages import EmailVerificationStage, LoginStageController
from allauth.core import ratelimit
from allauth.usersessions.views import ListUserSessionsView
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_not_required
from django.core.signing import BadSignature, Signer
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render, resolve_url
from django.urls import reverse, reverse_lazy
from django.utils.decorators import method_decorator
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from registry.accounts.adapter import cached_onward, with_next
from registry.accounts.closing import close_own_account
from registry.accounts.daily_mail import MORNING
from registry.accounts.erasure import left_to_do
from registry.accounts.export import data_about
from registry.accounts.forms import CloseAccountForm, EndSessionsForm, NameForm, NotificationsForm
from registry.accounts.middleware import SignedInRequest
from registry.accounts.models import Token
from registry.accounts.recent_sign_in import ACCOUNT_CHANGES, recent_sign_in_required
from registry.accounts.sessions import sessions_of
from registry.accounts.time_zones import available_zones
from registry.core.exceptions import NotPermitted
from registry.core.form_views import form_page, get_or_post, lead_to, posted, process_form, showing_errors
from registry.mail import outbox
from registry.mail.bounces import bounces_at, clear_bounce
from registry.mail.kinds import ALWAYS_SENT
from registry.mail.models import BouncedAddress


@require_safe
def overview(request: SignedInRequest) -> HttpResponse:
    addresses = list(EmailAddress.objects.filter(user=request.user).order_by("-primary", "email"))
    bounces = bounces_at(each.email for each in addresses)
    context = {
        "addresses": [(each, bounces.get(each.email.lower())) for each in addresses],
        "sessions": sessions_of(request.user, request.session.session_key),
        "tokens": Token.objects.filter(owner=request.user, revoked_at=None).count(),
    }
    return render(request, "accounts/overview.html", context)


@get_or_post
def name(request: SignedInRequest) -> HttpResponse:
    """Change the name that others see."""
    form = NameForm(posted(request), instance=request.user)

    def keep() -> HttpResponse:
        form.save()
        return lead_to(request, f"Others now see the name “{request.user}”.", "account:overview")

    return process_form(form, keep, form_page(request, "accounts/name.html", {"form": form}))


@method_decorator([get_or_post, showing_errors], name="dispatch")
class SessionsView(ListUserSessionsView):  # type: ignore[misc]  # django-allauth has no types
    """The sessions of the user; ends one, or all but the current one."""

    form_class = EndSessionsForm
    success_url = reverse_lazy("account:sessions")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**kwargs)
        context["sessions"] = sessions_of(self.request.user, self.request.session.session_key)
        return context


sessions = SessionsView.as_view()


@require_safe
@recent_sign_in_required(ACCOUNT_CHANGES)
@never_cache
def data(request: SignedInRequest) -> HttpResponse:
    """What the registry holds about the user, as a file."""
    response = JsonResponse(data_about(request.user), json_dumps_params={"indent": 2, "ensure_ascii": False})
    response["Content-Disposition"] = 'attachment; filename="account-data.json"'
    return response


@get_or_post
@recent_sign_in_required(ACCOUNT_CHANGES)
def close(request: SignedInRequest) -> HttpResponse:
    """Close the account, after a confirmation."""
    form = CloseAccountForm(posted(request))

    def end() -> HttpResponse:
        close_own_account(request.user)
        logout(request)
        messages.success(request, "Your account is closed.")
        return redirect("home")

    context = {"form": form, "left": left_to_do(request.user)}
    return process_form(form, end, form_page(request, "accounts/close.html", context))


@method_decorator(login_not_required, name="dispatch")
class ConfirmEmailView(views.ConfirmEmailView):  # type: ignore[misc]  # django-allauth has no types
    """Confirms an address in the session that signed up, or after signing in with the password."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        confirmation = get_emailconfirmation_model().from_key(kwargs["key"])
        if confirmation is None or _belongs_to(confirmation.email_address.user_id, request):
            response: HttpResponse = super().dispatch(request, *args, **kwargs)
            return response
        if request.user.is_authenticated:
            return render(request, "account/email_confirm_elsewhere.html", {"link": request.path})
        messages.info(request, "Sign in to confirm your address.")
        return redirect(with_next(resolve_url(settings.LOGIN_URL), request.path))

    def get_next_url(self) -> str | None:
        """Return the page that the person wanted, through the sign-in page, which redirects people who are signed in."""
        onward = cached_onward(self.object.email_address.pk)
        return with_next(resolve_url(settings.LOGIN_URL), onward) if onward else None

    def post(self, *args: Any, **kwargs: Any) -> HttpResponse:
        """Confirm the address. A person who signed in on the way would return to this link, which is now used."""
        response: HttpResponse = super().post(*args, **kwargs)
        leads_here = urlsplit(response.get("Location", "")).path == self.request.path
        return redirect(self.get_redirect_url()) if leads_here else response


def _belongs_to(account: int, request: HttpRequest) -> bool:
    """Whether the session is signed in to the account, or gave its password and waits for the confirmation."""
    if request.user.is_authenticated:
        return request.user.pk == account
    stage = LoginStageController.enter(request, EmailVerificationStage.key)
    return bool(stage and stage.login.user and stage.login.user.pk == account)


SALT = "registry.accounts.bounced_addresses"


@require_POST
def check_address(request: SignedInRequest, pk: int) -> HttpResponse:
    """Mail a link to a confirmed address of the user at which mail came back."""
    address = get_object_or_404(EmailAddress, pk=pk, user=request.user, verified=True)
    bounce = bounces_at([address.email]).get(address.email.lower())
    if bounce is None:
        messages.info(request, f"No mail to {address.email} came back since it was confirmed.")
    elif not ratelimit.consume(request, action="confirm_email", key=bounce.address):
        messages.error(request, "A link was mailed less than 3 minutes ago. Try again in 3 minutes.")
    else:
        path = reverse("account:confirm_bounced_address", args=[token_for(bounce)])
        outbox.post("check_address", to=[address.email], context={"path": path, "bounce": bounce})
        messages.success(request, f"A link was mailed to {address.email}. Open it to confirm the address.")
    return redirect("account:overview")


@login_not_required
@get_or_post
@never_cache
def confirm_by_link(request: HttpRequest, token: str) -> HttpResponse:
    """The page of the mailed link. Only its button confirms the address."""
    try:
        key, bounced_at = Signer(salt=SALT).unsign_object(token)
    except BadSignature as fault:
        raise NotPermitted("This is not a link that the registry mailed.") from fault
    bounce = BouncedAddress.objects.filter(pk=key).first()
    if bounce is None or bounce.bounced_at.timestamp() != bounced_at:
        raise NotPermitted("This link is no longer valid: the address was confirmed, or mail bounced again.")
    if request.method != "POST":
        return render(request, "accounts/confirm_bounced_address.html", {"bounce": bounce})
    clear_bounce(bounce.address)
    return lead_to(request, f"{bounce.address} is confirmed.", "home")


def token_for(bounce: BouncedAddress) -> str:
    """The link names no address, which must not be in logs, and confirms nothing if mail comes back again."""
    return Signer(salt=SALT).sign_object([bounce.pk, bounce.bounced_at.timestamp()])


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
        return lead_to(request, f"Your time zone is now {request.user.time_zone}.", came_from)

    page = form_page(request, "accounts/time_zone.html", {"form": form, "came_from": came_from})
    return process_form(form, keep, page)


@get_or_post
def notifications(request: SignedInRequest) -> HttpResponse:
    """Choose each kind of mail: at once, once a day, or not at all."""
    form = NotificationsForm(posted(request), person=request.user)

    def keep() -> HttpResponse:
        form.save()
        return lead_to(request, "Your choice is saved.", "account:notifications")

    context = {"form": form, "always_sent": ALWAYS_SENT, "morning": MORNING}
    return process_form(form, keep, form_page(request, "accounts/notifications.html", context))
