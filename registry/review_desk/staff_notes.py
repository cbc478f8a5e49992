"""Internal notes on cases, and their page, for people with a role and no interest in the case."""

from django.http import HttpResponse
from django.urls import reverse

from registry.accounts.gravity import Gravity
from registry.accounts.middleware import SignedInRequest
from registry.actions.declarations import Action, ActionContext
from registry.actions.engine import performs
from registry.actions.forms import ActionForm
from registry.actions.pages import process
from registry.actions.parameters import Text
from registry.cases.models import Case
from registry.cases.permissions import has_any_role
from registry.cases.queries import get_visible_case
from registry.cases.workflow.subject import CASE
from registry.core.form_views import form_page, get_or_post, posted
from registry.core.http.request_limits import accepts_body
from registry.core.validators import MAX_COMMENT_LENGTH, check_text
from registry.review_desk.models import StaffNote

# Who may add a note may read them all.
ADD_NOTE = Action[Case](
    name="add_note",
    button="Add the note",
    effect="Only people with a role and without an interest in the case can read it.",
    success="Your note was added. Only people with a role and without an interest in the case can read it.",
    permission=has_any_role,
    not_permitted="You can't read the internal notes on case {subject.pk}.",
    gravity=Gravity.ORDINARY,
    parameters=(Text("text", "Note", lines=4, max_length=MAX_COMMENT_LENGTH),),
    needs_confirmed_address=False,
    is_logged=False,
)


@performs(ADD_NOTE, CASE)
def add_note(context: ActionContext[Case], *, text: str) -> StaffNote:
    """Add an internal note. It is neither an event nor mailed."""
    text = check_text(text, "the note", longest=MAX_COMMENT_LENGTH)
    return StaffNote.objects.create(case=context.subject, author=context.actor, text=text)


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
