"""Annotation sets from the Corpus Shuffling Tool (2015, §6.3.1)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from gammacp.base.left_out import LeftOut
from gammacp.continuum import Continuum
from gammacp.continuum.needs import with_links
from gammacp.errors import UsageError
from shuffling.fitting import fit_hulls
from shuffling.model_file import read_model
from shuffling.panel import Panel
from shuffling.reference import ReferenceModel
from shuffling.registry import ErrorType
from shuffling.shuffle import reference_of, shuffled_set


@dataclass(frozen=True)
class Shuffled:
    """Sets of annotators who err on a reference, as `shuffling.shuffled_set` makes them.

    Attributes
    ----------
    origin
        A model, from which each set draws its own reference (the same one under every error and
        at every magnitude), or a continuum, which is the reference of every set.
    model
        Model that new units and prevalence come from, beside a continuum; default: learnt from it.
    named
        Errors under names of their own, for parameters that a text cannot hold.
    panel
        Annotators who err unequally; None: all alike. A sweep has as many as its panel.
    """

    origin: ReferenceModel | Continuum = field(default_factory=ReferenceModel)
    model: ReferenceModel | None = None
    named: Mapping[str, tuple[ErrorType, ...]] = field(default_factory=dict)
    panel: Panel | None = None

    def configuration(self) -> Mapping[str, object]:
        """Return the model's fields, or a hash of the reference's units."""
        if isinstance(self.origin, Continuum):
            origin: dict[str, object] = {"reference": _fingerprint(self.origin)}
        else:
            origin = {"drawn from": self.origin}
        if self.model is not None:
            origin["model"] = self.model
        if self.panel is not None:
            origin["panel"] = self.panel
        return origin | ({"named": dict(self.named)} if self.named else {})

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """Return what was left out of the reference's file."""
        if isinstance(self.origin, Continuum):
            return self.origin.left_out
        return ()

    @property
    def reference_model(self) -> ReferenceModel:
        """Return the model of errors: as given, as the origin is one, or learnt from the origin."""
        if self.model is not None:
            return self.model
        if isinstance(self.origin, ReferenceModel):
            return self.origin
        return fit_hulls(self.origin)

    def draw(
        self, error: str, magnitude: float, set_number: int, *, n_annotators: int, seed: int
    ) -> Continuum:
        """Return a set; `gammacp shuffle` makes the same one from the same arguments.

        Raises UsageError if a panel has another number of annotators.
        """
        if self.panel is not None and n_annotators != self.panel.n_annotators:
            raise UsageError(
                f"n_annotators {n_annotators}, but the panel has {self.panel.n_annotators}"
            )
        return shuffled_set(
            self.origin,
            self.named.get(error, error),
            magnitude,
            self.panel or n_annotators,
            index=set_number,
            model=self.model,
            seed=seed,
        )


def _fingerprint(c: Continuum) -> str:
    parts = (c.categories, c.bounds, c.starts.tolist(), c.ends.tolist(), c.category_codes.tolist())
    if c.inside is None:
        inside = ""
    else:
        inside = repr(c.inside.tolist())
    return sha256((repr(parts) + inside).encode()).hexdigest()[:16]


def source_from(
    *,
    reference: str | Path | None = None,
    annotator: str | None = None,
    model: str | Path | ReferenceModel | None = None,
    layout: str | None = None,
) -> Shuffled:
    """Return the source for the options of the command line.

    Parameters
    ----------
    reference
        A file with the reference's units.
    annotator
        Annotator of that file whose units are taken, where it has several.
    model
        A reference model, or a TOML file with one; default: the model of the figures of §6.3.
    layout
        `apart`, `overlapping`, `covering` or `fixed`: the model's layout instead of its own.

    Raises
    ------
    UsageError
        A layout is given with a reference, or an annotator without one.
    """
    if model is None or isinstance(model, ReferenceModel):
        chosen = model
    else:
        chosen = read_model(model)
    if reference is None:
        if annotator is not None:
            raise UsageError("annotator applies to a reference file: give `reference=FILE`, too")
        drawn_from = chosen or ReferenceModel()
        return Shuffled(drawn_from if layout is None else drawn_from.laid_out(layout))
    if layout is not None:
        raise UsageError("layout applies to drawn references: leave it out with `reference=`")
    from gammacp.formats import read
    from gammacp.formats.boundary import place_errors

    with place_errors(reference):
        right_units = with_links(reference_of(read(reference), annotator), needed=False)
        return Shuffled(right_units, chosen)
