"""One thin module per command: options in, a call of the library, a table or JSON out."""
