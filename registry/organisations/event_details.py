"""The details of the events of organisations."""

from registry.audit_log.history import Detail, private

ORGANISATION = Detail(
    "organisation", int, "The number of the organisation that is the registrant, or that has changed."
)
PART = Detail("part", str, "The part of the member in the organisation.")
DOMAIN = Detail("domain", str, "The domain of the organisation.")
PERSON = private("person", int)
