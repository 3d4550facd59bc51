"""Recordings with pauses, in which nothing can be marked: what the chance model `cut` does there.

`markable_time` cuts the pauses out, turns annotations in the rest, and fits units into stretches.
`refilled` (with `edges`) fills the stretches of annotators who seldom mark across pauses;
`stretches` has what both count.
"""
