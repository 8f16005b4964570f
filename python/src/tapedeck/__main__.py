"""`python -m tapedeck` runs the command `tapedeck`."""

from .program import main

main()
