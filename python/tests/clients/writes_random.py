"""Random programs over files that are open for writing, natively or through the connector, with a journal to compare.

    writes_random.py HOST native|bypass FIRST_SEED SEEDS STEPS [STEP,STEP,...]

Each seed is one program of so many steps in a folder of its own (writes_random_program.py), or of the steps named only. The journal, one JSON
value per line, tells seed, step, what was done and what came of it. The last line of output is JSON: which programs did not end
well, and what was done how often. Some programs leave everything open, for HDF5 to close when the process ends.
"""

import collections
import json
import os
import random
import sys

from children import run_child
from filters import settle
from hdf5lib import H5Error, Library
from writes_random_program import STEPS, World


def one_program(h5, way, seed, steps, host, journal):
    """Runs one program; how often what was done."""
    coverage = collections.Counter()
    os.mkdir(f"seed{seed}")
    os.chdir(f"seed{seed}")
    world = World(h5, way, seed, host)
    actions, weights = list(STEPS), list(STEPS.values())
    for step in steps:
        rng = random.Random(f"{seed}/{step}")
        # Some datasets to begin with.
        action = World.create if step < 3 else rng.choices(actions, weights)[0]
        # Before it is done: a crash must be seen to be this step's.
        journal(json.dumps([seed, step, action.__name__])[:-1])
        try:
            answer = action(world, rng)
        except H5Error as error:
            answer = ["impossible", str(error)[:300]]
            coverage["impossible"] += 1
        journal(", " + json.dumps(answer) + "]\n")
        coverage[action.__name__] += 1
    if not world.left_open:
        for number in range(2):
            journal(json.dumps([seed, "end", "close", world.close_all(number)]) + "\n")
    coverage.update(world.coverage)
    return coverage


def main():
    host, way, first, seeds, steps, *chosen = sys.argv[1:]
    numbers = [int(step) for step in chosen[0].split(",")] if chosen else range(int(steps))
    h5 = Library(host)
    settle(host, lzf=True)
    # HDF5's handler prints errors again once h5py is there.
    h5.H5Eset_auto2.must(0, None, None)
    ended = {}
    coverage = collections.Counter()
    descriptor = os.open("journal", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for seed in range(int(first), int(first) + int(seeds)):
        # A child each: HDF5 itself crashes over some programs.
        child = run_child(lambda: one_program(h5, way, seed, numbers, host, lambda text: os.write(descriptor, text.encode())), 60)
        sys.stderr.write(child["stderr"])
        if child["ended"]:
            # A step that did not end has no end of line.
            os.write(descriptor, b"\n")
            ended[seed] = child["ended"], child["answer"]
        coverage.update(child["answer"] or {})
    os.mkdir("proof")
    connector = h5.connector(h5.create("proof/who.h5", getattr(h5, way)))
    print(json.dumps({"ended": ended, "coverage": coverage, "connector": connector}))


if __name__ == "__main__":
    main()
