"""The kinds of mail that people can turn off, or get once a day. All other mail is always sent at once."""

from dataclasses import dataclass

from django.db import models


class Delivery(models.TextChoices):
    """How a person gets a kind of mail."""

    AT_ONCE = "at_once", "at once"
    DAILY = "daily", "once a day, in one mail"
    OFF = "off", "not at all"


@dataclass(frozen=True, slots=True)
class MailKind:
    """A kind of mail. `mails` are the names of its templates. A mail of a transition is of another kind for the registrant
    than for others, see `cases.audiences`. `needs_role` is set for mail that only people with a role get.
    """

    name: str
    label: str
    description: str
    mails: tuple[str, ...] = ()
    deliveries: tuple[Delivery, ...] = tuple(Delivery)
    needs_role: bool = False

    @property
    def choices(self) -> list[tuple[str, str]]:
        """The choices of a form. What comes once a day anyway is chosen with yes or no."""
        if Delivery.DAILY not in self.deliveries:
            return [(Delivery.AT_ONCE.value, "yes"), (Delivery.OFF.value, "no")]
        return [(each.value, str(each.label)) for each in self.deliveries]


OWN_CASES = MailKind(
    "own_cases",
    "Your cases",
    "Steps in your cases after which nothing is asked of you, such as an approval.",
)
TASKS = MailKind(
    "tasks",
    "Cases that wait for you",
    "Cases in which you can act as expert, administrator or liaison.",
    ("hand_over",),
    needs_role=True,
)
FOLLOWED = MailKind(
    "followed",
    "Cases that you follow",
    "Steps in cases in which you take part, or to which you subscribed, and corrections of their history.",
    ("correct",),
)
COMMENTS = MailKind(
    "comments", "Comments", "Comments in your cases, and in cases that you follow.", ("comment",)
)
MENTIONS = MailKind(
    "mentions",
    "Mentions",
    "Comments that mention you with “@” and your name, in cases in which you take part.",
    ("mention",),
)
REMINDERS = MailKind(
    "reminders",
    "Reminders",
    "Cases that wait for you and are due soon or overdue.",
    ("due_soon", "overdue", "escalated"),
)
SUMMARY = MailKind(
    "summary",
    "Summary of your tasks",
    "All your tasks as expert, administrator or liaison, in the morning. Without tasks, no mail is sent.",
    ("day_summary",),
    (Delivery.AT_ONCE, Delivery.OFF),
    needs_role=True,
)
NAMESPACES = MailKind(
    "namespaces",
    "Your namespaces",
    "Profiles that were set, and services that began or ceased to work.",
    ("set_profile", "service_health"),
)
WEBHOOKS = MailKind(
    "webhooks", "Your webhooks", "Webhooks that were paused after failed deliveries.", ("webhook_paused",)
)

# The first that fits is the kind of a mail for a person.
KINDS = (OWN_CASES, TASKS, FOLLOWED, COMMENTS, MENTIONS, REMINDERS, SUMMARY, NAMESPACES, WEBHOOKS)
KIND_BY_NAME = {kind.name: kind for kind in KINDS}
KIND_OF_MAIL = {mail: kind for kind in KINDS for mail in kind.mails}
# What the page says about all other mail.
ALWAYS_SENT = (
    "Always sent at once: mail about the security of your account, your roles and tokens; decisions on your cases after "
    "which it is your turn; invitations, your organisations, offers and claims of namespaces, and confirmations of contacts; registers and "
    "requests for their entries. After ten mails about one register in a day, the others come in the daily mail."
)
