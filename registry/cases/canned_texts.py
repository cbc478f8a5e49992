"""Canned texts: text blocks for reviews. A review must contain at least one other line."""

from django.db import IntegrityError, transaction
from django.utils import timezone

from registry.accounts.models import RoleName, User
from registry.cases.models import CannedText
from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.validators import MAX_TITLE_LENGTH, TextRefused, check_text


class OnlyCannedText(TextRefused, RegistryError):
    """The review consists of canned texts only."""

    title = "Only canned text"


class TitleTaken(RegistryError):
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


def check_writes(user: User) -> None:
    """Raise NotPermitted unless `user` may edit canned texts."""
    if not user.roles & {RoleName.EXPERT, RoleName.LEADER}:
        raise NotPermitted("Only designated experts and their leaders can edit canned texts.")


def keep(*, by: User, title: str, text: str, canned: CannedText | None = None) -> CannedText:
    """Create or change a canned text."""
    check_writes(by)
    canned = canned or CannedText()
    canned.title = check_text(title, "the title", longest=MAX_TITLE_LENGTH)
    canned.text, canned.changed_by = check_text(text, "the text"), by
    canned.changed_at = timezone.now()
    try:
        with transaction.atomic():
            canned.save()
    except IntegrityError as error:
        raise TitleTaken(f"There is already a canned text “{canned.title}”. Choose another title.") from error
    return canned


def remove(canned: CannedText, *, by: User) -> None:
    check_writes(by)
    canned.delete()
