"""Boundary around readers and sniffers: an unexpected exception is an error of that file only.

A reader checks what it reads. Where it fails all the same, the exception becomes a DataError that
names the file and the exception's type, and the other files are still read.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from os import PathLike
from typing import ParamSpec, TypeVar

from gammacp.errors import DataError, GammacpError

P = ParamSpec("P")
T = TypeVar("T")

_CAUGHT: ContextVar[tuple[type[Exception], ...]] = ContextVar("caught", default=(Exception,))
_LONGEST = 200


@contextmanager
def unforeseen_raised() -> Iterator[None]:
    """Let unforeseen exceptions through in this block, for tests that look for them."""
    token = _CAUGHT.set(())
    try:
        yield
    finally:
        _CAUGHT.reset(token)


@contextmanager
def error_of(place: str | PathLike[str]) -> Iterator[None]:
    """Turn unforeseen exceptions of the block into a DataError that names the file.

    Parameters
    ----------
    place
        The file, for the message.
    """
    try:
        yield
    except GammacpError:
        raise
    except RecursionError:
        raise DataError("content is nested too deeply", file=place) from None
    except _CAUGHT.get() as error:
        raise DataError(
            f"the reader failed with {type(error).__name__}: {str(error)[:_LONGEST]}",
            file=place,
            hint="This is a bug in gammacp: please report it. Nothing in this file was read",
        ) from error


@contextmanager
def place_errors(
    file: str | PathLike[str] | None, line: int | None = None, part: str = ""
) -> Iterator[None]:
    """Add this place to a DataError of the block that has none, and this part, if any.

    Parameters
    ----------
    file, line, part
        As for `DataError.at` and `DataError.within`.
    """
    try:
        yield
    except DataError as error:
        raise (error.within(part) if part else error).at(file, line) from None


def guard(function: Callable[P, T]) -> Callable[P, T]:
    """Wrap a reader or a sniffer so that unexpected exceptions become a DataError.

    Parameters
    ----------
    function
        Function whose last argument by position is a Source or a path.
    """

    @wraps(function)
    def inside(*arguments: P.args, **options: P.kwargs) -> T:
        try:
            return function(*arguments, **options)
        except Exception:
            # Entered only here, as the context manager costs more time than most sniffers take.
            source = arguments[-1]
            with error_of(getattr(source, "place", None) or str(source)):
                raise

    return inside
