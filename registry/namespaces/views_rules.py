"""Setting the rules of a namespace, and trying them on names before that."""

from http import HTTPStatus

from django.http import HttpResponse

from registry.accounts.middleware import SignedInRequest
from registry.namespaces.forms_rules import SetRulesForm
from registry.namespaces.lookup import registered
from registry.namespaces.views_changes import UNPROCESSABLE, change, change_page, get_or_post, posted


@get_or_post
def set_rules(request: SignedInRequest, nid: str) -> HttpResponse:
    form = SetRulesForm(posted(request), namespace=registered(nid.lower()))
    if "try" not in request.POST:
        return change(request, form)
    form.check_who(form.namespace, by=request.user)
    return change_page(request, form, status=HTTPStatus.OK if form.may_be_tried() else UNPROCESSABLE)
