"""Internal notes on cases, and their page, for people with a role and no interest in the case."""

from typing import Any

from django.urls import reverse

from registry.accounts.gravity import Gravity
from registry.accounts.middleware import SignedInRequest
from registry.actions.declarations import Action, ActionContext
from registry.actions.engine import performs
from registry.actions.forms import ActionForm
from registry.actions.pages import action_page
from registry.actions.parameters import Text
from registry.cases.models import Case
from registry.cases.permissions import has_any_role
from registry.cases.queries import get_visible_case
from registry.cases.workflow.subject import CASE
from registry.core.markdown import AS_IN_COMMENTS
from registry.core.validators import MAX_COMMENT_LENGTH, check_text
from registry.review_desk.models import StaffNote

# Who may add a note may read them all.
ADD_NOTE = Action[Case](
    name="add_note",
    button="Add the note",
    effect="Only people with a role and without an interest in the case can read these notes. They are not mailed, and not part of "
    "the public record.",
    success="Your note was added. Only people with a role and without an interest in the case can read it.",
    permission=has_any_role,
    not_permitted="You can't read the internal notes on case {subject.pk}.",
    gravity=Gravity.ORDINARY,
    parameters=(Text("text", "Note", AS_IN_COMMENTS, lines=4, max_length=MAX_COMMENT_LENGTH),),
    needs_confirmed_address=False,
    is_logged=False,
)


@performs(ADD_NOTE, CASE)
def add_note(context: ActionContext[Case], *, text: str) -> StaffNote:
    """Add an internal note. It is neither an event nor mailed."""
    text = check_text(text, "the note", longest=MAX_COMMENT_LENGTH)
    return StaffNote.objects.create(case=context.subject, author=context.actor, text=text)


def _show_notes(request: SignedInRequest, form: ActionForm) -> dict[str, Any]:
    return {"staff_notes": StaffNote.objects.filter(case=form.subject).select_related("author")}


# The notes, oldest first. POST adds one.
staff_notes = action_page(
    ADD_NOTE,
    get_visible_case,
    template="review_desk/staff_notes.html",
    show=_show_notes,
    to=lambda note: reverse("review_desk:staff_notes", args=[note.case_id]),
)
