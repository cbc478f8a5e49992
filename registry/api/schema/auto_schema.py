"""The description of an operation, derived from its view: REST framework's `schema` of a view."""

import json
from collections import defaultdict
from http import HTTPStatus
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema as SpectacularAutoSchema
from drf_spectacular.plumbing import ResolvedComponent, get_class
from rest_framework.exceptions import Throttled

from registry.accounts.recent_sign_in import ACCOUNT_CHANGES_MINUTES
from registry.api.framework.fields import StrictSerializer
from registry.api.framework.parsers import MAX_DEPTH
from registry.api.framework.problems import METHOD_NOT_ALLOWED, AddressUnknown, ProblemType
from registry.api.schema.document import EXAMPLE_ORIGIN, IN_FORMAT, SUFFIX, tag_of
from registry.api.schema.examples import recorded_problem
from registry.api.schema.operations import RESPONSE_NAMES, TEXT, Details, ProblemKind, serializer_of, type_of
from registry.api.schema.problems import CONDITIONAL_PARAMETERS, HEADERS, ProblemSerializer, header_names
from registry.core.http.negotiation import PROBLEM


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # of its metaclass
    """The security scheme of TokenAuthentication."""

    target_class = "registry.api.framework.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: SpectacularAutoSchema) -> dict[str, str]:
        return {
            "type": "http",
            "scheme": "bearer",
            "description": (
                "A token, created at /accounts/tokens/ by the person for whom the program acts. Scopes: `read` for "
                "data that only the owner can see; `write` for actions of registrants and participants; `manage` for control "
                "of organisations, namespaces, co-editors and webhooks; `decide` for actions in a role of the owner. The "
                "token stops working when the account is closed, and `decide` when the role is withdrawn. Invitations, "
                "offers and claims that wait for an answer end with the token with which they were made."
            ),
        }

    def get_security_requirement(self, auto_schema: Any) -> dict[str, list[str]]:
        scope = auto_schema.view.required_scopes[auto_schema.method]
        return {self.name: [scope.value] if scope else []}


class SessionScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # of its metaclass
    """The security scheme of SessionAuthentication."""

    target_class = "registry.api.framework.sessions.SessionAuthentication"
    name = "session"

    def get_security_definition(self, auto_schema: SpectacularAutoSchema) -> dict[str, str]:
        return {
            "type": "apiKey",
            "in": "cookie",
            "name": "__Host-sessionid",
            "description": (
                "The session of a person who signed in at /accounts/login/, or confirmed their sign-in at /accounts/tokens/make/, "
                f"in the last {ACCOUNT_CHANGES_MINUTES} minutes. Writes also need the header `X-CSRFToken`. It serves to manage tokens only. "
                "The cookie has this name over HTTPS."
            ),
        }


class AutoSchema(SpectacularAutoSchema):
    """Adds to drf-spectacular the problems, headers, links and shared parameters of an operation."""

    view: Any

    def get_tags(self) -> list[str]:
        return [tag_of(self.path)]

    def get_auth(self) -> list[dict[str, Any]]:
        is_needed = self.method in self.view.required_scopes
        return super().get_auth() if is_needed else [{}]

    def get_override_parameters(self) -> list[Any]:
        """The query parameters that the view takes. Those that an operation declares are in its path and headers."""
        return [self.view.query] if self._is_read and self.view.query else []

    def get_operation(self, *args: Any, **kwargs: Any) -> dict[str, Any] | None:
        described: dict[str, Any] | None = super().get_operation(*args, **kwargs)
        if described:
            self._select_formats(described)
            self._add_parameters(described)
            self._add_responses(described["responses"])
            if "requestBody" in described:
                described["requestBody"]["description"] = self._limits()
            if self._details.is_body_required:
                described["requestBody"]["required"] = True
        return described

    @property
    def _details(self) -> Details:
        details: Details = getattr(self.view, self.method.lower()).details
        return details

    @property
    def _is_read(self) -> bool:
        return self.method == "GET"

    @property
    def _is_write(self) -> bool:
        """Whether this changes something: what needs a token."""
        return not self._is_read and self.method in self.view.required_scopes

    @property
    def _has_etag(self) -> bool:
        return self._is_read if self._details.has_etag is None else self._details.has_etag

    @property
    def _is_limited(self) -> bool:
        return Throttled in self._details.problems

    def _limits(self) -> str:
        octets = f"At most {self.view.max_body // 1024:,} KiB"
        return f"{octets}; JSON with at most {self.view.max_values:,} values in {MAX_DEPTH} levels."

    def _map_basic_serializer(self, serializer: Any, direction: str) -> dict[str, Any]:
        """An object; of a request, without unknown members, and with its defaults in words.

        Generated clients require a member that has a default, or always send it.
        """
        schema: dict[str, Any] = super()._map_basic_serializer(serializer, direction)  # type: ignore[no-untyped-call]
        if direction == "request" and issubclass(get_class(serializer), StrictSerializer):
            schema["additionalProperties"] = False
            schema |= {
                "properties": {name: _in_words(each) for name, each in schema.get("properties", {}).items()}
            }
        return schema

    def _select_formats(self, described: dict[str, Any]) -> None:
        """Leave one media type to a resource with several; the address with a suffix has them all.

        So a generated client gets JSON from an operation without asking for it.
        """
        renderers = self.view.renderer_classes
        if self.path.endswith(SUFFIX):
            described["operationId"] += IN_FORMAT
            described["summary"] += " in the format of the suffix"
            (parameter,) = (each for each in described["parameters"] if each["name"] == "suffix")
            formats = [str(each.format) for each in renderers]
            parameter |= {"description": "The format.", "schema": {"type": "string", "enum": formats}}
            parameter["examples"] = {"example": {"value": formats[-1]}}
        elif len(renderers) > 1:
            success = described["responses"][str(self._details.status)]
            media_type = str(renderers[0].media_type)
            success["content"] = {media_type: success["content"][media_type]}

    def _add_parameters(self, described: dict[str, Any]) -> None:
        parameters = described.get("parameters", [])
        for index, each in enumerate(parameters):
            if component := each.pop("x-component", ""):
                parameters[index] = self._shared("parameters", component, each)
        if self._is_read and self._has_etag:
            for name, text in CONDITIONAL_PARAMETERS.items():
                parameter = {"name": name, "in": "header", "description": text, "schema": TEXT}
                parameters.append(self._shared("parameters", name, parameter))
            described["parameters"] = parameters

    def _add_responses(self, responses: dict[str, Any]) -> None:
        """Complete the responses, and order them by status."""
        success = responses[str(self._details.status)]
        success["headers"] = self._headers(self._details.status) | {
            name: self._shared("headers", name, HEADERS[name]) for name in self._details.headers
        }
        if links := self._links():
            success["links"] = links
        if self._is_read and self._has_etag:
            responses["304"] = self._response(304, {}, "NotModified")
        by_status: dict[int, dict[ProblemType, ProblemKind]] = defaultdict(dict)
        for kind in (*self._details.problems, *self._problems_of_suffixes()):
            by_status[int(type_of(kind).status)][type_of(kind)] = kind
        responses |= {str(status): self._problems(status, kinds) for status, kinds in by_status.items()}
        for status in sorted(responses):
            responses[status] = responses.pop(status)

    def _problems_of_suffixes(self) -> tuple[ProblemKind, ...]:
        """The problems of a suffix that the resource does not have; “check.other” is the address of a URN."""
        if not self.path.endswith(SUFFIX):
            return ()
        return (AddressUnknown, METHOD_NOT_ALLOWED) if self.method == "POST" else (AddressUnknown,)

    def _links(self) -> dict[str, Any]:
        return {
            title: {"operationId": target, "parameters": dict(arguments)}
            | ({"requestBody": dict(body[0])} if body else {})
            for title, (target, arguments, *body) in self._details.links.items()
        }

    def _headers(self, status: int) -> dict[str, Any]:
        names = header_names(
            status,
            is_read=self._is_read,
            is_write=self._is_write,
            has_etag=self._has_etag,
            is_limited=self._is_limited,
        )
        return {name: self._shared("headers", name, HEADERS[name]) for name in names}

    def _problems(self, status: int, kinds: dict[ProblemType, ProblemKind]) -> dict[str, Any]:
        """The response for problems of these types: those with most members first, as the most telling."""
        ordered = sorted(kinds, key=lambda each: -len(serializer_of(kinds[each])().fields))
        schemas = [self._problem_schema(each, kinds[each]) for each in ordered]
        schema = schemas[0] if len(schemas) == 1 else {"oneOf": schemas}
        name = ordered[0].component if len(ordered) == 1 else RESPONSE_NAMES.get(frozenset(kinds), "")
        text = "; ".join(dict.fromkeys(each.title for each in kinds))
        return self._response(status, {"content": {PROBLEM: {"schema": schema}}}, name, text)

    def _response(self, status: int, body: dict[str, Any], name: str, text: str = "") -> dict[str, Any]:
        """A response, shared by that name. The responses of an operation without limit have fewer headers."""
        response = body | {
            "description": text or HTTPStatus(status).phrase,
            "headers": self._headers(status),
        }
        return self._shared("responses", name, response) if name and self._is_limited else response

    def _problem_schema(self, problem_type: ProblemType, kind: ProblemKind) -> dict[str, str]:
        serializer = serializer_of(kind)
        base = self.resolve_serializer(ProblemSerializer(), "response")
        mapped = self._map_serializer(serializer(), "response")  # type: ignore[no-untyped-call]
        own = {
            name: part for name, part in mapped["properties"].items() if name not in base.schema["properties"]
        }
        constant = {
            "type": "string",
            "pattern": f"/problems/{problem_type.slug}/$",
            "description": base.schema["properties"]["type"]["description"],
        }
        members = {"type": "object", "properties": {"type": constant} | own}
        if own:
            members["required"] = [name for name in mapped["required"] if name in own]
        schema = {
            "allOf": [base.ref, members],
            "description": problem_type.explanation,
            "examples": [recorded_problem(problem_type.slug) or _example(problem_type)],
        }
        return self._shared("schemas", problem_type.component, schema)

    def _shared(self, kind: str, name: str, described: Any) -> dict[str, str]:
        """A reference to the component, which is registered if it is new."""
        component = ResolvedComponent(name, kind, described, object=name)  # type: ignore[no-untyped-call]
        self.registry.register_on_missing(component)
        reference: dict[str, str] = component.ref
        return reference


def _in_words(member: dict[str, Any]) -> dict[str, Any]:
    """The schema of a member with its default as a sentence. An empty value is what a client expects."""
    default = member.get("default")
    rest = {name: value for name, value in member.items() if name != "default"}
    if default in (None, "", 0, []):
        return rest
    return rest | {
        "description": f"{rest.get('description', '')} By default `{json.dumps(default)}`.".strip()
    }


def _example(problem_type: ProblemType) -> dict[str, Any]:
    """An example of a problem that has no members of its own, and that was not recorded."""
    return {
        "type": f"{EXAMPLE_ORIGIN}/api/v1/problems/{problem_type.slug}/",
        "title": problem_type.title,
        "status": int(problem_type.status),
        "detail": problem_type.explanation,
        "instance": "/api/v1/",
    }
