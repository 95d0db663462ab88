"""`python -m skillmill`: the command line."""

from skillmill.interfaces.cli import main

main()
