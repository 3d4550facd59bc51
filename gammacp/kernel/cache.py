"""Compiled kernels on disk: a file for each kernel and signature, checked before it is loaded.

Numba has a cache, too, but looks only at the file of the function itself. A kernel also has the
kernels that it calls and the constants of other modules compiled into it: if one of those changes,
numba's cache goes on with the old code. Here compiled code is used only while the content of all
these files is what it was.

A file's *name* says which code this is: kernel, types of the arguments, system, processor, version
of Python. Its *content* is three parts, each but the last on a line of its own:

1. the SHA-256 of all that follows, so that no damaged code is run;
2. the stamp: this format, numba's version, the hash of all sources that were compiled into it;
3. the code (`gammacp.kernel.numba_code`).

A file that is damaged, of another stamp or somebody else's is as good as none: the kernel is
compiled anew, and the file replaced. A wheel may bring files for any processor of its kind
(docs/dev/contributing.md), which are checked likewise. Without a folder, or on a full disk, kernels
are compiled in every process. Nothing that goes wrong here ends a computation.
"""

import os
import pickle
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from hashlib import sha256
from multiprocessing import parent_process
from pathlib import Path
from typing import Any

import numba

from gammacp.base.files import atomic_write
from gammacp.kernel import numba_code
from gammacp.kernel.folders import ROOT, SHIPPED, cache_folders, is_trusted, writable_folder

_FORMAT = "5"  # raised when code that was kept before must not be used
_ANY_PROCESSOR = ("generic", "")  # name and features, as with NUMBA_CPU_NAME=generic
_LONGEST_HEAD = 1000  # bytes of a file that surely hold its first two lines
_IMPORTS_KERNELS = "from gammacp.kernel import"
_IMPORTED_MODULE = re.compile(r"^from (gammacp(?:\.\w+)+) import", re.MULTILINE)


class KernelCache:
    """Files of one kernel, in the form in which numba asks for a cache."""

    def __init__(self, function: Callable[..., Any]) -> None:
        """Prepare for a kernel as it was written; OSError if its source is not a file."""
        code = function.__code__
        assert function.__closure__ is None, "a kernel that closes over a value cannot be kept"
        self._name = re.sub("[<>]", "", f"{function.__module__}.{function.__qualname__}")
        self._line = code.co_firstlineno
        hashed = hash_of_sources(Path(code.co_filename))
        self._stamp = f"{_FORMAT} {numba.__version__} {hashed}".encode()

    @property
    def cache_path(self) -> str | None:
        """Folder that new code goes to, for numba's statistics."""
        folder = writable_folder()
        if folder is None:
            return None
        return os.fspath(folder)

    def load_overload(self, signature: object, context: Any) -> Any:
        """Return the compiled code for a signature; None if there is none that can be used."""
        for path in self._places(signature, context):
            code = self._read(path)
            if code is not None:
                try:
                    return numba_code.from_bytes(code, context)
                except Exception as error:  # whatever it is, compiling anew helps
                    _warn_of_damage(path.parent, error)
        return None

    def is_current(self, signature: object, context: Any) -> bool:
        """Tell whether a file of these sources is there for a signature, sound or not."""
        for path in self._places(signature, context):
            with suppress(OSError), path.open("rb") as file:
                head = file.read(_LONGEST_HEAD).split(b"\n", 2)
                if head[1:2] == [self._stamp]:
                    return True
        return False

    def save_overload(self, signature: object, result: Any) -> None:
        """Keep what was compiled for a signature, if that is safe and there is a place for it."""
        folder = writable_folder()
        if folder is None:
            warn_of_not_keeping("no cache folder can be written")
            return
        if numba_code.is_bound_to_this_process(result):
            return
        try:
            code = numba_code.to_bytes(result)
            if _can_be_told_apart(code):
                content = b"\n".join((self._stamp, code))
                name = self._file_name(signature, result.target_context)
                with atomic_write(folder / name) as path:
                    path.write_bytes(b"\n".join((_digest(content), content)))
        except (OSError, AttributeError, pickle.PicklingError) as error:
            reason = getattr(error, "strerror", None) or error
            warn_of_not_keeping(f"{folder}: {reason}")

    def _read(self, path: Path) -> bytes | None:
        """Return the code in a file; None if it is damaged, of others, or not of this stamp."""
        try:
            if is_trusted(path):
                content = path.read_bytes()
            else:
                content = b""
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            _warn_of_damage(path.parent, error)
            return None
        digest, _, checked = content.partition(b"\n")
        stamp, _, code = checked.partition(b"\n")
        if digest != _digest(checked):
            _warn_of_damage(path.parent, "not as it was written, or by somebody else")
            return None
        if stamp == self._stamp:
            return code
        return None

    def _places(self, signature: object, context: Any) -> Iterator[Path]:
        """Yield the paths at which code for a signature may be."""
        name = self._file_name(signature, context)
        for folder in cache_folders():
            yield folder / name
        yield SHIPPED / self._file_name(signature, context, _ANY_PROCESSOR)

    def _file_name(
        self, signature: object, context: Any, processor: tuple[str, str] | None = None
    ) -> str:
        """Return the file name of code for a signature; without `processor`, for this one."""
        system, *this_processor = numba_code.system_and_processor(context)
        machine = (system, *(processor or this_processor))
        variant = (self._line, str(signature), machine, sys.version_info[:2])
        return f"{self._name}-{sha256(repr(variant).encode()).hexdigest()[:20]}.kernel"


def _digest(content: bytes) -> bytes:
    return sha256(content).hexdigest().encode()


def _can_be_told_apart(code: bytes) -> bool:
    """Tell whether no other process can have given a name in this code; warn if one can."""
    numbers = numba_code.function_numbers(code)
    if max(numbers, default=0) < numba_code.FIRST_RANDOM_NUMBER:
        warn_of_not_keeping("this numba names functions in another way")
        return False
    if min(numbers) < numba_code.FIRST_RANDOM_NUMBER:
        _warn(
            "compiled code is not kept, because numba compiled parts of it for another package "
            "before: other processes may compile them again. Run `gammacp warm-up` once to keep "
            "them"
        )
        return False
    return True


@cache
def hash_of_sources(module: Path) -> str:
    """Return a hash of a file with kernels, and of all of gammacp that is compiled into them."""
    digest = sha256()
    for path in sorted(compiled_files(module)):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def compiled_files(module: Path) -> set[Path]:
    """Return a file with kernels, and the files of gammacp that are compiled into them.

    These are the modules that it imports names from, and in turn those that they import from if
    they define kernels themselves. OSError if `module` is not a file.
    """
    files = {module}
    waiting = [module]
    while waiting:
        text = waiting.pop().read_text(encoding="utf-8")
        if _IMPORTS_KERNELS not in text:
            continue
        for name in _IMPORTED_MODULE.findall(text):
            base = ROOT.joinpath(*name.split("."))
            for path in (base.with_suffix(".py"), base / "__init__.py"):
                if path.is_file() and path not in files:
                    files.add(path)
                    waiting.append(path)
    return files


def warn_of_not_keeping(reason: object) -> None:
    """Warn that kernels are compiled in every process."""
    _warn(
        f"compiled code cannot be kept ({reason}): every process compiles again, which takes up "
        "to 20 s. Set NUMBA_CACHE_DIR to a folder of your own"
    )


def _warn_of_damage(folder: Path, reason: object) -> None:
    _warn(f"compiled code in {folder} is damaged ({reason}) and is compiled again")


@cache
def _warn(message: str) -> None:
    """Warn once of each thing, and not from workers, which would say it again."""
    if parent_process() is None:
        warnings.warn(message, RuntimeWarning, stacklevel=3)
