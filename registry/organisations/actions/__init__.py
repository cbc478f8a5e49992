"""Actions on organisations, their members and invitations. Histories have the events that MODULES declare; pages, endpoints
and the examples of the API have ACTIONS.
"""

from registry.actions.declarations import actions_on
from registry.organisations.actions import members, organisations
from registry.organisations.subjects import ORGANISATION

MODULES = (organisations, members)
# Those on an organisation, but for two with pages and endpoints of their own.
ACTIONS = actions_on(
    ORGANISATION, *MODULES, without=(organisations.DESCRIBE_ORGANISATION, members.INVITE_MEMBER)
)
