"""Actions on registers and on requests for entries. Histories, pages and endpoints have what MODULES declare."""

from registry.registers.actions import fields, lists, registers, requests

MODULES = (registers, fields, lists, requests)
