"""The names and the details of the events of organisations."""

from enum import StrEnum

from registry.audit_log.history import Detail, private


class Verb(StrEnum):
    """The events of organisations."""

    CREATE = "create_organisation"
    DESCRIBE = "describe_organisation"
    INVITE = "invite_member"
    ACCEPT = "accept_membership"
    DECLINE = "decline_membership"
    WITHDRAW = "withdraw_membership_invitation"
    CHANGE_PART = "change_part"
    REMOVE = "remove_member"
    LEAVE = "leave_organisation"
    RESTORE = "restore_representative"
    VERIFY_DOMAIN = "verify_domain"
    LOSE_DOMAIN = "lose_domain"
    REMOVE_DOMAIN = "remove_domain"


ORGANISATION = Detail(
    "organisation", int, "The number of the organisation that is the registrant, or that has changed."
)
PART = Detail("part", str, "The part of the member in the organisation.")
DOMAIN = Detail("domain", str, "The domain of the organisation.")
PERSON = private("person", int)
