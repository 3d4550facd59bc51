"""Compiled code as bytes and back, with function names that no other process has given.

This is the only module that knows how numba represents compiled code. All that gammacp takes of
numba's inside, which no documentation promises, is:

==============================================  ==============================================
`FunctionIdentity._unique_ids`                  here: the counter behind names of functions
`CompileResultCacheImpl.reduce`, `.rebuild`     here: code as objects that can be pickled
`dumps`, `rtsys.initialize`, `.magic_tuple()`   here: pickling, preparing to load, processor
`CPUDispatcher._cache`, `._compile_for_args`    `gammacp.kernel`: where the cache is asked, and
                                                where plain Python may answer instead
==============================================  ==============================================

Why names matter (numba issue 10486): numba tells functions of one name apart by a number in their
symbols, and counts from 1 in every process. `np.sort` in code that one process has kept and
`np.argsort` in that of another can so have the same symbol. Where both are loaded, one is called
for the other, and the result is wrong. So gammacp draws numbers at random while it compiles, and
keeps no code with a function that was numbered by numba: another package, whose code was compiled
before in the same process, may have caused that function to be compiled.
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

# A number is one of the tags of a symbol (`B`, length of the tag, tag), followed by another tag.
_NUMBER_IN_SYMBOL = re.compile(rb"B(\d{1,3})v(\d+)B\d")


class _Conversion(CompileResultCacheImpl):
    """Numba's conversion of compiled code, without its choice of a folder."""

    def __init__(self) -> None:
        """Skip numba's search for a folder beside the source."""


_CONVERSION: Any = _Conversion()


@contextmanager
def random_function_numbers() -> Iterator[None]:
    """Yield the number the functions that are compiled in this block at random.

    The caller holds numba's lock of compilation, so that other packages find numba's own counter,
    as it was. A numba without such a counter is left as it is; `function_numbers` then finds no
    random numbers, and nothing is kept.
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
    """Return the numbers of all functions whose symbols occur in compiled code."""
    matches = _NUMBER_IN_SYMBOL.findall(code)
    return {int(digits) for length, digits in matches if int(length) == 1 + len(digits)}


def is_bound_to_this_process(result: Any) -> bool:
    """Tell whether compiled code holds addresses, which are of no use elsewhere."""
    return bool(result.library.has_dynamic_globals)


def to_bytes(result: Any) -> bytes:
    """Return what numba compiled as bytes; AttributeError or PicklingError if that cannot be."""
    code: bytes = dumps(_CONVERSION.reduce(result))  # type: ignore[no-untyped-call]
    return code


def from_bytes(code: bytes, context: Any) -> Any:
    """Load the result of `to_bytes`; any error may come of the code of another numba."""
    _prepare_loading(context)
    return _CONVERSION.rebuild(context, pickle.loads(code))


def _prepare_loading(context: Any) -> None:
    """Start numba's runtime, but do not fill its tables for compiling, which takes half a second.

    Numba fills them itself when it compiles.
    """
    try:
        from numba.core.runtime.nrt import rtsys

        rtsys.initialize(context)
    except (AttributeError, ImportError):  # a numba that starts otherwise
        context.refresh()


def system_and_processor(context: Any) -> tuple[str, str, str]:
    """Return the system, the processor's name and its features, as numba compiles for them."""
    system, name, features = context.codegen().magic_tuple()
    return system, name, features
