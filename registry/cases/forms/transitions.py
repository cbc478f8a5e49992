"""One form for each move of `cases.workflow.table`, under the move's name: what the action must be told.

A cleaned form's fields are the action's arguments. Whether they suffice is the action's to say, so that the
same words are refused with the same sentence wherever they are sent.
"""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, cast

from django import forms
from django.forms.formsets import BaseFormSet, formset_factory
from django.http import QueryDict

from registry.accounts.forms.roles import AccountField
from registry.accounts.models import User
from registry.cases.forms.begin import SECTION_CHOICES, with_values
from registry.cases.models import Case, State
from registry.cases.workflow import actions, co_editors, transitions
from registry.core.validators import MAX_TEXT_LENGTH

MAX_ACTION_POINTS = 60
ROWS_AT_FIRST = 3


def prose(label: str, help_text: str = "", *, lines: int = 8) -> forms.CharField:
    widget = forms.Textarea({"rows": lines})
    return forms.CharField(
        label=label, help_text=help_text, widget=widget, max_length=MAX_TEXT_LENGTH, required=False
    )


def reference_field(label: str) -> forms.CharField:
    return forms.CharField(
        label=label,
        help_text="Where the decision can be read: minutes, a ballot, a message.",
        max_length=transitions.LONGEST_REFERENCE,
        required=False,
    )


def yes_or_no(label: str, *, yes: str, no: str) -> forms.TypedChoiceField:
    return forms.TypedChoiceField(
        label=label,
        choices=[("yes", yes), ("no", no)],
        coerce=lambda value: value == "yes",
        widget=forms.RadioSelect,
    )


class TransitionForm(forms.Form):
    """What one move asks for; `make` calls the action of its name."""

    name: ClassVar[str]
    effect: ClassVar[str]
    made: ClassVar[str]
    is_grave: ClassVar[bool] = False
    # Not a wish to move, but for more room to write.
    wants_more_rows = False

    def __init__(self, *args: Any, case: Case, **kwargs: Any) -> None:
        self.case = case
        kwargs["initial"] = self.stamps(case)
        super().__init__(*args, **kwargs)

    @staticmethod
    def stamps(case: Case) -> dict[str, int]:
        """The hidden fields that say what the person looked at."""
        latest = case.latest_round
        return {"draft_stamp": case.draft_stamp, "round_number": latest.number if latest else 0}

    def look_again(self, case: Case) -> None:
        """Keep what was typed, and take what `case` shows now as looked at."""
        self.case = case
        self.data = with_values(self.data, **self.stamps(case))

    def make(self, *, by: User) -> Case:
        moved: Case = getattr(transitions, self.name)(self.case, by=by, **self.cleaned_data)
        return moved

    def said_of(self, case: Case) -> str:
        """What the person is told when the move is made."""
        return self.made

    def typed(self) -> Iterator[tuple[str, str]]:
        """What the person wrote, by label: to be shown again when the form can't be."""
        for field in self.visible_fields():
            if isinstance(field.field, forms.CharField) and (text := field.value()):
                yield str(field.label), str(text)


class RoundTransitionForm(TransitionForm):
    """A move of an expert, on the round that was looked at."""

    round_number = forms.IntegerField(widget=forms.HiddenInput)

    def said_of(self, case: Case) -> str:
        if self.name in transitions.DECIDING and case.state == State.IN_REVIEW:
            return "Your answer is kept. It takes effect when a second expert gives the same."
        return self.made


class Submit(TransitionForm):
    name = "submit"
    effect = (
        "The text below becomes the next round: it can't be changed any more, everyone can read it, and it "
        "is posted to the discussion list. The case is public from its first round on."
    )
    made = "Submitted. The text was posted to the discussion list."

    draft_stamp = forms.IntegerField(widget=forms.HiddenInput)


class ActionPointRow(forms.Form):
    section = forms.ChoiceField(choices=[("", "Choose a section"), *SECTION_CHOICES], required=False)
    text = forms.CharField(
        widget=forms.Textarea({"rows": 3}),
        max_length=MAX_TEXT_LENGTH,
        required=False,
        label="What is to change",
    )


def _action_points(
    posted: Any, drafted: Sequence[dict[str, str]] | None = None
) -> "BaseFormSet[ActionPointRow]":
    blank = formset_factory(
        ActionPointRow,
        extra=ROWS_AT_FIRST,
        max_num=MAX_ACTION_POINTS,
        absolute_max=MAX_ACTION_POINTS * 2,
        validate_max=True,
    )
    too_many = f"These are too many action points: a review has at most {MAX_ACTION_POINTS}. Join some."
    lost = "The rows of the action points arrived without their number; send the form again from this page."
    return blank(
        posted,
        prefix="points",
        initial=drafted,
        error_messages={"too_many_forms": too_many, "missing_management_form": lost},
    )


class RequestChanges(RoundTransitionForm):
    name = "request_changes"
    effect = "The case goes back to the registrant, who answers each action point and submits the next round."
    made = "Changes are requested. The registrant was told."

    rationale = prose("In general", "What you think of the round as a whole. It may stay empty.", lines=5)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        posted = self.data if self.is_bound else None
        self.wants_more_rows = "more" in self.data
        if posted is not None and self.wants_more_rows:
            posted = _with_more_rows(posted)
        self.action_points = _action_points(posted)

    def begin_with(self, points: Sequence[dict[str, str]]) -> None:
        """Offer points that were drafted elsewhere, to be edited."""
        self.action_points = _action_points(None, points[:MAX_ACTION_POINTS])

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.action_points.is_valid():
            raise forms.ValidationError("Look at the action points again: they can't be kept as they are.")
        cleaned["action_points"] = [
            (row["section"], row["text"]) for row in self.action_points.cleaned_data if any(row.values())
        ]
        return cleaned

    def typed(self) -> Iterator[tuple[str, str]]:
        yield from super().typed()
        for row in self.action_points:
            if text := row["text"].value():
                yield f"Action point ({row['section'].value() or 'no section'})", text


def _with_more_rows(posted: Any) -> QueryDict:
    asked = posted.get("points-TOTAL_FORMS", "")
    rows = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 4 else 0
    total = {"points-TOTAL_FORMS": min(rows + ROWS_AT_FIRST, MAX_ACTION_POINTS), "points-INITIAL_FORMS": 0}
    return with_values(posted, **total)


class Advise(RoundTransitionForm):
    name = "advise"
    effect = "On the fast track a review is advice: the requesting body decides what to take from it."
    made = "Your advice is kept, and the registrant was told."

    rationale = prose("Advice")


class Approve(RoundTransitionForm):
    name = "approve"
    effect = "The round goes to an administrator, who registers it as it stands."
    made = "Approved. An administrator registers it next."

    rationale = prose("Rationale", "Why this round can be registered. It becomes part of the public record.")


class ForwardReport(RoundTransitionForm):
    name = "forward_report"
    effect = "The report goes to the approval body, and the case waits for its direction."
    made = "The report is on its way to the approval body."

    report = prose("Report", "What the review found, and what you recommend. It is public.", lines=14)


class Direct(RoundTransitionForm):
    name = "direct"
    effect = "Records what the approval body decided. The case goes on to an administrator, or ends declined."
    made = "The direction is recorded."

    is_approved = yes_or_no(
        "The approval body decided", yes="that the namespace is to be registered", no="to decline the request"
    )
    reference = reference_field("Reference to the decision")
    reason = prose("In its words", "It may stay empty.", lines=5)


class Decline(RoundTransitionForm):
    name = "decline"
    effect = "The case ends here, unless the registrant appeals to the approval body."
    made = "Declined. The registrant was told why."
    is_grave = True

    reason = prose("Reason")


class Appeal(TransitionForm):
    name = "appeal"
    effect = "The approval body looks at the declined request. A case can be appealed once."
    made = "Your appeal waits for the approval body."

    reason = prose("Why the decision should be looked at again")


class Recognise(TransitionForm):
    name = "recognise"
    effect = "The body is recognised for the fast track: reviews are advice, and it decides when to complete."
    made = "The recognition is recorded."

    reference = reference_field("Reference to the recognition")
    for_later_cases = forms.BooleanField(required=False, label="It holds for later cases of this body too")


class RefuseRecognition(TransitionForm):
    name = "refuse_recognition"
    effect = "The case goes on under the community procedure, with all that it holds: the experts decide."
    made = "The refusal is recorded. The case goes on under the community procedure."
    is_grave = True

    reference = reference_field("Reference to the decision")


class RequestCompletion(RoundTransitionForm):
    name = "request_completion"
    effect = "The latest round goes to an administrator, who registers it as it stands."
    made = "Completion is requested. An administrator registers the namespace next."


class Assign(RoundTransitionForm):
    name = "assign"
    effect = "This can't be undone: a namespace is registered for ever, its identifier never given again."
    made = "Registered."


class ReturnToRegistrant(TransitionForm):
    name = "return_to_registrant"
    effect = "The case goes back to the registrant, who changes the template and submits it again."
    made = "Returned. The registrant was told why."

    reason = prose("Reason")


class Withdraw(TransitionForm):
    name = "withdraw"
    effect = "The case ends. What was submitted stays readable, and a new case can be begun at any time."
    made = "The request is withdrawn."
    is_grave = True

    reason = prose("Reason", "It may stay empty.", lines=4)


class ActionForm(TransitionForm):
    """What somebody does in a case without moving it."""

    def make(self, *, by: User) -> Case:
        getattr(actions, self.name)(self.case, by=by, **self.cleaned_data)
        return self.case


class AnticipateStandardsAction(ActionForm):
    name = "anticipate_standards_action"
    effect = (
        "Where the namespace or its definition is to become part of a standard, the experts report to the "
        "approval body, which directs. Otherwise they approve or decline themselves."
    )
    made = "The decision is recorded."

    anticipated = yes_or_no("A standards action", yes="is anticipated", no="is not anticipated")
    reason = prose("Reason", lines=4)


class RequireTwoExperts(ActionForm):
    name = "require_two_experts"
    effect = (
        "Where two are required, a round is approved, declined or reported on when two experts say the same of "
        "it. One expert can always ask for changes."
    )
    made = "The decision is recorded."

    required = yes_or_no("Two experts", yes="must agree", no="are not required: the first answer decides")
    reason = prose("Reason", lines=4)


class Recuse(ActionForm):
    name = "recuse"
    effect = "You step back for good: no more acting in this case as expert, administrator or liaison."
    made = "You are recused from this case."
    is_grave = True

    reason = prose("Reason", "It may stay empty. Everyone can read it.", lines=4)


class AddCoEditor(TransitionForm):
    name = "add_co_editor"
    effect = (
        "A co-editor sees and writes the draft, is told of every move, and can't act in the case as expert, "
        "administrator or liaison. You alone submit it, and can withdraw it."
    )
    made = "The co-editor is added."

    email = AccountField(label="E-mail address of their account")

    def make(self, *, by: User) -> Case:
        return co_editors.add_co_editor(self.case, by=by, user=self.cleaned_data["email"]).case


class RemoveCoEditor(TransitionForm):
    name = "remove_co_editor"
    effect = (
        "They don't see the draft any more. Whoever wrote in it stays barred from acting in the case as "
        "expert, administrator or liaison."
    )
    made = "The co-editor is removed."
    is_grave = True

    person = forms.ModelChoiceField(User.objects.none(), label="Co-editor", empty_label=None)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        people = User.objects.filter(pk__in=self.case.co_editors.values("user"))
        cast("forms.ModelChoiceField[User]", self.fields["person"]).queryset = people

    def make(self, *, by: User) -> Case:
        return co_editors.remove_co_editor(self.case, by=by, user=self.cleaned_data["person"])


TRANSITION_FORMS: dict[str, type[TransitionForm]] = {
    form.name: form
    for form in (
        Submit,
        RequestChanges,
        Advise,
        Approve,
        ForwardReport,
        Direct,
        Decline,
        Appeal,
        Recognise,
        RefuseRecognition,
        RequestCompletion,
        Assign,
        ReturnToRegistrant,
        Withdraw,
        AnticipateStandardsAction,
        RequireTwoExperts,
        Recuse,
        AddCoEditor,
        RemoveCoEditor,
    )
}
