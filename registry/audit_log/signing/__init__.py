"""Signatures of heads and escrows: the format of the notes, and the keys."""
