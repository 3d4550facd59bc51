"""Lazy imports: public names of packages, and pictures of results, on first use."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from inspect import signature
from types import ModuleType
from typing import TYPE_CHECKING, Any, Unpack

if TYPE_CHECKING:
    from gammacp.base.pictures import Picture, PlotOptions


def lazy_names(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a `__getattr__` for a package that imports its public names on first use.

    Parameters
    ----------
    package
        The package's name, for the error about an unknown name.
    homes
        Module that has each public name.

    >>> lazy_names("here", {"pi": "math"})("pi")
    3.141592653589793
    """

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(homes[name]), name)

    return get


def make_callable(package: str, name: str) -> None:
    """Make a package callable as its function of the same name.

    `gammacp.NAME` is both a function for users and a package with modules, but an attribute can
    hold only one of them.

    Parameters
    ----------
    package
        The package's name.
    name
        The public name of its function.
    """

    class CallablePackage(ModuleType):
        """A package that is called as one of its functions."""

        def __call__(self, *arguments: Any, **options: Any) -> Any:
            return getattr(self, name)(*arguments, **options)

        @property
        def __signature__(self) -> Any:
            return signature(getattr(self, name))

        def __dir__(self) -> list[str]:
            return sorted({*super().__dir__(), *self.__all__})

    sys.modules[package].__class__ = CallablePackage


class Plotted:
    """A result with a picture: a class that has `_picture` gets `plot`."""

    def _picture(self, width: float) -> Picture:
        """Make the picture for a width in inches."""
        raise NotImplementedError

    def plot(self, figure: Any = None, **options: Unpack[PlotOptions]) -> Any:
        """Draw the result; return matplotlib's figure.

        What is drawn, and what the caption says, is in docs/figures.md.

        Parameters
        ----------
        figure
            A figure or part of one to draw on; by default a new one.
        options
            `width`, `caption` and `style` (`gammacp.base.pictures.PlotOptions`).

        Raises
        ------
        DataError
            There is nothing to draw.
        UsageError
            Matplotlib is missing (extra `plot`).
        """
        from gammacp.base.pictures import draw

        return draw(self._picture, figure, **options)
