"""Setting the rules of a namespace, and trying them on names before that."""

from http import HTTPStatus

from django.http import HttpResponse

from registry.accounts.middleware import SignedInRequest
from registry.namespaces.forms.rules import SetRulesForm
from registry.namespaces.queries import get_namespace
from registry.namespaces.views.changes import UNPROCESSABLE, change, change_page, get_or_post, posted


@get_or_post
def set_rules(request: SignedInRequest, nid: str) -> HttpResponse:
    form = SetRulesForm(posted(request), namespace=get_namespace(nid.lower()))
    if "try" not in request.POST:
        return change(request, form)
    form.check_who(form.namespace, by=request.user)
    return change_page(request, form, status=HTTPStatus.OK if form.may_be_tried() else UNPROCESSABLE)
