"""The errors of profiles: where a profile, a grammar or a pattern is wrong, why, and what to do."""


class InvalidRules(ValueError):
    """A grammar, a pattern or another rule for names that cannot be used.

    `position` is the 0-based index of the fault in the text, None if it has no place. `reason` and `advice` are
    sentences; `advice` says what to do and may be "".
    """

    def __init__(self, reason: str, advice: str = "", *, text: str = "", position: int | None = None) -> None:
        super().__init__(reason, advice)
        self.reason = reason
        self.advice = advice
        self.text = text
        self.position = position

    @property
    def line(self) -> int | None:
        """The line of the fault, counted from 1."""
        return None if self.position is None else self.text.count("\n", 0, self.position) + 1

    @property
    def column(self) -> int | None:
        """The column of the fault in its line, counted from 1."""
        return None if self.position is None else self.position - self.text.rfind("\n", 0, self.position)

    @property
    def place(self) -> str:
        """The place in words, such as "line 2, column 5"; "" if there is none."""
        return "" if self.position is None else f"line {self.line}, column {self.column}"

    @property
    def message(self) -> str:
        """The reason and the advice, without the place."""
        return f"{self.reason} {self.advice}".rstrip()

    def __str__(self) -> str:
        place = self.place
        return f"{place[0].upper()}{place[1:]}: {self.message}" if place else self.message


class InvalidGrammar(InvalidRules):
    """The text is not a grammar in ABNF (RFC 5234, RFC 7405), or not one that can be matched safely.

    >>> error = InvalidGrammar("The rule “b” is not defined.", text="a = b", position=4)
    >>> print(error)
    Line 1, column 5: The rule “b” is not defined.
    """


class InvalidPattern(InvalidRules):
    """RE2 rejects the pattern, or it is too large, or it contains a character that no NSS can contain."""

    def __str__(self) -> str:
        return self.message


class InvalidIgnoredCharacters(InvalidRules):
    """A character that cannot be ignored when names are compared."""

    def __str__(self) -> str:
        return self.message


class InvalidTemplate(InvalidRules):
    """An address template that cannot be used, or that would not be safe.

    >>> print(InvalidTemplate("The scheme is not https.", "Write https://", text="http://a.example/", position=0))
    Column 1: The scheme is not https. Write https://
    """

    @property
    def place(self) -> str:
        return "" if self.position is None else f"column {self.column}"


class UnsafeAddress(ValueError):
    """The address of a service for one name would not be safe. `reason` is a sentence."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class InvalidProfile(ValueError):
    """A profile that does not follow the schema.

    `file` is the name of the file, "" if there is none; `key` is the place in the profile, such as
    ``names.checks[0].algorithm``; `place` is the place in the value, such as "line 2, column 5", or "".

    >>> print(InvalidProfile("subjects[0]", "“books” is not a subject.", "Use one of: …", file="isbn.toml"))
    isbn.toml: subjects[0]: “books” is not a subject. Use one of: …
    """

    def __init__(self, key: str, reason: str, advice: str = "", *, place: str = "", file: str = "") -> None:
        super().__init__(key, reason)
        self.key = key
        self.reason = reason
        self.advice = advice
        self.place = place
        self.file = file

    @classmethod
    def from_rules(cls, key: str, error: InvalidRules) -> "InvalidProfile":
        """The error of a rule, with the key that contains the rule."""
        return cls(key, error.reason, error.advice, place=error.place)

    def __str__(self) -> str:
        where = ": ".join(filter(None, [self.file, ", ".join(filter(None, [self.key, self.place]))]))
        what = f"{self.reason} {self.advice}".rstrip()
        return f"{where}: {what}" if where else what


class OtherNamespace(ValueError):
    """A URN was judged by the profile of another namespace."""

    def __init__(self, nid: str, expected: str) -> None:
        super().__init__(f"A URN of “{nid}” cannot be judged by the profile of “{expected}”.")
