"""`python -m urnregistry`."""

import sys

from urnregistry.cli import main

sys.exit(main())
