"""`python -m gammacp` is the command line."""

from gammacp.cli import main

main()
