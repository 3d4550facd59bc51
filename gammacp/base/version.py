"""Version of gammacp: apart from the package itself, so that modules need not import that."""

__version__ = "0.1.0"
