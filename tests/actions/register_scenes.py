"""Registers, entries and requests for them, on which actions are tried (`tests.actions.scenes`)."""

from typing import TYPE_CHECKING

from registry.registers.actions import registers
from registry.registers.actions.changes import change_entry
from registry.registers.actions.entries import offer_entry
from registry.registers.actions.recalls import recall_entry
from registry.registers.actions.registers import open_register, suspend_register
from registry.registers.actions.requests import accept_request, request_entry
from registry.registers.models import Entry, EntryOffer, EntryRequest, Register

if TYPE_CHECKING:
    from tests.actions.scenes import Scene

OPENED = {"policy": "expert_review", "entry_name": "garden", "title": "Gardens"}
ASKED = {"label": "17", "title": "Kew Gardens", "contact": "gardener@example.org", "register_version": 1}


def register(scene: "Scene") -> Register:
    return open_register(scene.namespace, by=scene.holder, **OPENED)


def suspended_register(scene: "Scene") -> Register:
    return suspend_register(register(scene), by=scene["administrator"], reason="Order 17.")


def entry_request(scene: "Scene") -> EntryRequest:
    return request_entry(register(scene), by=scene["participant"], **ASKED)


def entry(scene: "Scene") -> Entry:
    return registers.register_entry(register(scene), by=scene.holder, label="17", title="Kew Gardens")


def change_request(scene: "Scene") -> EntryRequest:
    """A change of an entry that the participant holds."""
    request = accept_request(entry_request(scene), by=scene.holder, revision=1)
    held = Entry.objects.get(register=request.register)
    change = {"title": "Kew Garden", "status": "active", "register_version": 1, "replaces": 1}
    made: EntryRequest = change_entry(held, by=scene["participant"], **change)
    return made


def held_entry(scene: "Scene") -> Entry:
    """An entry that the participant holds."""
    accept_request(entry_request(scene), by=scene.holder, revision=1)
    return Entry.objects.get()


def recalled_entry(scene: "Scene") -> Entry:
    return recall_entry(held_entry(scene), by=scene.holder, reason="No answer.")


def entry_offer(scene: "Scene") -> EntryOffer:
    return offer_entry(entry(scene), by=scene.holder, to=scene["recipient"].email)
