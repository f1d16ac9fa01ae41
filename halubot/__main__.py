"""`python -m halubot` is the command `halubot`."""

from halubot.cli import script

script()
