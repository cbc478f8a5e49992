"""Forms to start a case, to paste a template, to comment, and to filter the list.

The content is checked by `registration_template` and by the actions.
"""

from dataclasses import replace
from typing import Any, ClassVar, cast

from django import forms
from django.db.models import Q

from registry.accounts.models import User
from registry.actions.forms import ActionForm
from registry.actions.parameters import IDENTIFIER, text_widget
from registry.cases.drafts import drafts
from registry.cases.drafts.drafts import today
from registry.cases.models import (
    CLOSED_STATES,
    OPEN_STATES,
    PUBLIC_STATES,
    Case,
    CaseQuerySet,
    Procedure,
    State,
)
from registry.core.exceptions import RegistryError
from registry.core.form_views import with_values
from registry.core.rate_limits import counted_before
from registry.core.validators import MAX_BODY_NAME_LENGTH
from registry.namespaces.models import Kind
from registry.namespaces.queries import nid_in
from registry.namespaces.search_terms import MAX_QUERY_LENGTH
from registry.organisations.inputs import OrganisationChoiceField
from registry.organisations.models import EDITING_PARTS
from registry.registration_template.exceptions import InvalidTemplate, UnreadableTemplate
from registry.registration_template.parsing.parser import ParsedTemplate, parse_template
from registry.registration_template.restoration.changes import WHAT_HAPPENED
from registry.registration_template.restoration.changes import Kind as DamageKind
from registry.registration_template.template import RegistrationTemplate


class RawTextField(forms.Field):
    """A text that is neither stripped nor checked."""

    def to_python(self, value: Any) -> str:
        return value or ""


def raw_text_field(label: str, *, lines: int = 1, **attrs: Any) -> RawTextField:
    """A field for one or more lines of text."""
    return RawTextField(label=label, required=False, widget=text_widget(lines, attrs))


_KINDS = [(kind.value, WHAT_HAPPENED[kind]) for kind in DamageKind]
CHECK_CHANGES = (
    "The text was damaged on its way. Check the changes below the text, then send the form again. "
    "Tick a change to leave the text as it was."
)


class PasteForm(forms.Form):
    """A template as plain text, which is parsed into sections."""

    may_be_empty: ClassVar[bool] = False

    template = raw_text_field("Completed template, as plain text", lines=16, spellcheck="false")
    # Kinds of damage: those that the person leaves in the text, and those that the page has shown.
    keep = forms.MultipleChoiceField(choices=_KINDS, required=False, widget=forms.MultipleHiddenInput)
    shown = forms.MultipleChoiceField(choices=_KINDS, required=False, widget=forms.MultipleHiddenInput)

    parsed: ParsedTemplate | None = None

    @property
    def kept(self) -> list[tuple[str, str]]:
        """The kinds of damage that the person leaves in the text, with what would be undone."""
        chosen = self.cleaned_data.get("keep", ()) if self.is_bound and hasattr(self, "cleaned_data") else ()
        return [(kind, what) for kind, what in _KINDS if kind in chosen]

    @property
    def pasted(self) -> RegistrationTemplate:
        """The template that was pasted, or an empty one."""
        return self.parsed.template if self.parsed else RegistrationTemplate()

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned["template"].strip() or not self.may_be_empty:
            try:
                self.parsed = parse_template(cleaned["template"], cleaned.get("keep", ()))
            except (UnreadableTemplate, InvalidTemplate) as fault:
                self.add_error("template", str(fault))
        changed = {change.kind.value for change in self.parsed.changes} if self.parsed else set()
        if not changed <= set(cleaned.get("shown", ())):
            self.add_error("template", CHECK_CHANGES)
        return cleaned


class NewCaseForm(PasteForm):
    """The kind of namespace, the procedure, and optionally a completed template."""

    may_be_empty = True

    kind = forms.ChoiceField(choices=Kind.choices, widget=forms.RadioSelect, initial=Kind.FORMAL)
    procedure = forms.ChoiceField(
        choices=Procedure.choices, widget=forms.RadioSelect, initial=Procedure.COMMUNITY
    )
    body = forms.CharField(
        max_length=MAX_BODY_NAME_LENGTH,
        required=False,
        label="Name of the body",
        widget=forms.TextInput({"list": "bodies"}),
    )
    organisation = OrganisationChoiceField(label="For whom")
    # Set by links from the NID check.
    nid = forms.CharField(max_length=32, required=False, widget=forms.HiddenInput)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if cleaned.get("procedure") == Procedure.FAST_TRACK and not cleaned.get("body"):
            self.add_error(
                "body", "Enter the name of the requesting body, which the fast track requires (6.3)."
            )
        elif cleaned.get("procedure") == Procedure.FAST_TRACK:
            try:
                drafts.check_body_name(cleaned["body"])
            except RegistryError as refusal:
                self.add_error("body", str(refusal))
        return cleaned

    def __init__(self, *args: Any, by: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offered = cast("OrganisationChoiceField", self.fields["organisation"])
        offered.offer(by, *EDITING_PARTS)

    def create(self, *, by: User, template: RegistrationTemplate | None = None, **choices: Any) -> Case:
        """Create the case, with `template` in place of the pasted one. Counted first, so that a refusal creates no body."""
        is_fast_track = self.cleaned_data["procedure"] == Procedure.FAST_TRACK
        with counted_before("drafts", by=by):
            return drafts.create_case(
                by=by,
                kind=Kind(self.cleaned_data["kind"]),
                body=drafts.body_named(self.cleaned_data["body"]) if is_fast_track else None,
                organisation=self.cleaned_data["organisation"],
                template=template or self._draft(),
                **choices,
            )

    @property
    def requested(self) -> RegistrationTemplate:
        """What is known of the request without a pasted text."""
        is_formal = self.cleaned_data["kind"] == Kind.FORMAL
        nid = self.cleaned_data["nid"] if is_formal else ""
        return RegistrationTemplate(namespace_identifier=nid, date=today())

    def _draft(self) -> RegistrationTemplate:
        """The pasted text, and what is known of the request where the text says nothing."""
        pasted, requested = self.pasted, self.requested
        return replace(
            pasted,
            namespace_identifier=pasted.namespace_identifier or requested.namespace_identifier,
            date=pasted.date or requested.date,
        )


DAY = forms.DateInput({"type": "date"}, format="%Y-%m-%d")


class CommentForm(ActionForm):
    """A comment on a section of a round or on the whole round; or a reply, which has the section of its comment."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["reply_to"].widget = forms.HiddenInput()
        self.fields["text"].label = "Reply" if self["reply_to"].value() else "Comment"

    def drop_reply_to(self) -> None:
        """Turn a reply to a comment that does not exist into a comment."""
        self.fields["text"].label = "Comment"
        if self.is_bound:
            self.data = with_values(self.data, reply_to="")


class CaseFilter(forms.Form):
    """The filter of the public list of cases."""

    STATES: ClassVar[dict[str, frozenset[State]]] = {
        "open": OPEN_STATES,
        "closed": CLOSED_STATES,
        **{state: frozenset({state}) for state in PUBLIC_STATES},
    }

    q = forms.CharField(
        required=False,
        label="Words",
        max_length=MAX_QUERY_LENGTH,
        widget=forms.SearchInput(),
    )
    nid = forms.CharField(
        required=False,
        label="NID",
        max_length=60,
        widget=forms.TextInput({**IDENTIFIER, "size": 16}),
    )
    state = forms.ChoiceField(
        required=False,
        choices=[
            ("", "All states"),
            ("open", "all open"),
            ("closed", "all closed"),
            *((state.value, state.label) for state in PUBLIC_STATES),
        ],
    )
    kind = forms.ChoiceField(required=False, choices=[("", "Both kinds"), *Kind.choices])
    procedure = forms.ChoiceField(required=False, choices=[("", "Both procedures"), *Procedure.choices])
    registrant = forms.CharField(required=False, label="Registrant", max_length=MAX_QUERY_LENGTH)
    expert = forms.CharField(required=False, label="Reviewed by", max_length=MAX_QUERY_LENGTH)
    since = forms.DateField(required=False, label="State changed from (UTC)", widget=DAY)
    until = forms.DateField(required=False, label="State changed until (UTC)", widget=DAY)

    def clean_nid(self) -> str:
        return nid_in(self.cleaned_data["nid"])

    @property
    def chosen(self) -> dict[str, Any]:
        """The valid filters that are not empty."""
        known = self.cleaned_data
        return {name: known[name] for name in self.fields if known.get(name)}

    def narrow(self, cases: CaseQuerySet) -> CaseQuerySet:
        cases = cases.searched(self.chosen)
        for name in ("nid", "state", "kind", "procedure"):
            if value := self.chosen.get(name):
                cases = cases.filter(self._means(name, value))
        return cases

    def _means(self, name: str, value: str) -> Q:
        if name == "nid":
            return Q(requested_nid__contains=value) | Q(namespace__nid__contains=value)
        return Q(state__in=sorted(self.STATES[value])) if name == "state" else Q(**{name: value})
