"""The policies of registers (RFC 8126, Section 4), and what they mean for people who want an entry."""

from django.db import models


class Policy(models.TextChoices):
    """Who may add entries (RFC 8126, Section 4)."""

    PRIVATE = "private", "private use"
    HIERARCHICAL = "hierarchical", "hierarchical allocation"
    FIRST_COME = "first_come", "first come first served"
    EXPERT_REVIEW = "expert_review", "expert review"
    SPECIFICATION = "specification", "specification required"
    CLOSED = "closed", "closed"

    @property
    def section(self) -> str:
        """The section of RFC 8126 that defines it."""
        return _SECTIONS[self]

    @property
    def meaning(self) -> str:
        """What it means for people who want an entry, in sentences."""
        return _MEANINGS[self]

    @property
    def sending(self) -> str:
        """What becomes of a request that is sent, in sentences."""
        return REGISTERED_AT_ONCE if self == Policy.FIRST_COME else REVIEWED

    @property
    def changing(self) -> str:
        """What becomes of a change by the holder of an entry, in sentences."""
        return _CHANGING.get(self, CHANGE_REVIEWED)

    @property
    def changing_waits(self) -> str:
        """What becomes of a change that waits for a decision, in sentences."""
        return _CHANGING_WAITS.get(self, CHANGE_DECIDED)

    @property
    def waiting(self) -> str:
        """What becomes of the requests that are undecided when it is set, in sentences."""
        return _WAITING[self]


_SECTIONS = {
    Policy.PRIVATE: "4.1",
    Policy.HIERARCHICAL: "4.3",
    Policy.FIRST_COME: "4.4",
    Policy.EXPERT_REVIEW: "4.5",
    Policy.SPECIFICATION: "4.6",
    Policy.CLOSED: "9.6",
}
_MEANINGS = {
    Policy.PRIVATE: "Entries are for private use. None is registered here, so two people can use the same one.",
    Policy.HIERARCHICAL: (
        "The holder of the register delegates entries, each with all names below it: registers them, and offers them to others. No one "
        "can request one here."
    ),
    Policy.FIRST_COME: (
        "Everyone with an account can request an entry, with a contact. It is registered at once, without a review, if it is "
        "well-formed and free."
    ),
    Policy.EXPERT_REVIEW: (
        "Everyone with an account can request an entry. A reviewer of the register decides on it. The holder registers entries "
        "without a review."
    ),
    Policy.SPECIFICATION: (
        "Everyone with an account can request an entry that a permanent and readily available public specification describes. A "
        "reviewer of the register looks at the specification, and decides. The holder registers entries without a review."
    ),
    Policy.CLOSED: "The register is closed. Its entries stay, and no new ones are registered.",
}
REGISTERED_AT_ONCE = (
    "The entry is registered at once. It is public, and stays. You hold it, with all names below it. The public log names you, as "
    "who registered it."
)
REVIEWED = (
    "A reviewer of the register decides, and you get the decision by e-mail. Only you, the holder of the register, its reviewers "
    "and administrators of the registry read the request. If it is accepted, the entry is public, and stays, and you hold it with "
    "all names below it."
)
CHANGED_AT_ONCE = (
    "The entry is changed at once. What it says is public, and what is replaced stays public, too. The public log names you, as who "
    "changed it."
)
CHANGE_REVIEWED = (
    "The holder or a reviewer of the register decides on the change, and you get the decision by e-mail. Until then, the entry stays "
    "as it is. Only you, others who hold the entry, the holder of the register, its reviewers and administrators of the registry read the "
    "request."
)
CHANGE_DECIDED = (
    "The holder and the reviewers of the register decide on the change. Until then, the entry stays as it is."
)
_CHANGING = {
    Policy.PRIVATE: "Entries are for private use, and are not changed here.",
    Policy.FIRST_COME: CHANGED_AT_ONCE,
}
_DECIDED = "The holder and the reviewers of the register decide on requests that wait."
_NOT_CHANGED = "The holder and the reviewers accept or refuse requests that wait, as they are."
_ONLY_ENDED = "Requests that wait can only be refused or withdrawn."
_CHANGING_WAITS = {
    Policy.PRIVATE: _ONLY_ENDED,
    Policy.FIRST_COME: f"{_NOT_CHANGED} If you withdraw your own, you can change the entry at once.",
}
_WAITING = {
    Policy.PRIVATE: _ONLY_ENDED,
    Policy.HIERARCHICAL: _NOT_CHANGED,
    Policy.FIRST_COME: f"{_NOT_CHANGED} If the requester sends one again, it is registered at once.",
    Policy.EXPERT_REVIEW: _DECIDED,
    Policy.SPECIFICATION: f"{_DECIDED} One without a specification can be accepted after the requester added it.",
    Policy.CLOSED: (
        "Requests that wait can only be refused or withdrawn, but for those that change an entry: the holder and the reviewers decide "
        "on these."
    ),
}
# The policies under which others request entries, and under which entries are registered at all.
WITH_REVIEW = (Policy.EXPERT_REVIEW, Policy.SPECIFICATION)
TAKE_REQUESTS = (Policy.FIRST_COME, *WITH_REVIEW)
TAKE_ENTRIES = (Policy.HIERARCHICAL, *TAKE_REQUESTS)
# Those under which the holder of an entry requests changes of it, and those under which entries are changed at all. A closed register
# takes no new entries, but changes of those that it has (RFC 8126, Section 9.6).
REVIEW_CHANGES = (Policy.HIERARCHICAL, *WITH_REVIEW, Policy.CLOSED)
TAKE_CHANGES = (Policy.FIRST_COME, *REVIEW_CHANGES)
