"""Internal notes on cases, shared by the people who have a role and no interest in them."""

from registry.accounts.gravity import Gravity
from registry.actions.declarations import Action, ActionContext
from registry.actions.engine import performs
from registry.actions.parameters import Text
from registry.cases.models import Case
from registry.cases.permissions import has_any_role
from registry.cases.workflow.subject import CASE
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
