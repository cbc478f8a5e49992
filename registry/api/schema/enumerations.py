"""The enumerations in the API description: their names for generated clients, their values, and what they are.

The values are choices, or the path of an object that has them, because settings import this module.
"""

from typing import NamedTuple


class Enumeration(NamedTuple):
    values: str | list[str]
    description: str


ENUMERATIONS = {
    "BodyRecognition": Enumeration(
        "registry.accounts.models.Recognition",
        "Whether the approval body recognises the requesting body for the fast track.",
    ),
    "CaseState": Enumeration("registry.cases.models.State", "The state of a case, drafts included."),
    "ChangeKind": Enumeration(
        "registry.api.registration_template.CHANGES",
        "How a line or a section differs. A folded line represents lines that did not change.",
    ),
    "ClaimGround": Enumeration("registry.custody.models.Ground", "What a claim of a namespace is based on."),
    "ClaimStatus": Enumeration("registry.custody.models.ClaimStatus", "The status of a claim of a namespace."),
    "DamageKind": Enumeration(
        "registry.api.registration_template.DAMAGES",
        "What damaged a text on its way: mail, a format, the pages of a document, or a program that changed characters.",
    ),
    "DomainMethod": Enumeration(
        "registry.domains.models.Method",
        "Where the code was found that proves a domain: in a TXT record, or in a file of its web server.",
    ),
    "EntryFormat": Enumeration(
        "registry.registers.lists.EntryFormat", "The format of a list of entries: JSON Lines or CSV."
    ),
    "EquivalenceBasis": Enumeration(
        ["section", "profile"],
        "By what two URNs are equivalent: RFC 8141, Section 3.1, or the profile of their namespace.",
    ),
    "EventVerb": Enumeration("registry.events.events.VERB_CHOICES", "The type of a public event."),
    "FieldKind": Enumeration(
        "registry.registers.fields.FieldKind", "What the values of a field of a register are."
    ),
    "FindingSeverity": Enumeration(
        "registry.api.schema.problems.SEVERITIES",
        "Whether a finding prevents submission, or is advice.",
    ),
    "GrammarKind": Enumeration(
        "registry.api.namespaces.serializers.GRAMMARS",
        "How the grammar is written: as ABNF (RFC 5234) or as a regular expression; or that it is not stated.",
    ),
    "ListCoverage": Enumeration(
        "registry.api.urns.serializers.COVERAGES_WITH_A_LIST",
        "How much a list of sub-namespaces contains: a name outside a complete one does not conform.",
    ),
    "ListFormat": Enumeration(
        "registry.subnamespaces.importing.ListFormat",
        "The format of a list of sub-namespaces: JSON Lines, CSV, or XML of a registry of IANA.",
    ),
    "MailDelivery": Enumeration(
        "registry.mail.kinds.Delivery.values",
        "When mail of a kind is sent: at once, in one mail a day, or not at all.",
    ),
    "MemberPart": Enumeration(
        "registry.organisations.models.MemberRole",
        "What a member may do: a representative what a registrant does, an editor what a co-editor does; a contact is "
        "notified.",
    ),
    "NamespaceKind": Enumeration(
        "registry.namespaces.models.Kind",
        "Formal namespaces have a NID that the registrant chose; informal ones have `urn-` and a number.",
    ),
    "NamespaceStatus": Enumeration(
        "registry.api.namespaces.views.STATUSES",
        "Whether new names should be assigned in the namespace. A deprecated one stays registered.",
    ),
    "NIDStatus": Enumeration(
        "registry.api.nids.STATUSES",
        "What the registry knows of a NID: not a NID, reserved or excluded, registered, requested in an open case, "
        "or free.",
    ),
    "OrganisationEventVerb": Enumeration(
        "registry.api.organisations.serializers.VERB_CHOICES", "The type of an event of an organisation."
    ),
    "Procedure": Enumeration("registry.cases.models.Procedure", "The procedure of RFC 8141 that a case follows."),
    "PublicCaseState": Enumeration(
        "registry.cases.models.PUBLIC_STATES", "The state of a case that was submitted."
    ),
    "EntryRequestState": Enumeration(
        "registry.registers.models.RequestState", "The state of a request for an entry of a register."
    ),
    "HolderKind": Enumeration(
        "registry.api.namespaces.registers.HOLDERS",
        "Who holds an entry or a register: a person, an organisation, or no one of its own.",
    ),
    "RegistrationPolicy": Enumeration(
        "registry.registers.policies.Policy", "Who may add entries to a register (RFC 8126, Section 4)."
    ),
    "RegistrationOrigin": Enumeration(
        "registry.namespaces.models.Origin", "Where a registration was made."
    ),
    "ReplyOutcome": Enumeration(
        "registry.cases.models.Outcome", "Whether the change that an action point requests was made."
    ),
    "Role": Enumeration("registry.accounts.models.RoleName.values", "A role of a person in the registry."),
    "ServiceHealth": Enumeration(
        "registry.resolution.models.HealthState.values",
        "Whether a service works, by the daily checks. A degraded one has begun to fail.",
    ),
    "ServiceKind": Enumeration(
        "urnsyntax.profiles.services.service.KINDS",
        "What a service returns (RFC 2483): I2L a location, I2R the resource, I2C a description, I2N a URN; with a "
        "final s, or as I2CS, several.",
    ),
    "SightingState": Enumeration("registry.sightings.models.SightingState", "The state of a sighting."),
    "SubNamespaceStatus": Enumeration(
        "registry.subnamespaces.models.Status",
        "Whether a sub-namespace is in use: names below a retired one still conform, but no new ones are assigned.",
    ),
    "Subject": Enumeration("urnsyntax.profiles.profile.SUBJECTS", "A subject area of a namespace."),
    "SummaryDelivery": Enumeration(["at_once", "off"], "Whether the summary of the day is sent."),
    "TemplateForm": Enumeration(["8141", "3406"], "The number of the RFC whose template a text follows."),
    "TokenScope": Enumeration("registry.accounts.models.Scope", "What a token may be used for."),
    "UnregisteredNIDStatus": Enumeration(
        ["malformed", "unregistrable", "requested", "free"],
        "What the registry knows of a NID that is not registered: not a NID, reserved or excluded, requested in an "
        "open case, or free.",
    ),
    "Verdict": Enumeration("registry.cases.models.Verdict", "The result of a review."),
    "WebhookPauseReason": Enumeration(
        "registry.webhooks.models.PauseReason.values",
        "Why a webhook is paused: by its owner, because deliveries failed for days, because the address replied 410 Gone, "
        "or because its secret is no longer valid.",
    ),
    "WebhookState": Enumeration(
        "registry.api.webhooks.serializers.STATES",
        "Whether the address has not answered a challenge, or events are delivered, fail to arrive and are repeated, or wait.",
    ),
}  # fmt: skip
# The components that have no serializer with a docstring.
COMPONENT_DESCRIPTIONS = {name: each.description for name, each in ENUMERATIONS.items()} | {
    "URNCheckResult": "The result for one text, at the level of the syntax or at that of namespaces.",
}
ENUM_NAMES = {name: each.values for name, each in ENUMERATIONS.items()}
