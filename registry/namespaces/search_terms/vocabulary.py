"""The vocabulary of searches, from which the names of people are erased."""

from django.db import connection


def unused_words(*texts: str) -> list[str]:
    """The words of texts that the vocabulary has although no namespace has them."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM namespaces_unused_words(%s) ORDER BY 1", [list(texts)])
        return [word for (word,) in cursor.fetchall()]


def forget_unused_words(*texts: str) -> None:
    """Remove the words of texts that no namespace has."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT namespaces_forget(%s)", [list(texts)])
