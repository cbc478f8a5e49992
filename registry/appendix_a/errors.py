"""What can be wrong with a submission as a value, and with a text as a template: one class a reason."""


class InvalidSubmission(ValueError):
    """The text of a section, or its JSON form, can't be kept."""

    def __init__(self, message: str, *, section: str = "") -> None:
        super().__init__(message)
        self.section = section


class InvalidCharacter(InvalidSubmission):
    """A character that no database column, mail or XML document would keep."""


class TooMuchText(InvalidSubmission):
    """More text than a submission may hold."""


class UnknownField(InvalidSubmission):
    """The JSON form names a field that the template does not have."""


class WrongType(InvalidSubmission):
    """A field holds something other than what it is made of."""


class UnreadableTemplate(ValueError):
    """The text can't be read as one completed template."""

    def __init__(self, message: str, *, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


class NotPlainText(UnreadableTemplate):
    """The input is binary, or holds control characters."""


class TooLong(UnreadableTemplate):
    """The input is longer than any template."""


class NoHeadings(UnreadableTemplate):
    """No section of the template was found."""


class SeveralTemplates(UnreadableTemplate):
    """The text holds more than one template."""


class TooManyHeadings(UnreadableTemplate):
    """The sections of the template repeat far too often."""
