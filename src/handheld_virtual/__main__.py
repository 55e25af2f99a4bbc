"""`python -m handheld_virtual` is `handheld virtual`."""

import sys

from .command_line import main

if __name__ == "__main__":
    sys.exit(main())
