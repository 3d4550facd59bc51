"""What the solvers are tuned by: one frozen object instead of constants in the code.

No field changes which alignment is best: a result with status `optimal` is the same with any
values, only sooner or later. Where a field does change what is returned when time is up or memory
is short, it says so. "Scale" is what a group costs to open, or Δ if that is more.

Sets in brackets are those that a value was chosen on among others, cases of
`benchmarks/alignment.py`: n × units per annotator, observed (Corpus Shuffling Tool, position +
category, magnitude .25) or random (circular shifts of them). Where none is named the value follows
from the memory or the time that is given, or was set once and not compared with others.
"""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Tuning:
    """Sizes, tolerances and numbers of passes; hand over `Tuning(pairs=...)` to change some.

    Attributes
    ----------
    pairs
        Candidate pairs that are always borne: all pairs of 2000 units by each of two annotators,
        0.2 GB with the graph. With more, only the closest are kept and `status` is `feasible`.
    pairs_per_unit
        Candidate pairs per unit and annotator that are borne in longer continua; those of constant
        density stay far below.
    pairs_in_memory
        Candidate pairs that are listed at the very most, 0.5 GB.
    pairs_at_once
        Pairs handed to a dissimilarity's `pairwise` at a time, some 100 MB of columns.
    units_unwatched
        Units whose pairs are found in milliseconds, so that no second thread has to watch.
    merged_share
        Identical units are merged if that leaves less than this share of the units; of one spot
        with 400 units by 12 annotators, 12 are left.
    kinds
        Pairs of annotator and category in the relaxation that pools units by category; above, its
        groups are too many to list.
    closest_per_unit
        Pairs per unit that are kept where there are too many: several times what a unit can be
        aligned with.
    sampled_pairs
        Pairs from which density is estimated where it is too high, 0.2 GB for a moment.
    shrink
        Factor by which the distance of kept pairs is cut while they are too many.
    closest_seconds
        Seconds for the problem of the closest pairs: its own bound proves nothing of the true
        problem, so that more is of little use.
    pooling_seconds
        Seconds for the pooled relaxation beyond the time limit; without it there is no bound.
    spot
        Of the shortest unit: spread of starts and ends below which positions hardly matter, so that
        pooled units may be proof enough (d ≤ 2.5e-7).
    spot_seconds
        Seconds for the true problem of such units before they are pooled.
    small_units
        Units up to which a continuum is put in a row with others and solved with them.
    diffused_units
        The same of at most `diffused` annotators, whose prices need no linear program: a quarter of
        the time of random 3by100 and 3 × 60 is saved, half of 2 × 150; 5 × 30 would take longer.
    row_units
        Units of such a row, so that memory stays small and one hard continuum holds up few.
    row_pairs
        Candidate pairs per unit from which a continuum is solved by itself.
    few_annotators
        Annotators up to which groups are listed; their number grows exponentially (8 × 30).
    listed
        Members of all groups up to which groups are listed: some 10 MB, and a linear program that
        is solved in seconds.
    listed_per_unit
        The same per unit of a long continuum, where listing stays linear in the length.
    listed_at_most
        The same at the most, some 100 MB.
    members
        Members of all groups for back-ends that need the full model (milp, cpsat, greedy); above, a
        DataError. Some 300 MB.
    pairs_unwatched
        Candidate pairs of two annotators that are matched in milliseconds.
    block
        Units priced by one linear program in long continua. GLOP's time grows faster than the
        block.
    diffused
        Units in the largest groups for which diffusion comes close to the least prices (5 × 100 is
        priced by linear programs).
    first_passes
        Passes over all columns before those that lose much are left out (3by100, 3 × 500).
    passes
        Passes per round over the columns that are left (3by100, 3 × 500, 3 × 3000, 4 × 100).
    rounds
        Rounds of passes at most (the same sets).
    kept_loss
        Of the scale: what a column may lose after the first passes and be kept.
    slowing
        Share of what prices fell in one round from which on the next does not fall by much more.
    falling
        Of the scale, per unit: what prices may still fall in the last round; a block where they
        fall by more is priced by a linear program.
    lost
        Of the scale, per unit: what a quick alignment may lose against a block's prices before they
        are priced by a linear program (3 × 500).
    first_loss
        Of the scale: columns that lose more are looked at only once those below are decided.
    loss_step
        Of the scale: how far columns are taken in at first; then four times as far each time.
    component_nodes
        Nodes of the search of one component, some milliseconds; then CP-SAT takes it.
    rival_seconds
        Seconds for the list of groups that are as good by a crowd's bound, or one with a gap (35 ×
        73 would take minutes).
    tied_seconds
        Seconds for any other such list, and for ties within a component that is too large for the
        search; then the alignment is one of the best, and it is said that it need not be the first
        (8 × 3, all pairs alike).
    used
        Value of a column in the master's solution that counts as used.
    pool
        Columns of the master above which those that lose most are dropped, so that GLOP stays fast
        (20 × 30).
    probes
        Rounds of pricing next to the alignment before the master is solved again (20 × 30).
    projections
        Passes of projections on all columns' half-spaces at the most.
    relaxation
        How far beyond a half-space's face prices are moved: at 1 passes do not end, at 2 they
        oscillate.
    stalled_projections
        Ten more passes are made if the last ten brought the largest lack below this share.
    improving_rounds
        Rounds over the annotators when a group near the alignment is improved.
    neighbours
        Neighbours of a unit above which it is left to exact pricing (a square matrix is filled).
    enough
        Of the scale: what a group may lack under prices that count as feasible.
    close
        Of the scale: gap at which all groups that could still matter are listed.
    listed_when_close
        Members of those groups above which the iteration goes on first.
    listed_at_last
        The same once prices have converged; also the limit of every other enumeration by price.
    stalled
        Of the scale: a lack that tells that projections lead nowhere.
    least_step
        Share of the old prices below which the master's own are used.
    searched_pairs
        Candidate pairs from which on columns begin with annealing (20 × 30, not 10 × 30), and from
        which on a crowd is relaxed at once.
    few_nodes
        Nodes of the branch and bound of each root while prices are far off.
    nodes
        The same when they are near.
    most_nodes
        Nodes of one root at the very most; its bound is then left as it is (27 × 20 random).
    messages
        Passes of messages at a node, four times as many at a root (20 × 30).
    message_progress
        Messages are passed again while the bound's distance to its goal falls by this share.
    decisiveness
        Branching: a label that falls short by all that the bound has left counts exp(−this).
    edges
        Numbers in a root's table of label pairs, 240 MB; above, its half-sum bound is used.
    packing_seconds
        Seconds of CP-SAT for the pool of a fractional master.
    crowd
        Annotators from which on a set counts as a crowd; 27 × 20 is still proven by columns.
    head_start
        Seconds that column generation has of a crowd before it is relaxed.
    long_head_start
        The same for fewer annotators, of whom 20 × 30 random ones take 5 to 11.
    head_share
        Of the time limit: what the head start takes at most.
    enclosing
        Of the head start: how long fewer annotators are enclosed, whose columns are then generated
        to a proof sooner than their relaxation comes near it (27 × 20 random, limit 40 s), if
        `long_head_start` is left for that.
    patience_share
        Of the seconds so far: without progress for that long the relaxation has had its say.
    last_share
        Of the seconds so far: how long columns are generated after that, without a time limit.
    unwatched
        Seconds in which no thread watches over native calls if there is no time limit: they are
        short then, and watching takes a sixth of 10 × 30's time. Columns of long continua are
        tried for as long.
    progress
        Of the gap: what counts as progress.
    first_stage
        Units of the first relaxation, a step of which takes 2 ms; 1600 take a second.
    stage_growth
        Factor between the units of stages.
    most_relaxed
        Units of the largest relaxation, 1 GB, and up to which columns begin with annealing: 8 ×
        425 has a gap of 22 % with it and of .6 % without after 60 s.
    stage_gap
        Of what a stage leaves open: gap of its own at which the next one is better (209 × 493).
    splittings
        Steps between two bounds, each of which costs half a step and its repairs.
    repairs
        Alternating projections of the multiplier before each bound; a step's time each (34 × 214).
    repairing
        How far each of them goes beyond the projection.
    overrelaxation
        How far each step goes beyond the projection; 1 took twice as long (35 × 214).
    penalty
        Weight of the splitting at first, in units of the opening.
    penalty_step
        Factor by which it is changed, every ten steps at most.
    imbalance
        How far primal and dual residuals may be apart before it is.
    hildreth
        Passes over the inequalities in each step; the next one goes on from their multipliers.
    projected
        Change of multipliers at which the passes end.
    violation
        By how much triangles must be violated to be added.
    triangles
        Violated triangles that are listed at most, 40 MB.
    triangles_per_unit
        Triangles per unit that are added at a time, the worst.
    proximal
        Of the opening: step of the prices of long continua (8 × 425; .1 comes as far in half as
        much time more).
    settling
        Passes over the groups generated so far in each such step.
    settled
        Of the opening: change of multipliers at which the passes end.
    priced_whole
        Steps from one bound to the next; in between only roots are priced that lacked something.
    recombinations
        Random annotators that are assigned to the others before noise is put on, or taken off.
    noises
        Of Δ: standard deviations of the noise on weights, in turn (8 × 425).
    drawing
        Standard deviations of that noise by which a pair is drawn together that the relaxation has
        together (8 × 425: after 12 s from one alignment 4734, at 3 the same, without 4774).
    assignments
        Rounds over the annotators of the assignment heuristic at the most.
    patience
        Seconds that HiGHS may overrun its time limit before it is left to itself.
    spare_groups
        Groups that annealing may have beyond twice those it starts with.
    table
        Numbers in annealing's table of units by groups, 160 MB; above, it is left out.
    moves
        Moves per unit of the first runs of annealing; 500 units of 200 annotators take 0.4 s, and
        with 500 moves the best alignments are not met (209 × 493).
    heats
        Of the opening: temperatures at which runs begin. Crowds of 209 annotators need the high
        ones, which open and close groups, those of 35 the low ones.
    cold
        Of the opening per annotator: temperature at which runs end.
    brute_units
        Units that brute force takes.
    brute_groups
        Unitary alignments that brute force takes.
    """

    # Candidates and presolve
    pairs: int = 4_000_000
    pairs_per_unit: int = 50
    pairs_in_memory: int = 32_000_000
    pairs_at_once: int = 1_000_000
    units_unwatched: int = 5000
    merged_share: float = 0.5
    kinds: int = 200
    closest_per_unit: int = 30
    sampled_pairs: int = 2_000_000
    shrink: float = 0.25
    closest_seconds: float = 60.0
    pooling_seconds: float = 1.0
    spot: float = 1e-3
    spot_seconds: float = 0.4

    small_units: int = 100
    diffused_units: int = 400
    row_units: int = 2000
    row_pairs: int = 30

    # Which way
    few_annotators: int = 7
    listed: int = 1_000_000
    listed_per_unit: int = 300
    listed_at_most: int = 10_000_000
    members: int = 30_000_000
    pairs_unwatched: int = 100_000

    # Duals: linear programs and diffusion
    block: int = 1000
    diffused: int = 4
    first_passes: int = 4
    passes: int = 10
    rounds: int = 18
    kept_loss: float = 0.2
    slowing: float = 0.9
    falling: float = 1e-4
    lost: float = 0.02

    # Proof by components
    first_loss: float = 0.05
    loss_step: float = 0.004
    component_nodes: int = 20_000
    rival_seconds: float = 0.2
    tied_seconds: float = 20.0

    # Column generation
    used: float = 1e-6
    pool: int = 8000
    probes: int = 30
    projections: int = 300
    relaxation: float = 1.3
    stalled_projections: float = 0.8
    improving_rounds: int = 6
    neighbours: int = 1500
    enough: float = 1e-6
    close: float = 0.05
    listed_when_close: int = 300_000
    listed_at_last: int = 10_000_000
    stalled: float = 1e-3
    least_step: float = 1e-3
    searched_pairs: int = 50_000
    few_nodes: int = 30
    nodes: int = 1000
    most_nodes: int = 5_000_000
    messages: int = 3
    message_progress: float = 0.02
    decisiveness: float = 2.5
    edges: int = 30_000_000
    packing_seconds: float = 10.0

    # Semidefinite relaxation of crowds
    crowd: int = 28
    head_start: float = 0.5
    long_head_start: float = 20.0
    head_share: float = 0.2
    enclosing: float = 1.0
    patience_share: float = 0.3
    last_share: float = 0.5
    unwatched: float = 3.0
    progress: float = 0.02
    first_stage: int = 120
    stage_growth: float = 1.8
    most_relaxed: int = 1600
    stage_gap: float = 0.25
    splittings: int = 25
    repairs: int = 12
    repairing: float = 1.8
    overrelaxation: float = 1.6
    penalty: float = 0.05
    penalty_step: float = 1.6
    imbalance: float = 4.0
    hildreth: int = 4
    projected: float = 1e-4
    violation: float = 0.02
    triangles: int = 2_000_000
    triangles_per_unit: int = 5

    # Proximal relaxation of long continua
    proximal: float = 0.3
    settling: int = 60
    settled: float = 3e-5
    priced_whole: int = 3

    # Primal heuristics and other solvers
    recombinations: int = 120
    noises: tuple[float, ...] = (0.02, 0.05, 0.1, 0.2)
    drawing: float = 6.0
    assignments: int = 12
    patience: float = 0.5
    spare_groups: int = 30
    table: int = 20_000_000
    moves: int = 2000
    heats: tuple[float, ...] = (0.1, 0.03, 0.01, 0.003)
    cold: float = 1e-3
    brute_units: int = 22
    brute_groups: int = 2_000_000


DEFAULT = Tuning()
