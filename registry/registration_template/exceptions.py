"""Exceptions for invalid templates and for texts that cannot be parsed, with one class per reason."""


class InvalidTemplate(ValueError):
    """The template, or its JSON form, is not valid."""

    def __init__(self, message: str, *, section: str = "") -> None:
        super().__init__(message)
        self.section = section


class InvalidCharacter(InvalidTemplate):
    """A character that a database, mail or XML document cannot contain."""


class TemplateTooLong(InvalidTemplate):
    """The template exceeds the maximum length."""


class UnknownField(InvalidTemplate):
    """The JSON form contains an unknown field."""


class WrongType(InvalidTemplate):
    """A field has a value of the wrong type."""


class UnreadableTemplate(ValueError):
    """The text can't be parsed as one completed template."""

    def __init__(self, message: str, *, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


class NotPlainText(UnreadableTemplate):
    """The input is binary or contains control characters."""


class InputTooLong(UnreadableTemplate):
    """The input is longer than any template."""


class NoHeadings(UnreadableTemplate):
    """No section of the template was found."""


class MultipleTemplates(UnreadableTemplate):
    """The text contains more than one template."""


class TooManyHeadings(UnreadableTemplate):
    """The section headings repeat too often."""
