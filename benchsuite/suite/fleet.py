"""A fleet in simulation: what a window costs on the wire and in the fold, whether coordination scales, and whether sums hold."""

import json
import statistics

from suite import generators, pure
from suite.process import Failure, run
from suite.results import goal, spread

INJECTORS = [1, 2, 5, 10, 20, 50, 100, 200]
WIRE_MAX, FOLD_MAX_S, ALPHA_MAX, BETA_MAX = 40_000, 0.1, 0.005, 0.0001


def fleet(results, rounds, cpus, small):
    """The measurements in turns, then the law of the coordination and the long runs once."""
    build = () if small else pure.DIST
    injectors = INJECTORS[:5] if small else INJECTORS

    def one(*arguments):
        text = pure.example("nmax-testkit", "fleet", cpus[1], [str(word) for word in arguments], timeout_s=3_600, build=build)
        results.raw("-".join(["fleet", *map(str, arguments)]), "json", text)
        return json.loads(text)

    wire = one("wire")["bytes"]
    results.number("fleet", "window", 1, "wire", wire, "bytes")
    for turn in range(1, rounds + 1):
        for count in injectors:
            seconds = one("fold", count)["cpu_s"]
            results.number("fleet", f"{count} injectors", turn, "fold", seconds, "s")
            results.number("fleet", f"{count} injectors", turn, "folded", count / seconds, "windows/s")
    of = lambda count, figure: list(results.values("fleet", f"{count} injectors", figure).values())  # noqa: E731
    table = results.directory / "raw" / "fleet-fold.csv"
    # What N injectors get done beside a manager whose time per window of one is that at N: N in proportion, if it stays the same.
    rows = [f"{count},{count * value:.3f}" for count in injectors for value in of(count, "folded")]
    table.write_text("\n".join(["n,x", *rows]) + "\n", encoding="utf-8")
    done = run([str(generators.NMAX), "usl", "fit", str(table), "--json", "--exit-zero"], set(cpus), 60)
    if done.code != 0:
        raise Failure(f"nmax usl ended with {done.code}:\n{done.stderr[-1000:]}")
    results.raw("fleet-usl", "json", done.stdout)
    law = json.loads(done.stdout)
    alpha, beta = law["alpha"]["high"], law["beta"]["high"]
    hour = one("hour", 20 if small else 200, 60 if small else 3_600)
    every = one("exchanges", 20, 2_000 if small else 1_000_000, 10)
    equal = one("exchanges", 20, 5_000, 10, 1)
    largest = of(injectors[-1], "fold")
    results.section("Fleet", [
        f"Windows of {50} names and 5,000 requests each. Fold: the fastest window of each round; median (smallest to largest).", "",
        "| injectors | fold of a window of all, s | windows of injectors folded per CPU second |", "|---|---|---|",
        *[f"| {count} | {spread(of(count, 'fold'))} | {spread(of(count, 'folded'))} |" for count in injectors], "",
        f"An hour of 1 M requests per second on {hour['injectors']} injectors: sent {hour['sent']:,}, folded {hour['folded']:,}, "
        f"simulated in {hour['wall_s']:.0f} s. Every exchange of 10 s on 20 injectors: sent {every['sent']:,}, received "
        f"{every['received']:,}, folded {every['folded']:,}; at 5,000/s equal to one injector: {equal['equal_to_one']}.", "",
        goal(f"a window of at most {WIRE_MAX:,} bytes ({wire:,})", wire <= WIRE_MAX, small),
        goal(f"contention below {ALPHA_MAX} (at most {alpha:.4f})", alpha < ALPHA_MAX, small),
        goal(f"coherency below {BETA_MAX} (at most {beta:.6f})", beta < BETA_MAX, small),
        goal(f"fold of 200 injectors in less than {FOLD_MAX_S * 1e3:.0f} ms", statistics.median(largest) < FOLD_MAX_S, small)])
