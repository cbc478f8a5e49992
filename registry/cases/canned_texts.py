"""Canned texts: text blocks for reviews. A rationale must contain at least one other line; an action point, which is about
one section, can be a canned text.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from registry.accounts.gravity import Gravity
from registry.accounts.models import RoleName, User
from registry.actions.declarations import Action, ActionContext, SubjectType
from registry.actions.engine import performs
from registry.actions.parameters import Name, Text
from registry.actions.people import PERSON
from registry.cases.models import CannedText
from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.names import check_name
from registry.core.validators import MAX_TITLE_LENGTH, TextRefused, check_text


class OnlyCannedText(TextRefused, RegistryError):
    """The review consists of canned texts only."""

    title = "Only canned text"


class TitleTaken(TextRefused, RegistryError):
    """Another canned text has this title."""

    title = "This title is already used"


def check_not_only_canned(text: str) -> str:
    """Return `text`. Raises OnlyCannedText if all its lines are from canned texts."""
    own = lines = _lines(text)
    for canned in CannedText.objects.order_by("pk") if lines else ():
        copied = _lines(canned.text)
        if copied <= lines:
            own = own - copied
    if lines and not own:
        raise OnlyCannedText(
            "This text is copied from canned texts. Add or change at least one line about this case."
        )
    return text


def _lines(text: str) -> frozenset[str]:
    """The lines that are not empty, with normalised white space."""
    return frozenset(" ".join(line.split()) for line in text.splitlines()) - {""}


def writes_canned_texts(user: Any, subject: object = None) -> bool:
    return bool(user.roles & {RoleName.EXPERT, RoleName.LEADER})


class CannedTextSubject(SubjectType[CannedText]):
    def lock(self, subject: CannedText, by: User | None) -> CannedText:
        found = CannedText.objects.select_for_update().filter(pk=subject.pk).first()
        if found is None:
            raise NotPermitted("There is no such canned text.")
        return found

    def members(self, subject: CannedText) -> Mapping[str, Any]:
        return {"canned_text": subject.pk}


CANNED_TEXT = CannedTextSubject()
# What the actions on canned texts have in common.
on_canned_text = partial(
    Action[Any],
    permission=writes_canned_texts,
    not_permitted="Only designated experts and their leaders can edit canned texts.",
    gravity=Gravity.ORDINARY,
    needs_confirmed_address=False,
    is_logged=False,
)
saves_canned_text = partial(
    on_canned_text,
    button="Save",
    effect=(
        "All experts can use the text. An action point can consist of it alone; "
        "other texts need a line about their own case as well."
    ),
    success=lambda saved: f"“{saved.title}” was saved.",
    parameters=(
        Name("title", "Title", "The name shown in the list.", max_length=MAX_TITLE_LENGTH),
        Text("text", "Text", "Reviewers add a line about the case."),
    ),
    refusals=(TitleTaken,),
)
ADD_CANNED_TEXT = saves_canned_text(name="add_canned_text", label="New canned text")
CHANGE_CANNED_TEXT = saves_canned_text(name="change_canned_text", label="Edit canned text")
REMOVE_CANNED_TEXT = on_canned_text(
    name="remove_canned_text",
    button="Remove",
    effect="The text will no longer be offered. Reviews that contain it stay as they are.",
    success=lambda removed: f"“{removed.title}” was removed.",
    is_grave=True,
)


@performs(ADD_CANNED_TEXT, PERSON)
def add_canned_text(context: ActionContext[User], *, title: str, text: str) -> CannedText:
    return _save(CannedText(), title, text, by=context.actor)


@performs(CHANGE_CANNED_TEXT, CANNED_TEXT)
def change_canned_text(context: ActionContext[CannedText], *, title: str, text: str) -> CannedText:
    return _save(context.subject, title, text, by=context.actor)


@performs(REMOVE_CANNED_TEXT, CANNED_TEXT)
def remove_canned_text(context: ActionContext[CannedText]) -> None:
    context.subject.delete()


def _save(canned: CannedText, title: str, text: str, *, by: User) -> CannedText:
    canned.title = check_name(title, "the title", longest=MAX_TITLE_LENGTH, argument="title")
    canned.text, canned.changed_by = check_text(text, "the text", argument="text"), by
    canned.changed_at = timezone.now()
    try:
        with transaction.atomic():
            canned.save()
    except IntegrityError as error:
        raise TitleTaken(
            f"There is already a canned text “{canned.title}”. Choose another title.", argument="title"
        ) from error
    return canned
