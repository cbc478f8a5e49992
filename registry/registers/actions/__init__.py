"""Actions on registers and on requests for entries. Histories, pages and endpoints have what MODULES declare."""

from registry.registers.actions import registers, requests

MODULES = (registers, requests)
