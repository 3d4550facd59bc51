"""Texts that many cells share (names, reasons, signatures), by number."""

import sqlite3

_MOST = 10_000


class Texts:
    """The table `texts`; the numbers of the last thousands are remembered."""

    def __init__(self, database: sqlite3.Connection) -> None:
        """Wrap an open store."""
        self._database = database
        self._known: dict[str, int] = {}

    def find(self, text: str) -> int | None:
        """Return the number of a text; None if it is not there."""
        number = self._known.get(text)
        if number is not None:
            return number
        row = self._database.execute("SELECT id FROM texts WHERE text = ?", (text,)).fetchone()
        if row is None:
            return None
        return self._remember(text, int(row[0]))

    def number(self, text: str) -> int:
        """Return the number of a text, which is added if it is not there."""
        existing = self.find(text)
        if existing is not None:
            return existing
        cursor = self._database.execute("INSERT INTO texts (text) VALUES (?)", (text,))
        assert cursor.lastrowid is not None
        return self._remember(text, cursor.lastrowid)

    def forget(self) -> None:
        """After a transaction that failed: what it added is gone with it."""
        self._known.clear()

    def _remember(self, text: str, number: int) -> int:
        if len(self._known) >= _MOST:
            self._known.clear()
        self._known[text] = number
        return number
