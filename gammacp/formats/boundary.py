"""The boundary round readers and sniffers: what nobody foresaw is the error of its file alone.

Files are strangers'. A reader checks what it reads; where it stumbles all the same, the error says
so with its type, and the other files go on.
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
    """A reader or a sniffer within the boundary.

    Parameters
    ----------
    function
        Its last argument by position is a Source or a path.
    """

    @wraps(function)
    def inside(*given: P.args, **options: P.kwargs) -> T:
        try:
            return function(*given, **options)
        except Exception:  # the context costs more than most sniffers: only those who stumble pay
            with error_of(getattr(given[-1], "place", None) or str(given[-1])):
                raise

    return inside
