"""Compiled kernels on disk: a file for each kernel and signature, checked before it is loaded.

Numba has a cache of its own, but that checks only the file of the function itself. The kernels that
a kernel calls, and constants of other modules, are compiled into it. If one of those changes,
numba's cache continues to use the old code. Here compiled code is used only while all these files
are unchanged.

The *name* of a file identifies the code: kernel, types of the arguments, system, processor, and
version of Python. Its *content* has three parts; the first two are a line each:

1. the SHA-256 of all that follows, so that no damaged code is run;
2. the stamp: the version of this format, numba's version, and the hash of all compiled sources;
3. the code (`gammacp.kernel.numba_code`).

A file that is damaged, has another stamp or belongs to somebody else is ignored: the kernel is
compiled again, and the file replaced. A wheel may contain files that suit any processor of its kind
(docs/dev/contributing.md); they are checked in the same way. Without a folder, or on a full disk,
kernels are compiled in every process. No failure of the cache ends a computation.
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
    """Cache files of one kernel, with the methods that numba calls on a cache."""

    def __init__(self, function: Callable[..., Any]) -> None:
        """Prepare the cache of a kernel's Python function; OSError if its source is not a file."""
        code = function.__code__
        assert function.__closure__ is None, "a kernel that closes over a value cannot be kept"
        self._name = re.sub("[<>]", "", f"{function.__module__}.{function.__qualname__}")
        self._line = code.co_firstlineno
        hashed = hash_of_sources(Path(code.co_filename))
        self._stamp = f"{_FORMAT} {numba.__version__} {hashed}".encode()

    @property
    def cache_path(self) -> str | None:
        """Folder that new code is written to; numba reads it for its statistics."""
        folder = writable_folder()
        if folder is None:
            return None
        return os.fspath(folder)

    def load_overload(self, signature: object, context: Any) -> Any:
        """Return the compiled code for a signature; None if there is no usable code."""
        for path in self._places(signature, context):
            code = self._read(path)
            if code is not None:
                try:
                    return numba_code.from_bytes(code, context)
                except Exception as error:  # whatever it is, compiling anew helps
                    _warn_of_damage(path.parent, error)
        return None

    def is_current(self, signature: object, context: Any) -> bool:
        """Tell whether there is a file for a signature and these sources; it may be damaged."""
        for path in self._places(signature, context):
            with suppress(OSError), path.open("rb") as file:
                head = file.read(_LONGEST_HEAD).split(b"\n", 2)
                if head[1:2] == [self._stamp]:
                    return True
        return False

    def save_overload(self, signature: object, result: Any) -> None:
        """Keep compiled code for a signature if that is safe and there is a folder for it."""
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
        """Return the code in a file; None if it is damaged, not trusted, or has another stamp."""
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
        """Yield the paths that may have code for a signature."""
        name = self._file_name(signature, context)
        for folder in cache_folders():
            yield folder / name
        yield SHIPPED / self._file_name(signature, context, _ANY_PROCESSOR)

    def _file_name(
        self, signature: object, context: Any, processor: tuple[str, str] | None = None
    ) -> str:
        """Return the file name of code for a signature and a processor (default: this one)."""
        system, *this_processor = numba_code.system_and_processor(context)
        machine = (system, *(processor or this_processor))
        variant = (self._line, str(signature), machine, sys.version_info[:2])
        return f"{self._name}-{sha256(repr(variant).encode()).hexdigest()[:20]}.kernel"


def _digest(content: bytes) -> bytes:
    return sha256(content).hexdigest().encode()


def _can_be_told_apart(code: bytes) -> bool:
    """Tell whether all function names in this code are unique to it; warn if they are not."""
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
    """Return a hash of a module of kernels and of all of gammacp that is compiled into them."""
    digest = sha256()
    for path in sorted(compiled_files(module)):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def compiled_files(module: Path) -> set[Path]:
    """Return the file of a module of kernels, and all files of gammacp compiled into these kernels.

    These are the modules that it imports names from. Of those, modules that define kernels
    themselves are followed further. OSError if `module` is not a file.
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
    """Warn that compiled code cannot be kept, so that every process compiles again."""
    _warn(
        f"compiled code cannot be kept ({reason}): every process compiles again, which takes up "
        "to 20 s. Set NUMBA_CACHE_DIR to a folder of your own"
    )


def _warn_of_damage(folder: Path, reason: object) -> None:
    _warn(f"compiled code in {folder} is damaged ({reason}) and is compiled again")


@cache
def _warn(message: str) -> None:
    """Warn once per message, and only in the main process, as workers would repeat it."""
    if parent_process() is None:
        warnings.warn(message, RuntimeWarning, stacklevel=3)
