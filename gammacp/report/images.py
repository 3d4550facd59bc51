"""Images in the folder of the annotations, to be drawn under their shapes."""

import warnings
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

from gammacp.base.files import content_of, named_as
from gammacp.continuum import Continuum
from gammacp.errors import DataError, UsageError

ENDINGS = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp", ".tif", ".tiff")
_LONGEST = 1200  # pixels of the longer side in the page
MOST = 32 << 20  # bytes of all images in a page
# Exif tag and its values for which width and height are exchanged
_ORIENTATION = 0x0112
_TURNED = (5, 6, 7, 8)


@dataclass(frozen=True)
class Grounds:
    """Images under the drawings of documents.

    Attributes
    ----------
    images
        (address, (width, height)) by document, with the original size of the image in pixels.
    notes
        Notes on documents without an image, with the reason.
    """

    images: Mapping[str, tuple[str, tuple[int, int]]] = field(
        default_factory=lambda: MappingProxyType({})
    )
    notes: tuple[str, ...] = ()


def images_of(
    documents: Mapping[str, Continuum], folder: Path, *, below: bool = True
) -> dict[str, Path]:
    """Return the image files of documents with shapes in space, matched by `named_as`.

    Parameters
    ----------
    documents
        Continua by name.
    folder
        Folder to search.
    below
        Whether to search its subfolders, too.
    """
    drawn = [name for name, c in documents.items() if c.in_space]
    if drawn:
        return named_as(drawn, folder, ENDINGS, below=below)
    return {}


def grounds(
    documents: Mapping[str, Continuum], places: Iterable[Path], *, linked: bool = False
) -> Grounds:
    """Return the images of documents for use in a page.

    Parameters
    ----------
    documents
        Continua by name.
    places
        Folders to search with their subfolders. For a file, its folder is searched without
        subfolders.
    linked
        Whether the page requests images from the studio (`./image?document=NAME`). Otherwise they
        are embedded in the page, scaled to 1200 pixels, up to 32 MB in total.
    """
    path_by_document: dict[str, Path] = {}
    for place in places:
        if place.is_dir():
            folder = place
        else:
            folder = place.parent
        path_by_document = {
            **images_of(documents, folder, below=place.is_dir()),
            **path_by_document,
        }
    images: dict[str, tuple[str, tuple[int, int]]] = {}
    without: dict[str, list[str]] = {}
    together = 0
    for name in (n for n, c in documents.items() if c.in_space):
        try:
            if name not in path_by_document:
                raise DataError("no image, or more than one, has the name of the document")
            if linked:
                with _image_of(path_by_document[name]) as image:
                    images[name] = f"./image?document={quote(name, safe='')}", _size(image)
                continue
            content, size = small_jpeg(path_by_document[name])
            together += len(content)
            if together > MOST:
                raise DataError(f"the page has {MOST >> 20} MB of images already")
            inside = b64encode(content).decode("ascii")
            images[name] = f"data:image/jpeg;base64,{inside}", size
        except (DataError, UsageError) as error:
            if isinstance(error, DataError):
                reason = error.message
            else:
                reason = str(error)
            without.setdefault(reason, []).append(name)
    return Grounds(
        images, tuple(_in_words(names, explanation) for explanation, names in without.items())
    )


def _in_words(names: Sequence[str], why: str) -> str:
    listed = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
    return f"{len(names)} drawn without an image ({listed}): {why}."


def small_jpeg(path: Path) -> tuple[bytes, tuple[int, int]]:
    """Return an image as an upright JPEG of at most 1200 pixels a side, and its original size.

    Parameters
    ----------
    path
        Path of the file.

    Raises
    ------
    DataError
        The file is not an image, or has too many pixels to unpack safely.
    UsageError
        Pillow is not installed.
    """
    with _image_of(path) as image:
        from PIL import ImageOps

        size = _size(image)
        image.draft("RGB", (_LONGEST, _LONGEST))  # unpack a large JPEG only at reduced size
        upright = ImageOps.exif_transpose(image).convert("RGB")
        upright.thumbnail((_LONGEST, _LONGEST))
        buffer = BytesIO()
        upright.save(buffer, "JPEG", quality=80)
        return buffer.getvalue(), size


def _size(image: Any) -> tuple[int, int]:
    width, height = image.size
    turned = image.getexif().get(_ORIENTATION) in _TURNED
    if turned:
        return (height, width)
    return (width, height)


@contextmanager
def _image_of(path: Path) -> Iterator[Any]:
    """Yield the image of a file; turn every error about it into a DataError."""
    try:
        from PIL import Image
    except ImportError:
        message = "images need Pillow: pip install 'gammacp[shapes]'"
        raise UsageError(message) from None
    content = BytesIO(content_of(path))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(content) as image:
                yield image
    except Exception as error:  # image decoders raise all kinds of exceptions
        raise DataError(f"image cannot be read: {error}", file=path.name) from None
