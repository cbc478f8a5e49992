"""What can be wrong with a template as a value, and with a text as a template: one class a reason."""


class InvalidTemplate(ValueError):
    """The text of a section, or its JSON form, can't be kept."""

    def __init__(self, message: str, *, section: str = "") -> None:
        super().__init__(message)
        self.section = section


class InvalidCharacter(InvalidTemplate):
    """A character that no database column, mail or XML document would keep."""


class TemplateTooLong(InvalidTemplate):
    """More text than a template may hold."""


class UnknownField(InvalidTemplate):
    """The JSON form names a field that the template does not have."""


class WrongType(InvalidTemplate):
    """A field holds something other than what it is made of."""


class UnreadableTemplate(ValueError):
    """The text can't be read as one completed template."""

    def __init__(self, message: str, *, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


class NotPlainText(UnreadableTemplate):
    """The input is binary, or holds control characters."""


class InputTooLong(UnreadableTemplate):
    """The input is longer than any template."""


class NoHeadings(UnreadableTemplate):
    """No section of the template was found."""


class MultipleTemplates(UnreadableTemplate):
    """The text holds more than one template."""


class TooManyHeadings(UnreadableTemplate):
    """The sections of the template repeat far too often."""
