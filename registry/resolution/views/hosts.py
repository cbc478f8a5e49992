"""The pages on which administrators confirm and withdraw hosts."""

from django.http import HttpResponse

from registry.accounts.middleware import SignedInRequest
from registry.accounts.recent_sign_in import recent_sign_in_for
from registry.core.form_views import get_or_post, posted
from registry.namespaces.queries import get_namespace
from registry.namespaces.views.changes import change
from registry.resolution.forms import ConfirmHostForm, WithdrawHostForm
from registry.resolution.services.hosts import confirm_host, withdraw_host


@get_or_post
@recent_sign_in_for(confirm_host)
def confirm(request: SignedInRequest, nid: str, host: str) -> HttpResponse:
    namespace = get_namespace(nid.lower())
    return change(request, ConfirmHostForm(posted(request), namespace=namespace, host=host))


@get_or_post
@recent_sign_in_for(withdraw_host)
def withdraw(request: SignedInRequest, nid: str, host: str) -> HttpResponse:
    namespace = get_namespace(nid.lower())
    return change(request, WithdrawHostForm(posted(request), namespace=namespace, host=host))
