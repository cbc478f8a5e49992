"""/desk/cases/…/notes/: the internal notes on a case, for people with a role and no conflict of interest."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render

from registry.accounts.middleware import SignedInRequest
from registry.cases.queries import get_visible_case
from registry.core.exceptions import RegistryError
from registry.core.form_views import get_or_post, take_action
from registry.core.http.request_limits import accepts_body
from registry.core.validators import BodySize
from registry.review_desk.models import StaffNote
from registry.review_desk.staff_notes import add_note, check_may_read


@accepts_body(BodySize.TEXTS)
@get_or_post
def staff_notes(request: SignedInRequest, pk: int) -> HttpResponse:
    """GET shows the notes, oldest first; POST adds one."""
    case = get_visible_case(request.user, pk)
    check_may_read(request.user, case)
    text = request.POST.get("text", "")

    def page(refusal: RegistryError | None = None) -> HttpResponse:
        notes = StaffNote.objects.filter(case=case).select_related("author")
        context = {"case": case, "staff_notes": notes, "refusal": refusal, "text": text}
        return render(request, "review_desk/staff_notes.html", context)

    def add() -> HttpResponse:
        add_note(case, by=request.user, text=text)
        messages.success(
            request,
            "Your note was added. Only people with a role and without an interest in the case can read it.",
        )
        return redirect("review_desk:staff_notes", pk)

    return take_action(add, page) if request.method == "POST" else page()
