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

    with progress("cases") as progress_line:
        warming = warm(progress_line)
    if json:
        print_json(asdict(warming))
        return
    say(
        f"{warming.kernels} kernels are ready, {warming.compiled} of them compiled now; it took "
        f"{warming.seconds:.1f} s ({warming.processor_seconds:.1f} s of processor time)"
    )
    if warming.folder:
        place = f"kept in {warming.folder}"
    else:
        place = "not kept: no cache folder is writable"
    message(place)
