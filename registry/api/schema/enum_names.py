"""The names of enumerations in the API description, where those that drf-spectacular finds are not clear."""

ENUM_NAMES = {
    "PublicState": "registry.api.cases.queries.PUBLIC_STATES",
    "EventVerb": "registry.api.events.verbs.VERB_CHOICES",
    "NamespaceStatus": "registry.api.namespaces.views.STATUSES",
    "NIDStatus": "registry.api.nids.serializers.STATUSES",
    "NIDStatusOfProblem": ["malformed", "unregistrable", "requested", "free"],
    "Kind": "registry.namespaces.models.Kind",
    "ServiceKind": "urnsyntax.profiles.services.service.KINDS",
    "ServiceHealth": "registry.resolution.models.HealthState.values",
    "Origin": "registry.namespaces.models.Origin",
    "Outcome": "registry.cases.models.Outcome",
    "Change": "registry.api.registration_template.comparison.CHANGES",
    "Procedure": "registry.cases.models.Procedure",
    "Role": "registry.accounts.models.RoleName.values",
    "Scope": "registry.accounts.models.Scope.values",
    "State": "registry.cases.models.State",
    "TemplateForm": ["8141", "3406"],
    "WebhookState": "registry.api.webhooks.serializers.STATES",
    "PauseReason": "registry.webhooks.models.PauseReason.values",
    "Severity": "registry.api.schema.problem_serializers.SEVERITIES",
    "EquivalenceBasis": ["section", "profile"],
}
