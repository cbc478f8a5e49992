"""A small template in the form of today, and one in the older form."""

PLAIN = """\
Namespace Registration for the Example Society

Namespace Identifier:  wxn

Version:  1

Date:  2026-01-31

Registrant:

   Name: Example Society

Purpose:

Names of stations.

Syntax:

An opaque string.

Assignment:

By the society.
"""


OLDER = """\
2.  Specification Template

   Namespace ID:

      "wxn"

   Registration Information:

      Version 1
      Date: 2001-02-03

   Declared registrant of the namespace:

      Example Society

   Declaration of syntactic structure:

      An opaque string.

   Relevant ancillary documentation:

      None.

   Identifier uniqueness considerations:

      One register.

   Identifier persistence considerations:

      Never reassigned.

   Process of identifier assignment:

      By the society.

   Process for identifier resolution:

      None.

   Rules for Lexical Equivalence:

      None.

   Conformance with URN Syntax:

      Yes.

   Validation mechanism:

      By asking.

   Scope:

      Global.
"""
