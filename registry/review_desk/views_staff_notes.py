"""/desk/cases/…/notes/: the internal notes on a case, for people with a role and no conflict of interest."""

from django.http import HttpResponse
from django.urls import reverse

from registry.accounts.middleware import SignedInRequest
from registry.actions.forms import ActionForm
from registry.actions.pages import process
from registry.cases.queries import get_visible_case
from registry.core.form_views import form_page, get_or_post, posted
from registry.core.http.request_limits import accepts_body
from registry.review_desk.models import StaffNote
from registry.review_desk.staff_notes import ADD_NOTE


@accepts_body(ADD_NOTE.body_size)
@get_or_post
def staff_notes(request: SignedInRequest, pk: int) -> HttpResponse:
    """GET shows the notes, oldest first; POST adds one."""
    case = get_visible_case(request.user, pk)
    ADD_NOTE.check_permission(request.user, case)
    form = ActionForm(posted(request), action=ADD_NOTE, subject=case, by=request.user)
    notes = StaffNote.objects.filter(case=case).select_related("author")
    context = {"case": case, "staff_notes": notes, "form": form}
    page = form_page(request, "review_desk/staff_notes.html", context)
    return process(request, form, page, to=lambda _: reverse("review_desk:staff_notes", args=[pk]))
