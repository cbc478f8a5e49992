"""The view that sets the naming rules of a namespace, or tests them on names."""

from django.http import HttpResponse

from registry.accounts.middleware import SignedInRequest
from registry.accounts.recent_sign_in import FOR_DECISIONS, recent_sign_in_required
from registry.core.form_views import UNPROCESSABLE, get_or_post, posted
from registry.core.http.request_limits import accepts_body
from registry.core.text_limits import BodySize
from registry.namespaces.forms.rules import SetRulesForm
from registry.namespaces.queries import get_namespace
from registry.namespaces.views.changes import change, change_page


@accepts_body(BodySize.TEXTS)
@get_or_post
@recent_sign_in_required(FOR_DECISIONS)
def set_rules(request: SignedInRequest, nid: str) -> HttpResponse:
    form = SetRulesForm(posted(request), namespace=get_namespace(nid.lower()))
    if "try" not in request.POST:
        return change(request, form)
    form.check_who(form.namespace, by=request.user)
    page = change_page(request, form)
    return page() if form.may_be_tried() else page(status=UNPROCESSABLE)
