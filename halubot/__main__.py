"""`python -m halubot` is the command `halubot`."""

import sys

from halubot.cli import main

sys.exit(main())
