"""The details of the events of namespaces and imports."""

from datetime import date

from registry.audit_log.details import Detail, private
from registry.organisations.event_details import ORGANISATION, PERSON

TRANSFER = private("transfer", int)
FORMER = private("former", int)
# The registrant is a person or an organisation, from now on and before.
NEW_REGISTRANT = (
    PERSON.optional,
    ORGANISATION.optional,
    FORMER,
    Detail("former_organisation", int, "The number of the organisation that was the registrant.").optional,
)
CLAIM = private("claim", int)
HOST = Detail("host", str, "The host of a resolution service.")
OUTCOME = Detail("outcome", str, "What an import did with an entry, or whether a profile was set or removed.")
AS_OF = Detail("as_of", date, "The date of the imported file.")
IMPORTED_FILE = (
    private("file", str),
    private("formal", int),
    private("informal", int),
    private("counts", dict),
    private("head", list),
    private("left_aside", list).optional,
)
