"""Compiled kernels on disk: a file for each kernel and signature, checked before it is loaded.

They are kept in `__pycache__` beside this module, or in the user's cache folder where that cannot
be written, or where NUMBA_CACHE_DIR says. A file that is cut, changed or of somebody else is as
good as none: the kernel is compiled anew, and the file replaced. Without a folder, or on a full
disk, kernels are compiled in every process.

A wheel may bring code for any processor of its kind (`shipped`, docs/dev/packaging.md). It is used
as if it had been compiled here, if it is of this numba and of these sources.

A kernel also has the kernels that it calls and the constants of other modules compiled into it, so
its code is used for as long as the content of none of these files changes.

Numba tells functions of one name apart by a number, and counts from 1 in every process. Codes that
different processes have kept then call each other's functions: `np.sort` in one is `np.argsort` of
another, and the result is wrong (numba issue 10486). Numbers here are random instead.
"""

import gc
import os
import pickle
import re
import secrets
import sys
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache, partial
from hashlib import sha256
from multiprocessing import parent_process
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import numba
from numba.core.bytecode import FunctionIdentity
from numba.core.caching import CompileResultCacheImpl
from numba.core.serialize import dumps

from gammacp.base.files import atomic_write
from gammacp.base.stopping import told_of_compiling

try:
    import fcntl
except ImportError:  # Windows: two processes may compile the same
    fcntl = None  # type: ignore[assignment]

_ROOT = Path(__file__).parents[2]
SHIPPED = Path(__file__).parent / "shipped"
_ANY_PROCESSOR = "generic", ""  # name and features, as numba has them with NUMBA_CPU_NAME=generic
_KERNELS = "from gammacp.kernel import"
_IMPORTED = re.compile(r"^from (gammacp(?:\.\w+)+) import", re.MULTILINE)

# What makes bytes of compiled code and code of bytes; where they are kept it need not know.
_NUMBA: Any = object.__new__(CompileResultCacheImpl)
# Of all that this process compiles: what numba brings for arrays is compiled into kernels, too.
_NUMBERED = hasattr(FunctionIdentity, "_unique_ids")
FunctionIdentity._unique_ids = iter(partial(secrets.randbits, 64), None)  # type: ignore[assignment]
# What is kept without such numbers is compiled anew.
_KEPT = "4"


class KernelCache:
    """What numba asks for compiled code and hands it to, for one kernel."""

    def __init__(self, function: Any) -> None:
        """`function` is the kernel as it was written."""
        code = function.__code__
        assert function.__closure__ is None, "a kernel that closes over a value cannot be kept"
        self._name = re.sub("[<>]", "", f"{function.__module__}.{function.__qualname__}")
        self._line = code.co_firstlineno
        self._stamp = f"{_KEPT} {numba.__version__} {sources(Path(code.co_filename))}".encode()

    @property
    def cache_path(self) -> str | None:
        """The folder that new code goes to, as numba's statistics name it."""
        folder = writable_folder()
        return None if folder is None else os.fspath(folder)

    def load_overload(self, signature: object, context: Any) -> Any:
        """The compiled code for a signature; None if it is not there, or cannot be used."""
        for path in self._places(signature, context.codegen()):
            code = self._code_in(path)
            if code is not None:
                try:
                    _prepare(context)
                    return _NUMBA.rebuild(context, pickle.loads(code))
                except Exception as error:  # of another numba, say: whatever it is costs no γ
                    _compiled_anew(path.parent, error)
        return None

    def is_current(self, signature: object, context: Any) -> bool:
        """Whether there is a file of these sources for a signature, sound or not."""
        for path in self._places(signature, context.codegen()):
            with suppress(OSError), path.open("rb") as file:
                if file.read(1000).split(b"\n", 2)[1:2] == [self._stamp]:
                    return True
        return False

    def save_overload(self, signature: object, result: Any) -> None:
        """Keep what was compiled for a signature, if there is a place for it."""
        folder = writable_folder() if _NUMBERED else None
        if folder is None:
            none = "no cache folder can be written"
            not_kept(none if _NUMBERED else "this numba numbers functions in another way")
            return
        if result.library.has_dynamic_globals:  # addresses of this process
            return
        try:
            kept = b"\n".join((self._stamp, dumps(_NUMBA.reduce(result))))  # type: ignore[no-untyped-call]
            name = self._file_name(signature, result.codegen)
            with atomic_write(folder / name) as path:
                path.write_bytes(b"\n".join((_digest(kept), kept)))
        except (OSError, AttributeError, pickle.PicklingError) as error:
            not_kept(f"{folder}: {getattr(error, 'strerror', None) or error}")

    def _code_in(self, path: Path) -> bytes | None:
        """What a file keeps, if it is sound and of this source and numba."""
        try:
            content = path.read_bytes() if _is_ours(path) else b""
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            _compiled_anew(path.parent, error)
            return None
        digest, _, kept = content.partition(b"\n")
        stamp, _, code = kept.partition(b"\n")
        if digest != _digest(kept):
            _compiled_anew(path.parent, "not as it was written, or by somebody else")
            return None
        return code if stamp == self._stamp else None

    def _places(self, signature: object, codegen: Any) -> Iterator[Path]:
        """Where code of this kernel for arguments of these kinds may be."""
        name = self._file_name(signature, codegen)
        yield from (folder / name for folder in _folders())
        yield SHIPPED / self._file_name(signature, codegen, _ANY_PROCESSOR)

    def _file_name(self, signature: object, codegen: Any, processor: tuple[str, ...] = ()) -> str:
        """Of this kernel for arguments of these kinds, on this Python and a processor.

        What only other kernels can call is in a library of another kind.
        """
        system, *this_one = codegen.magic_tuple()
        kind = str(getattr(codegen, "_library_class", None))
        of = system, *(processor or this_one), kind
        variant = self._line, str(signature), of, sys.version_info[:2]
        return f"{self._name}-{sha256(repr(variant).encode()).hexdigest()[:20]}.kernel"


def _digest(content: bytes) -> bytes:
    return sha256(content).hexdigest().encode()


def _prepare(context: Any) -> None:
    """Have code loaded without filling numba's tables, which take half a second.

    They are for compiling alone, which fills them itself.
    """
    try:
        from numba.core.runtime.nrt import rtsys

        rtsys.initialize(context)
    except (AttributeError, ImportError):  # a numba that does this otherwise
        context.refresh()


def _folders() -> Iterator[Path]:
    """Where compiled code may be, in this order."""
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        yield Path(chosen) / _of_this_copy()
        return
    yield Path(__file__).parent / "__pycache__"
    home = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    user = Path(home or os.path.expanduser("~/.cache"))  # noqa: PTH111 (there may be no home)
    if user.is_absolute():
        yield user / "gammacp" / _of_this_copy()


def _of_this_copy() -> str:
    """Several copies of gammacp may share a cache folder."""
    return f"kernels-{sha256(os.fsencode(_ROOT)).hexdigest()[:12]}"


@cache
def writable_folder() -> Path | None:
    """The first of the cache's folders in which a file can be made; None without any."""
    for folder in _folders():
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with TemporaryFile(dir=folder):
                return folder
        except OSError:
            continue
    return None


_alone: list[bool] = []


@contextmanager
def alone() -> Iterator[None]:
    """Within, no other process compiles: one that waited finds what this one has kept.

    Whoever calls it holds numba's lock of compilation. Python's garbage collector rests: looking
    through what numba makes took 9 % of the time.
    """
    folder = writable_folder()
    while told_of_compiling:
        told_of_compiling.pop()()
    with ExitStack() as stack:
        if fcntl is not None and folder is not None and not _alone:
            with suppress(OSError):  # a file system without locks
                lock = os.open(folder, os.O_RDONLY)
                stack.callback(os.close, lock)
                fcntl.flock(lock, fcntl.LOCK_EX)
        if gc.isenabled():
            gc.disable()
            stack.callback(gc.enable)
        _alone.append(True)
        stack.callback(_alone.pop)
        yield


def _is_ours(path: Path) -> bool:
    """Whether nobody else wrote a file: what is loaded from it runs with the user's rights.

    The owner of gammacp's source is trusted, too.
    """
    if not hasattr(os, "getuid"):
        return True
    return path.stat().st_uid in (0, os.getuid(), Path(__file__).stat().st_uid)


@cache
def sources(module: Path) -> str:
    """A hash of a file with kernels, and of all of gammacp that is compiled into them.

    These are the files with kernels that it imports from, theirs in turn, and the modules that any
    of them takes constants from.
    """
    files, waiting = {module}, [module]
    while waiting:
        text = waiting.pop().read_text(encoding="utf-8")
        for name in _IMPORTED.findall(text) if _KERNELS in text else ():
            found = _ROOT.joinpath(*name.split("."))
            there = {f for f in (found.with_suffix(".py"), found / "__init__.py") if f.is_file()}
            waiting += there - files
            files |= there
    digest = sha256()
    for path in sorted(files):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def not_kept(why: object) -> None:
    """Tell that kernels are compiled in every process."""
    _warn(
        f"compiled code cannot be kept ({why}): every process compiles again, which takes up "
        "to 10 s. Set NUMBA_CACHE_DIR to a folder of your own"
    )


def _compiled_anew(folder: Path, why: object) -> None:
    _warn(f"compiled code in {folder} is damaged ({why}) and is compiled again")


@cache
def _warn(what: str) -> None:
    """Once for each thing."""
    if parent_process() is None:  # workers would say it again
        warnings.warn(what, RuntimeWarning, stacklevel=3)
