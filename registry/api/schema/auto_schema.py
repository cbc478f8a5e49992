"""The description of an operation, derived from its view (the REST framework's `schema` of a view)."""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema as SpectacularAutoSchema


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # of its metaclass
    """The security scheme of TokenAuthentication."""

    target_class = "registry.api.framework.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: SpectacularAutoSchema) -> dict[str, str]:
        return {
            "type": "http",
            "scheme": "bearer",
            "description": (
                "A token, made at /accounts/tokens/ by the person that the program acts for. Scopes: `read` for "
                "what only the owner can see, `write` as registrant and participant, `decide` in the roles of "
                "the owner. A role that is withdrawn and an account that is closed end them at once."
            ),
        }

    def get_security_requirement(self, auto_schema: Any) -> dict[str, list[str]]:
        scope = auto_schema.view.required_scopes[auto_schema.method]
        return {self.name: [scope.value] if scope else []}


class AutoSchema(SpectacularAutoSchema):
    """Adds to drf-spectacular what it does not derive from a view."""

    view: Any

    def get_auth(self) -> list[dict[str, Any]]:
        return super().get_auth() or [{}]

    def is_deprecated(self) -> bool:
        return self.view.deprecation is not None
