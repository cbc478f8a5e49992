"""Maximum lengths of texts that people write, in characters, and of request bodies, in octets.

Forms, models, actions, views and the API use them.
"""

from enum import IntEnum

MAX_TEXT_LENGTH = 50_000  # unless another limit applies
MAX_COMMENT_LENGTH = 20_000
MAX_STATEMENT_LENGTH = 20_000  # on the deprecation of a namespace
MAX_BASIS_LENGTH = 5_000  # of a profile
MAX_REASON_LENGTH = 2_000
MAX_REFERENCE_LENGTH = 500  # to a decision
MAX_BODY_NAME_LENGTH = 200
MAX_ORGANISATION_NAME_LENGTH = 200
MAX_TITLE_LENGTH = 100  # of a canned text
MAX_TOKEN_NAME_LENGTH = 60
MAX_URL_LENGTH = 2_000  # of a webhook
MAX_ADDRESS_LENGTH = 254  # of e-mail (RFC 5321, Section 4.5.3.1.3)
# Of all fields of a form together. A form that exceeds only the limit of a text is returned with its text.
MAX_FORM_LENGTH = 500_000


class BodySize(IntEnum):
    """The most octets that the body of a request can have, by what it contains.

    A character can take 12 octets: percent-encoded in a form, or as two escapes in JSON.
    """

    SMALL = 64 * 1024
    TEXTS = 1024 * 1024
    URNS = 2 * 1024 * 1024
    TEMPLATE = 3 * 1024 * 1024
