"""Models of registers, of entries and their holders, and of requests for new entries and for changes."""

from registry.registers.models.entries import Entry, EntryOffer
from registry.registers.models.registers import (
    MAX_GUIDANCE,
    Register,
    ReplacedRegister,
    Reviewer,
)
from registry.registers.models.requests import (
    MAX_ENTRY_REFERENCE,
    MAX_SKELETON,
    UNDECIDED,
    EntryRequest,
    RequestComment,
    RequestState,
)

__all__ = [
    "MAX_ENTRY_REFERENCE",
    "MAX_GUIDANCE",
    "MAX_SKELETON",
    "UNDECIDED",
    "Entry",
    "EntryOffer",
    "EntryRequest",
    "Register",
    "ReplacedRegister",
    "RequestComment",
    "RequestState",
    "Reviewer",
]
