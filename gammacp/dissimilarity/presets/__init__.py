"""The dissimilarities that come with gammacp as TOML files, registered by the names of these."""

from pathlib import Path

from gammacp.base.files import lift_confinement
from gammacp.dissimilarity.named import DISSIMILARITIES
from gammacp.dissimilarity.toml_file import read_dissimilarity

with lift_confinement():
    for _preset in sorted(Path(__file__).parent.glob("*.toml")):
        DISSIMILARITIES.register(_preset.stem, read_dissimilarity(_preset))
