"""Canned texts: words to begin a review with, which never are all of it."""

from http import HTTPStatus

from django.db import IntegrityError, transaction
from django.utils import timezone

from registry.accounts.models import RoleName, User
from registry.cases.models import CannedText
from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.validators import check_text

LONGEST_TITLE = CannedText._meta.get_field("title").max_length or 0


class NoOwnWords(RegistryError):
    """A review that consists of canned texts alone."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "A line about this case is missing"


class TitleTaken(RegistryError):
    """Another canned text has this title."""

    title = "There is a text of this title"


def check_own_words(text: str) -> str:
    """`text`, if at least one line of it is of no canned text. Raises NoOwnWords."""
    own = lines = _lines(text)
    for canned in CannedText.objects.order_by("pk") if lines else ():
        copied = _lines(canned.text)
        if copied <= lines:
            own = own - copied
    if lines and not own:
        raise NoOwnWords("This is a canned text as it stands. Add a line about this case, or change one.")
    return text


def _lines(text: str) -> frozenset[str]:
    """The lines that say something, without regard to space."""
    return frozenset(" ".join(line.split()) for line in text.splitlines()) - {""}


def check_writes(user: User) -> None:
    """Raise NotPermitted unless `user` may make and change canned texts."""
    if not user.roles & {RoleName.EXPERT, RoleName.LEADER}:
        raise NotPermitted("Canned texts are for the experts alone.")


def keep(*, by: User, title: str, text: str, canned: CannedText | None = None) -> CannedText:
    """Make a canned text, or change one."""
    check_writes(by)
    canned = canned or CannedText()
    canned.title = check_text(title, "the title", longest=LONGEST_TITLE)
    canned.text, canned.changed_by = check_text(text, "the text"), by
    canned.changed_at = timezone.now()
    try:
        with transaction.atomic():
            canned.save()
    except IntegrityError as error:
        raise TitleTaken(f"There is a canned text “{canned.title}” already.") from error
    return canned


def remove(canned: CannedText, *, by: User) -> None:
    check_writes(by)
    canned.delete()
