"""Maximum lengths of texts that people write, in characters; forms, models, actions and the API use them."""

MAX_TEXT_LENGTH = 50_000  # unless another limit applies
MAX_COMMENT_LENGTH = 20_000
MAX_STATEMENT_LENGTH = 20_000  # on the deprecation of a namespace
MAX_BASIS_LENGTH = 5_000  # of naming rules
MAX_REASON_LENGTH = 2_000
MAX_REFERENCE_LENGTH = 500  # to a decision
MAX_BODY_NAME_LENGTH = 200
MAX_TITLE_LENGTH = 100  # of a canned text
MAX_TOKEN_NAME_LENGTH = 60
MAX_ADDRESS_LENGTH = 254  # of e-mail (RFC 5321, Section 4.5.3.1.3)
