"""Shares of an alignment's stages: python THIS CASE WHAT, with CASE and WHAT of alignment_case.

WHAT is `align` (ties broken, as users call it) or `gamma` (30 random sets). Every stage's function
is wrapped in a clock that counts CPU time exclusively: a stage that calls another one is not
charged for it. Prints JSON: CPU seconds in all and the share of each stage, mean of several runs.
"""

import functools
import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from alignment_case import gamma, instance, warm_up

from gammacp import Combined, Continuum, align
from gammacp.dissimilarity import bind

# Stage, and the functions that it consists of: "module.function" within gammacp.
STAGES = {
    "draw": ("chance.sampling.sample_seed", "chance.cut.CutSampler.draw"),
    "dissimilarities": (
        "alignment.kernels.pairs.scan",
        "alignment.ties.category_costs",
    ),
    "columns": (
        "alignment.candidates.build_problem",
        "alignment.kernels.pairs.adjacency",
        "alignment.columns.enumerate_columns",
        "alignment.kernels.pricing.price_groups",
        "alignment.kernels.projection.price_near",
        "alignment.kernels.projection.project_on_all",
    ),
    "prices": ("alignment.duals.diffusion.prices",),
    "LP": ("alignment.duals.lp.block_prices", "alignment.duals.lp.relax"),
    "assignment": ("alignment.solvers.bipartite.match",),
    "components": ("alignment.proof.components.best_of_columns",),
    "CP-SAT": ("alignment.packing.cpsat.best_packing",),
    "ties": ("alignment.ties.break_ties", "alignment.ties.sort_groups"),
}


class Clock:
    """CPU seconds by stage; time outside of all stages is "rest"."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = defaultdict(float)
        self._stack = ["rest"]
        self._since = time.process_time()

    def _switch(self) -> None:
        now = time.process_time()
        self.spent[self._stack[-1]] += now - self._since
        self._since = now

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count time for this stage until the block ends."""
        self._switch()
        self._stack.append(name)
        try:
            yield
        finally:
            self._switch()
            self._stack.pop()

    def wrapped(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function wrapped so that its time counts for the stage `name`."""

        @functools.wraps(function)
        def timed(*args: Any, **kwargs: Any) -> Any:
            with self.stage(name):
                return function(*args, **kwargs)

        return timed


def instrument(clock: Clock) -> None:
    """Wrap every stage's functions in the clock, in all modules that have imported them."""
    for stage, paths in STAGES.items():
        for path in paths:
            module, name = path.rsplit(".", 1)
            owner, _, class_name = module.rpartition(".")
            if class_name[:1].isupper():
                holder = getattr(import_module(f"gammacp.{owner}"), class_name)
                setattr(holder, name, clock.wrapped(stage, getattr(holder, name)))
                continue
            function = getattr(import_module(f"gammacp.{module}"), name)
            timed = clock.wrapped(stage, function)
            for loaded in list(sys.modules.values()):
                ours = getattr(loaded, "__name__", "").startswith("gammacp")
                if ours and getattr(loaded, name, None) is function:
                    setattr(loaded, name, timed)


def main() -> None:
    case, what = sys.argv[1:3]
    continuum = instance(case)
    run = gamma if what == "gamma" else aligned
    warm_up(continuum.n_annotators)
    run(instance("3x30:9:random"))
    align(instance("9x9:9:random"))
    clock = Clock()
    instrument(clock)
    runs, total = 0, 0.0
    while runs < 3 or (runs < 200 and total < 2.0):
        start = time.process_time()
        with clock.stage("rest"):
            run(continuum)
        total += time.process_time() - start
        runs += 1
    inside = {name: clock.spent[name] for name in ("rest", *STAGES)}
    inside["rest"] = total - sum(clock.spent[name] for name in STAGES)
    shares = {name: spent / total for name, spent in inside.items()}
    print(json.dumps({"cpu": total / runs, "runs": runs, **shares}))


def aligned(continuum: Continuum) -> float:
    return align(continuum, bind(Combined(), continuum)).disorder


if __name__ == "__main__":
    main()
