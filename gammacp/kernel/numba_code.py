"""Compiled code as bytes and back, with function names that no other process has given.

This is the only module that knows how numba represents compiled code. gammacp uses these
undocumented parts of numba, and no others:

==============================================  ==============================================
`FunctionIdentity._unique_ids`                  here: the counter behind names of functions
`CompileResultCacheImpl.reduce`, `.rebuild`     here: code as objects that can be pickled
`dumps`, `rtsys.initialize`, `.magic_tuple()`   here: pickling, preparing to load, processor
`CPUDispatcher._cache`, `._compile_for_args`    `gammacp.kernel`: where the cache is asked, and
                                                where plain Python may answer instead
==============================================  ==============================================

Why names matter (numba issue 10486): numba distinguishes functions of the same name by a number in
their symbols, and counts from 1 in every process. So `np.sort` in code from one process and
`np.argsort` in code from another may have the same symbol. If both are loaded, one is called
instead of the other, and the result is wrong. Therefore gammacp draws these numbers at random while
it compiles. It keeps no code that contains a function numbered by numba itself, as happens if that
function was compiled before for another package in the same process.
"""

import pickle
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import bytecode
from numba.core.caching import CompileResultCacheImpl
from numba.core.serialize import dumps

FIRST_RANDOM_NUMBER = 1 << 40
"""Least number of a function that gammacp compiled; numba never counts so far."""

# A number is a tag of a symbol (`B`, length of the tag, tag) and is followed by another tag.
_NUMBER_IN_SYMBOL = re.compile(rb"B(\d{1,3})v(\d+)B\d")


class _Conversion(CompileResultCacheImpl):
    """Numba's conversion of compiled code, without its search for a cache folder."""

    def __init__(self) -> None:
        """Skip numba's search for a folder beside the source."""


_CONVERSION: Any = _Conversion()


@contextmanager
def random_function_numbers() -> Iterator[None]:
    """Give the functions that are compiled in this block random numbers.

    The caller must hold numba's compiler lock, so that other packages always see numba's own
    counter. A version of numba without this counter is not changed; `function_numbers` then finds
    no random numbers, and no code is kept.
    """
    owner: Any = getattr(bytecode, "FunctionIdentity", None)
    counter = getattr(owner, "_unique_ids", None)
    if counter is None:
        yield
        return
    owner._unique_ids = iter(_random_number, None)
    try:
        yield
    finally:
        owner._unique_ids = counter


def _random_number() -> int:
    return FIRST_RANDOM_NUMBER + secrets.randbits(63)


def function_numbers(code: bytes) -> set[int]:
    """Return the numbers in the symbols of all functions in compiled code."""
    matches = _NUMBER_IN_SYMBOL.findall(code)
    return {int(digits) for length, digits in matches if int(length) == 1 + len(digits)}


def is_bound_to_this_process(result: Any) -> bool:
    """Tell whether compiled code contains addresses, which are useless in other processes."""
    return bool(result.library.has_dynamic_globals)


def to_bytes(result: Any) -> bytes:
    """Return compiled code as bytes; AttributeError or PicklingError if that is impossible."""
    code: bytes = dumps(_CONVERSION.reduce(result))  # type: ignore[no-untyped-call]
    return code


def from_bytes(code: bytes, context: Any) -> Any:
    """Load the result of `to_bytes`; code of another numba version may raise any error."""
    _prepare_loading(context)
    return _CONVERSION.rebuild(context, pickle.loads(code))


def _prepare_loading(context: Any) -> None:
    """Start numba's runtime without filling its compiler tables, which takes half a second.

    Numba fills them itself when it compiles.
    """
    try:
        from numba.core.runtime.nrt import rtsys

        rtsys.initialize(context)
    except (AttributeError, ImportError):  # a numba that starts otherwise
        context.refresh()


def system_and_processor(context: Any) -> tuple[str, str, str]:
    """Return the system, the processor's name and its features that numba compiles for."""
    system, name, features = context.codegen().magic_tuple()
    return system, name, features
