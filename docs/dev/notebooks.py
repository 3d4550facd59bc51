"""Run the notebooks of the documentation and store what they print and show.

`pip install nbclient ipykernel pillow`, then `python docs/dev/notebooks.py [NAME …]`. Pictures are
stored with few colours, so that the repository stays small.
"""

import json
import sys
from base64 import b64decode, b64encode
from io import BytesIO
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "notebooks"
_COLOURS = 96
_SECONDS = 600


def execute(path: Path) -> None:
    """Run a notebook and write it back with its output.

    Parameters
    ----------
    path
        The notebook.
    """
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=_SECONDS, kernel_name="python3").execute()
    document = json.loads(nbformat.writes(notebook))
    document["metadata"] = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for cell in document["cells"]:
        cell["metadata"] = {}
        for output in cell.get("outputs", ()):
            shrink(output.get("data", {}))
    text = json.dumps(document, ensure_ascii=False, indent=1)
    path.write_text(text + "\n", encoding="utf-8")


def shrink(data: dict[str, Any]) -> None:
    """Store the picture of an output with few colours.

    Parameters
    ----------
    data
        The output's forms by type.
    """
    from PIL import Image

    if "image/png" not in data:
        return
    picture = Image.open(BytesIO(b64decode("".join(data["image/png"])))).convert("RGB")
    stream = BytesIO()
    few = picture.quantize(_COLOURS, dither=Image.Dither.NONE)
    few.save(stream, "PNG", optimize=True)
    data["image/png"] = b64encode(stream.getvalue()).decode()


if __name__ == "__main__":
    names = sys.argv[1:] or [path.stem for path in sorted(FOLDER.glob("*.ipynb"))]
    for name in names:
        execute(FOLDER / f"{name}.ipynb")
