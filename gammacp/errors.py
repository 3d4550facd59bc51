"""Errors that a user can correct, each with its exit code."""

from __future__ import annotations

from os import PathLike

_LONGEST = 4000


class GammacpError(Exception):
    """Base of all errors raised on purpose; the command line exits with `exit_code`."""

    exit_code = 1

    def __str__(self) -> str:
        """Return the message; what acts or hides in names of files is made visible."""
        from gammacp.base.text import visible  # errors are the ground that all stands on

        return visible(super().__str__(), keep="\n")


class UsageError(GammacpError, ValueError):
    """A wrong call or option: an unknown name, or a value outside its range."""

    exit_code = 2


class DataError(GammacpError, ValueError):
    """Bad data: what is wrong, where, and what to do.

    Parameters
    ----------
    message
        Description of the mistake, subject first ("end 3 < start 7 of a unit by Ann").
    file, line
        Place of the mistake (line counts from 1); either may be unknown.
    hint
        Advice about it.
    """

    exit_code = 3

    def __init__(
        self,
        message: str,
        *,
        file: str | PathLike[str] | None = None,
        line: int | None = None,
        hint: str | None = None,
    ) -> None:
        """Store the parts separately, so that a caller can add the place of the mistake."""
        super().__init__(message)
        self.message = message
        self.file = file
        self.line = line
        self.hint = hint

    def __str__(self) -> str:
        """`file:line: message (hint)`."""
        from gammacp.base.text import visible

        text, place = self.message_and_place
        return visible(f"{place}: {text}" if place else text)

    @property
    def message_and_place(self) -> tuple[str, str]:
        """The message with its hint, and `file:line`: many files may have the same error."""
        if self.file is None:
            place = ""
        else:
            place = str(self.file)
        if self.line is not None:
            if place:
                place = f"{place}:{self.line}"
            else:
                place = f"line {self.line}"
        text = self.message
        if len(text) > _LONGEST:  # it quotes a stranger's file
            text = f"{text[:_LONGEST]}… ({len(text) - _LONGEST} characters more)"
        return f"{text.removesuffix('.')}. {self.hint}" if self.hint else text, place

    def within(self, part: str) -> DataError:
        """Return the error with the name of a part ("item 'x'") in its message.

        Parameters
        ----------
        part
            Name of the part that the error is in.
        """
        message = f"{part}: {self.message}"
        return DataError(message, file=self.file, line=self.line, hint=self.hint)

    def at(self, file: str | PathLike[str] | None, line: int | None = None) -> DataError:
        """Return the error with file and line added, unless they are set.

        Parameters
        ----------
        file, line
            Place of the mistake.
        """
        return DataError(
            self.message,
            file=self.file if self.file is not None else file,
            line=self.line if self.line is not None else line,
            hint=self.hint,
        )


class UnprovenError(GammacpError):
    """`--require-optimal` was asked for and a bound is all there is."""

    exit_code = 4


class BelowThresholdError(GammacpError):
    """`--fail-under` was missed."""

    exit_code = 5
