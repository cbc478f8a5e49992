"""The first page of a case: a new namespace, or a revision of a registered one."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render

from registry.accounts.middleware import SignedInRequest
from registry.cases.drafts import drafts
from registry.cases.drafts.pasted import differences_from_request
from registry.cases.forms.begin import NewCaseForm
from registry.cases.models import Procedure, known_bodies
from registry.cases.views.drafts import store_parse_notes
from registry.core.form_views import form_page, get_or_post, posted, process_form
from registry.core.http.request_limits import accepts_body
from registry.core.text_limits import BodySize
from registry.namespaces.models import Kind
from registry.namespaces.queries import get_namespace
from registry.namespaces.services.registration import next_informal_nid
from urnsyntax.nid import is_well_formed


@accepts_body(BodySize.TEMPLATE)
@get_or_post
def begin(request: SignedInRequest) -> HttpResponse:
    """Choose the kind and the procedure, and create a draft. A completed template can be pasted."""
    form = NewCaseForm(posted(request), initial=_chosen(request), by=request.user)

    def create() -> HttpResponse:
        case = form.create(by=request.user)
        differences = differences_from_request(case, form.pasted, form.requested)
        store_parse_notes(request, case, form.parsed, differences)
        messages.success(
            request, f"Draft created: case {case.pk}. It is visible to its editors only until you submit it."
        )
        return redirect("cases:edit", case.pk)

    context = {"form": form, "bodies": known_bodies(), "next_informal": next_informal_nid()}
    return process_form(form, create, form_page(request, "cases/begin.html", context))


def _chosen(request: SignedInRequest) -> dict[str, str]:
    """What the guide or the NID check chose, from the query. Values that the form does not offer are left out."""
    nid = request.GET.get("nid", "")
    chosen = {"nid": nid if is_well_formed(nid) else ""}
    for name, offered in {"kind": Kind.values, "procedure": Procedure.values}.items():
        if (value := request.GET.get(name, "")) in offered:
            chosen[name] = value
    return chosen


@get_or_post
def revise(request: SignedInRequest, nid: str) -> HttpResponse:
    """Start a revision of a namespace of the user, with its current text."""
    namespace = get_namespace(nid.lower())
    drafts.check_may_revise(namespace, by=request.user)
    if request.method == "POST":
        case = drafts.start_revision(namespace, by=request.user)
        messages.success(request, f"Draft created: version {case.next_version} of {namespace.nid}.")
        return redirect("cases:edit", case.pk)
    begun = namespace.cases.open().edited_by(request.user).filter(is_revision=True)
    return render(request, "cases/revise.html", {"namespace": namespace, "begun": begun})
