"""``python tests/statements``: measure how often statements are false, and write the page about it."""

import argparse
import sys
import time
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])

from statements.listing import WORLDS  # noqa: E402
from statements.page import read_rates, write_rates  # noqa: E402
from statements.world import measured  # noqa: E402


def main() -> int:
    """Measure the worlds that are asked for; return 1 if a promise is broken."""
    parser = argparse.ArgumentParser(prog="python tests/statements", description=__doc__)
    parser.add_argument("--draws", type=int, default=2000, help="draws of each world (default: 2000)")
    parser.add_argument("--only", default="", metavar="TEXT", help="only worlds with this text in kind or name")
    parser.add_argument("--missing", action="store_true", help="only worlds that were never measured")
    options = parser.parse_args()
    rates, broken = read_rates(), 0
    for world in WORLDS:
        if options.only not in world.title or (options.missing and world.title in rates):
            continue
        start = time.perf_counter()
        rates[world.title] = rate = measured(world, options.draws)
        is_kept = world.promise.is_kept(rate)
        broken += not is_kept
        seconds = time.perf_counter() - start
        line = f"{world.title}: {rate.share:.2%} of {rate.n} false; promise: {world.promise} ({seconds:.0f} s)"
        print(line if is_kept else f"BROKEN {line}", flush=True)
        write_rates(rates)
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
