"""Actions on registers, on entries, and on requests for and offers of them. Histories, pages and endpoints have what MODULES declare."""

from registry.registers.actions import changes, entries, fields, lists, recalls, registers, requests

MODULES = (registers, fields, lists, requests, changes, entries, recalls)
