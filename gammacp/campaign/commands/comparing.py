"""Options of the commands that compare annotators: `compare` and `report`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gammacp.cli.options.groups import option
from gammacp.cli.options.loading import Loaded, load, teams_of
from gammacp.cli.options.reading import NOT_SAID, TEAM, Files, Reading, Sampled
from gammacp.cli.options.settings import ComputingFlags, wants_interval

if TYPE_CHECKING:
    from gammacp.continuum import Continuum


@dataclass(frozen=True)
class Comparing:
    """Options for what is compared, and for its intervals."""

    sampled: Sampled = NOT_SAID
    reference: str | None = option(
        "Compare this annotator (a system, a gold standard) with the others."
    )
    against: list[Path] | None = option(
        "Compare with another round or campaign: its files (repeatable) or the round's name."
    )
    group: list[str] | None = option(
        "Annotators who belong together; give it twice or more to see agreement within and "
        "across groups.",
        "NAME=ANNOTATOR,…",
    )
    session: str | None = option(
        "People who annotated twice: a feature of the units that names the session, or a pattern "
        "of annotators' names such as '{annotator}-{session}'.",
        "FEATURE|PATTERN",
    )
    order: str | None = option(
        "When each document was annotated, to see γ change over time: a feature of the units (a "
        "number, a date such as 2026-11-23), or a CSV file (document, order).",
        "FEATURE|FILE.csv",
    )
    team: Path | None = TEAM
    interval: bool = option("Give an interval over documents.", default=True)
    bootstrap: int | None = option("The old name of --interval.", min=0, hidden=True)
    leave_one_out: bool = option(
        "Also γ without each annotator; slow for many annotators.", default=True
    )
    computing: ComputingFlags = field(default_factory=ComputingFlags)

    @cached_property
    def wants_interval(self) -> bool:
        """Return whether an interval over documents is asked for."""
        return wants_interval(self.interval, self.bootstrap)

    def about(self) -> dict[str, str]:
        """Return the options on documents, and on sessions if a feature has them."""
        session = self.session or "{"
        about = self.sampled.values() | ({} if "{" in session else {"session": session})
        return about | ({} if self.order is None else {"order": self.order})

    def load(
        self,
        files: Files,
        reading: Reading,
        features: Sequence[str],
        writes: Sequence[Path],
        options: Mapping[str, Any],
    ) -> Loaded:
        """Read what is compared; `options` are those of γ, `writes` the files to be written."""
        return load(
            files,
            reading,
            features,
            writes=writes,
            about=self.about(),
            links=True,
            by_default_chance="chance" not in options,
            people=[self.reference] if self.reference else (),
        )

    def options(
        self,
        files: Files,
        reading: Reading,
        features: Sequence[str],
        continua: Mapping[str, Continuum],
    ) -> dict[str, Any]:
        """Return the options as `gammacp.campaign.compare.compare` takes them.

        The other round is read likewise; `continua` are those that were read.
        """
        from gammacp.formats.sessions import PATTERN

        against = None
        if self.against:
            against = (
                load(files, reading, features, against=self.against, about=self.about())
                .corpus()
                .continua
            )
        return {
            "reference": self.reference,
            "against": against,
            "groups": self.group or (),
            "session": PATTERN if self.session and "{" not in self.session else self.session,
            "teams": self._teams(continua),
            "in_order": self.order is not None,
            "draws": int(self.wants_interval),
            "leave_one_out": self.leave_one_out,
        }

    def _teams(self, continua: Mapping[str, Continuum]) -> dict[str, str] | None:
        """Return the teams; those of people who annotated twice are checked with their names."""
        from gammacp.campaign.compare.sessions import first_sessions
        from gammacp.formats.sessions import PATTERN

        if self.team is None:
            return None
        pattern = PATTERN if self.session and "{" not in self.session else self.session
        people = first_sessions(continua, pattern)
        return teams_of(self.team, people, self.reference)
