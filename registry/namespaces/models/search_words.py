"""The vocabulary from which searches correct misspelt words."""

from django.db import models


class SearchWord(models.Model):
    """A word of a NID, a registrant's name or a profile, in lower case and without accents.

    Triggers write it (`migrations/vocabulary.sql`). A word may have several rows.
    """

    word = models.CharField(max_length=32, db_collation="C")

    class Meta:
        indexes = [models.Index(fields=["word"], name="search_words")]

    def __str__(self) -> str:
        return self.word
