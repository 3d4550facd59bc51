"""`gammacp warm-up`: compile everything now."""

from dataclasses import asdict

from gammacp.cli.output import AsJson, message, print_json, say
from gammacp.cli.progress import progress


def warm_up(json: AsJson = False) -> None:
    """Compile gammacp now, so that later commands do not wait for it.

    This is useful in container images and CI. The compiled code goes to NUMBA_CACHE_DIR if that is
    set, otherwise beside the package, or to your cache folder if the package is read-only.
    """
    from gammacp.cli.warming import warm_up as warm

    with progress("cases") as counter:
        found = warm(counter)
    if json:
        print_json(asdict(found))
        return
    say(
        f"{found.kernels} kernels are ready, {found.compiled} of them compiled now; it took "
        f"{found.seconds:.1f} s ({found.processor_seconds:.1f} s of processor time)"
    )
    if found.folder:
        kept = f"kept in {found.folder}"
    else:
        kept = "not kept: no cache folder is writable"
    message(kept)
