"""Fit models of what an annotator says, given the truth: Dawid & Skene, one coin, and MACE.

Every model has a confusion matrix P(said | true) per annotator. The models differ in its form:

- Dawid & Skene (1979, eqs. 2.3–2.5): the matrix is unrestricted;
- one coin: the annotator is right with one probability, and all wrong labels are equally likely;
- MACE (Hovy et al. 2013, fig. 1): the annotator knows and gives the true label with probability θ,
  and otherwise draws a label from an individual distribution ξ that does not depend on the truth.
  True classes are uniform.

EM alternates between the posterior of the truth and the parameters. The matrix of an annotator with
few responses would overfit. All matrices are therefore shrunk towards the average of the corpus's
annotators, with the weight of `strength` responses per true class. **(choice)**

Items that all annotators passed over are usually missing from the data, because a unit that nobody
marked leaves no trace. With `unseen`, the unrestricted model accounts for this (zero truncation).
For n observed items, each E step adds n·Z/(1 − Z) unobserved ones, where Z is the probability that
all annotators of the item give the last label. Without this, a model would conclude that units
which many annotators miss do not exist.

If responses have positions (`Responses.closeness`), the distance between the marks of an item helps
to distinguish a real unit from a coincidence: its distribution is fitted separately for items where
something is there and for items where nothing is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from gammacp.base.arguments import number, one_of, whole
from gammacp.base.arrays import Bools, Codes, Floats
from gammacp.campaign.annotators.responses import LEVELS, Responses
from gammacp.errors import DataError

STRENGTH = 5.0
TOLERANCE = 1e-4
ITERATIONS = 500
# Largest number of unobserved items per observed item; more would not change the result.
_MOST_PLACES = 1000
_LEAST = 1e-10


class AnnotatorModel(StrEnum):
    """Models of annotators."""

    DAWID_SKENE = "dawid-skene"
    ONE_COIN = "one-coin"
    MACE = "mace"


@dataclass(frozen=True, eq=False, kw_only=True)
class Fit:
    """A fitted model.

    Attributes
    ----------
    model
        Model that was fitted.
    of_kinds, kind
        P(true class | responses) of each kind of item, shape (kinds, classes), and the kind of each
        item. Items with the same responses are of the same kind.
    confusion
        P(said | true), shape (annotators, classes, labels).
    counts
        Expected number of responses by truth, shape as `confusion`.
    prevalence
        P(true class), shape (classes,).
    closeness
        P(level of closeness | something is there) and P(level | nothing is), shape (2, levels).
    unseen
        Expected number of items that all annotators passed over, by true class, shape (classes,);
        zeros if the model does not account for them. `counts` and `prevalence` include them.
    log_likelihood
        Log-likelihood of the responses, in nats, without the priors.
    iterations, converged
        Number of iterations, and whether no posterior changed by more than the tolerance in the
        last one.
    """

    model: AnnotatorModel
    of_kinds: Floats
    kind: Codes
    confusion: Floats
    counts: Floats
    prevalence: Floats
    closeness: Floats
    unseen: Floats
    log_likelihood: float
    iterations: int
    converged: bool

    @property
    def posterior(self) -> Floats:
        """Return P(true class | responses), shape (items, classes)."""
        return np.asarray(self.of_kinds[self.kind])


def fit(
    responses: Responses,
    model: str = "dawid-skene",
    *,
    strength: float = STRENGTH,
    unseen: bool = False,
    start: Floats | None = None,
    knowing: Floats | None = None,
    tolerance: float = TOLERANCE,
    iterations: int = ITERATIONS,
) -> Fit:
    """Fit an annotator model by expectation maximization.

    Parameters
    ----------
    responses
        Responses of annotators to items; at least one.
    model
        `dawid-skene`, `one-coin` or `mace`.
    strength
        Weight of the average annotator in each annotator's matrix, in responses per true class,
        ≥ 0. With 0, the estimate is that of maximum likelihood, as in the papers.
    unseen
        Whether items to which all annotators give the last label are missing from the responses.
        Only `dawid-skene` accounts for them.
    start
        Initial posterior, shape (items, labels); default: shares of the votes.
    knowing
        For MACE: initial P(knew | said it and it was true), shape (annotators, labels); default ½.
    tolerance
        Largest change of a posterior at which the fit counts as converged.
    iterations
        Largest number of iterations, ≥ 1.

    Raises
    ------
    UsageError
        A value is outside its range.
    DataError
        There is no response.

    Notes
    -----
    >>> said = np.array([[0, 0, 0], [0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 1]])  # 0 yes, 1 no
    >>> item, who = np.indices(said.shape).reshape(2, -1)
    >>> rows = Responses(item, who, said.ravel(), 5, ("A", "B", "C"), ("yes", "no"))
    >>> found = fit(rows, strength=0)
    >>> found.posterior[:, 0].round(3).tolist()
    [1.0, 1.0, 1.0, 0.0, 0.0]
    >>> found.confusion[2, 0].round(3).tolist()  # C says no to one of three that are yes
    [0.667, 0.333]
    """
    kind = AnnotatorModel(one_of("model", model, AnnotatorModel))
    strength = number("strength", strength, 0.0)
    tolerance = number("tolerance", tolerance, 0.0)
    iterations = whole("iterations", iterations, 1)
    if not len(responses.item):
        raise DataError("there is no response to fit annotators on")
    evidence = _MergedResponses.of(responses, kind, strength, unseen=unseen)
    truths = evidence.truths_at_first(start, knowing)
    done = 0
    moved = tolerance + 1
    while done < iterations and moved > tolerance:
        done += 1
        before = truths.posterior
        parameters = evidence.maximize(truths)
        truths = evidence.expect(parameters)
        moved = float(np.abs(truths.posterior - before).max())
    return evidence.fit_of(parameters, truths, iterations=done, converged=moved <= tolerance)


@dataclass(frozen=True, eq=False)
class _Parameters:
    """Parameters of a model, as in `Fit`, with the state that is passed to its next M step."""

    confusion: Floats
    prevalence: Floats
    closeness: Floats
    state: _MStepState


@dataclass(frozen=True, eq=False)
class _Truths:
    """Posterior of the truth under given parameters.

    Attributes
    ----------
    posterior, log_likelihoods
        P(true class | responses) of each kind of item, and the log-likelihood of each.
    passed_over
        Expected number of items that all annotators passed over, by true class, shape (items,
        classes).
    state
        State that is passed to the next M step.
    """

    posterior: Floats
    log_likelihoods: Floats
    passed_over: Floats
    state: _MStepState


@dataclass(frozen=True, eq=False)
class _MergedResponses:
    """Responses of a fit, where items with the same responses are merged.

    Attributes
    ----------
    responses, kinds, times
        Responses to one item of each kind, the kind of each item, and the frequency of each kind.
    silent, passed_over
        Items that all annotators pass over, one for each set of annotators, and the number of
        observed items of each such set (`Responses.passed_over`). The numbers are 0 if the model
        does not account for such items.
    used
        Whether each annotator ever used each label, shape (annotators, 1, labels).
    """

    kind: AnnotatorModel
    strength: float
    responses: Responses
    kinds: Codes
    times: Floats
    silent: Responses
    passed_over: Floats
    used: Bools

    @classmethod
    def of(
        cls, responses: Responses, kind: AnnotatorModel, strength: float, *, unseen: bool
    ) -> _MergedResponses:
        """Merge items with the same responses."""
        distinct, kinds, times = responses.distinct
        k = len(responses.labels)
        used = np.bincount(distinct.codes, minlength=len(distinct.annotators) * k) > 0
        silent, passed_over = responses.passed_over
        if not unseen or kind is not AnnotatorModel.DAWID_SKENE:
            passed_over = np.zeros_like(passed_over)
        return cls(
            kind, strength, distinct, kinds, times, silent, passed_over, used.reshape(-1, 1, k)
        )

    def truths_at_first(self, start: Floats | None, knowing: Floats | None) -> _Truths:
        """Return the initial posterior of the truth; see `fit` for the parameters."""
        annotators, _, k = self.used.shape
        if knowing is None:
            knowing = np.full((annotators, k), 0.5)
        posterior = self.responses.vote_shares()
        if start is not None:
            shares = [np.bincount(self.kinds, share) / self.times for share in start.T]
            posterior = np.column_stack(shares)
        # Start with one unobserved item without a unit per observed item. What was marked is then
        # taken to be real until the data indicate otherwise.
        passed_over = np.outer(self.passed_over, np.arange(k) == k - 1)
        state = _MStepState(self.strength, self.used, knowing)
        return _Truths(posterior, np.zeros(len(posterior)), passed_over, state)

    def counts(self, truths: _Truths) -> Floats:
        """Return the expected number of responses by annotator, truth and label."""
        weighed = truths.posterior * self.times[:, None]
        silent = expected_counts(self.silent, truths.passed_over)
        return expected_counts(self.responses, weighed) + silent

    def maximize(self, truths: _Truths) -> _Parameters:
        """Return the parameters that make these truths most probable (M step)."""
        confusion, state = _M_STEPS[self.kind](self.counts(truths), truths.state)
        k = len(self.responses.labels)
        prevalence = np.full(k, 1 / k)
        if self.kind is not AnnotatorModel.MACE:
            weighed = truths.posterior * self.times[:, None]
            prevalence = weighed.sum(axis=0) + truths.passed_over.sum(axis=0)
            if self.strength:
                # Add 1 to each class that was used (Laplace), unless only the data should count.
                prevalence += self.used.any(axis=(0, 1))
            prevalence = np.maximum(prevalence / prevalence.sum(), _LEAST)
        closeness = _closeness(self.responses, truths.posterior, self.times, self.strength)
        return _Parameters(confusion, prevalence, closeness, state)

    def expect(self, parameters: _Parameters) -> _Truths:
        """Return the truths that these parameters make probable (E step)."""
        confusion = parameters.confusion
        prevalence = parameters.prevalence
        posterior, log_likelihoods = posterior_of(
            self.responses, confusion, prevalence, parameters.closeness
        )
        passed_over = _left_behind(self.silent, self.passed_over, confusion, prevalence)
        return _Truths(posterior, log_likelihoods, passed_over, parameters.state)

    def fit_of(
        self, parameters: _Parameters, truths: _Truths, *, iterations: int, converged: bool
    ) -> Fit:
        """Return the result of these steps."""
        return Fit(
            model=self.kind,
            of_kinds=truths.posterior,
            kind=self.kinds,
            confusion=parameters.confusion,
            counts=self.counts(truths),
            prevalence=parameters.prevalence,
            closeness=parameters.closeness,
            unseen=truths.passed_over.sum(axis=0),
            log_likelihood=float(self.times @ truths.log_likelihoods),
            iterations=iterations,
            converged=converged,
        )


def posterior_of(
    responses: Responses, confusion: Floats, prevalence: Floats, closeness: Floats
) -> tuple[Floats, Floats]:
    """Return the posterior of each item's truth for given parameters, and its log-likelihood."""
    logs = _joint(responses, confusion, prevalence)
    levels = responses.closeness
    if levels is not None:
        present, absent = np.log(closeness)[:, levels] * (levels >= 0)
        logs[:, :-1] += present[:, None]
        logs[:, -1] += absent
    top = logs.max(axis=1, keepdims=True)
    likelihood = np.exp(logs - top)
    total = likelihood.sum(axis=1, keepdims=True)
    return likelihood / total, (top + np.log(total))[:, 0]


def unseen_by(responses: Responses, confusion: Floats, prevalence: Floats) -> Floats:
    """Estimate the number of items that all annotators passed over, by true class.

    Parameters
    ----------
    responses
        Responses to the observed items. Each has an annotator who did not pass over it.
    confusion, prevalence
        Confusion and prevalence of a fit with `unseen`.
    """
    return np.asarray(_left_behind(*responses.passed_over, confusion, prevalence).sum(axis=0))


def _left_behind(
    silent: Responses, passed_over: Floats, confusion: Floats, prevalence: Floats
) -> Floats:
    missed = np.exp(_joint(silent, confusion, prevalence))
    marked = np.maximum(1 - missed.sum(axis=1), 1 / _MOST_PLACES)
    return np.asarray(missed * (passed_over / marked)[:, None])


def _joint(r: Responses, confusion: Floats, prevalence: Floats) -> Floats:
    """Log-probability of each item's truth together with its responses, shape (items, classes)."""
    with np.errstate(divide="ignore"):
        log_rates = np.log(confusion).transpose(0, 2, 1)[r.annotator, r.label]
    logs = np.column_stack([np.bincount(r.item, c, minlength=r.items) for c in log_rates.T])
    return np.asarray(logs + np.log(prevalence))


def _closeness(r: Responses, posterior: Floats, times: Floats, strength: float) -> Floats:
    """Rows of closeness: of what is there, drawn to that of all items, and of what met by chance.

    The latter is drawn to all levels alike: chance does not prefer equal boundaries.
    """
    if r.closeness is None:
        return np.full((2, LEVELS), 1 / LEVELS)
    several = r.closeness >= 0
    levels = r.closeness[several]
    nothing = posterior[several, -1]
    each = times[several]
    rows = np.array([np.bincount(levels, p * each, LEVELS) for p in (1 - nothing, nothing)])
    drawn = np.array([rows.sum(axis=0) / max(each.sum(), 1), np.full(LEVELS, 1 / LEVELS)])
    rows = rows + (strength * drawn + _LEAST)  # of no item at all NumPy counts whole numbers
    return np.asarray(rows / rows.sum(axis=1, keepdims=True))


def expected_counts(r: Responses, posterior: Floats) -> Floats:
    """Return expected responses by annotator, truth and label."""
    j = len(r.annotators)
    k = len(r.labels)
    response_codes = r.codes
    columns = [np.bincount(response_codes, c, minlength=j * k) for c in posterior[r.item].T]
    return np.stack([c.reshape(j, k) for c in columns], axis=1)


@dataclass(frozen=True, eq=False)
class _MStepState:
    strength: float
    used: Bools  # (annotators, 1, labels): what each ever said
    knowing: Floats  # (annotators, labels): P(knew | said it, true), of MACE


def _free(counts: Floats, state: _MStepState) -> tuple[Floats, _MStepState]:
    """Return a row per annotator and truth, drawn to everybody's, and that to a coin of all rows.

    Were everybody's rows drawn to nothing, that of a class that hardly occurs would become the
    row of a frequent one, and the two could no longer be told apart.
    """
    pooled = counts.sum(axis=0) + _LEAST
    if state.strength:
        k = len(pooled)
        right = np.trace(pooled) / pooled.sum()
        coin = np.where(np.eye(k, dtype=bool), right, (1 - right) / max(k - 1, 1))
        pooled += state.strength * coin
    pooled /= pooled.sum(axis=1, keepdims=True)
    # Without a prior a label that an annotator never used takes no share of the row.
    rows = np.maximum(
        counts + state.strength * pooled, _LEAST * (state.used | (state.strength > 0))
    )
    return rows / rows.sum(axis=2, keepdims=True), state


def _one_coin(counts: Floats, state: _MStepState) -> tuple[Floats, _MStepState]:
    k = counts.shape[1]
    right = np.trace(counts, axis1=1, axis2=2)
    total = counts.sum(axis=(1, 2))
    pooled = right.sum() / total.sum()
    skill = (right + state.strength * pooled) / np.maximum(total + state.strength, _LEAST)
    wrong = (1 - skill) / max(k - 1, 1)
    rows = np.where(np.eye(k, dtype=bool), skill[:, None, None], wrong[:, None, None])
    return np.clip(rows, _LEAST, 1 - _LEAST) if k > 1 else rows, state


def _mace(counts: Floats, state: _MStepState) -> tuple[Floats, _MStepState]:
    k = counts.shape[1]
    smoothing = 0.01 / k  # that of the authors' program
    known_responses = np.diagonal(counts, axis1=1, axis2=2) * state.knowing
    drawn = counts.sum(axis=1) - known_responses
    knowing_counts = known_responses.sum(axis=1)
    other = drawn.sum(axis=1)
    pooled = knowing_counts.sum() / (knowing_counts.sum() + other.sum())
    theta = knowing_counts + smoothing + state.strength * pooled
    theta /= knowing_counts + other + 2 * smoothing + state.strength
    xi = drawn + smoothing
    xi += state.strength * drawn.sum(axis=0) / max(drawn.sum(), _LEAST)
    xi /= xi.sum(axis=1, keepdims=True)
    guess = (1 - theta)[:, None] * xi
    rows = theta[:, None, None] * np.eye(k) + guess[:, None, :]
    knowing = theta[:, None] / (theta[:, None] + guess)
    return rows, _MStepState(state.strength, state.used, knowing)


_M_STEPS: Mapping[AnnotatorModel, Callable[[Floats, _MStepState], tuple[Floats, _MStepState]]] = {
    AnnotatorModel.DAWID_SKENE: _free,
    AnnotatorModel.ONE_COIN: _one_coin,
    AnnotatorModel.MACE: _mace,
}
