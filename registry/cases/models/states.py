"""The words for where a case is, by which procedure it goes, and what is answered in it."""

from django.db import models


class State(models.TextChoices):
    DRAFT = "draft", "draft"
    IN_REVIEW = "in_review", "in review"
    CHANGES_REQUESTED = "changes_requested", "changes requested"
    AWAITING_DIRECTION = "awaiting_direction", "awaiting direction"
    APPROVED = "approved", "approved"
    REGISTERED = "registered", "registered"
    DECLINED = "declined", "declined"
    WITHDRAWN = "withdrawn", "withdrawn"


CLOSED_STATES = frozenset({State.REGISTERED, State.DECLINED, State.WITHDRAWN})
OPEN_STATES = frozenset(State) - CLOSED_STATES


class Procedure(models.TextChoices):
    COMMUNITY = "community", "community (section 6.2)"
    FAST_TRACK = "fast_track", "fast track (section 6.3)"


class Verdict(models.TextChoices):
    REQUEST_CHANGES = "request_changes", "changes requested"
    APPROVE = "approve", "approved"
    DECLINE = "decline", "declined"
    REPORT = "forward_report", "report to the approval body"
    ADVICE = "advise", "advice"


class Outcome(models.TextChoices):
    """What became of an action point in the round that answers it."""

    DONE = "done", "done"
    NOT_DONE = "not_done", "not done"
