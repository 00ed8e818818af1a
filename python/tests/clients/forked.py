"""Forks workers while files are open, as PyTorch's DataLoader does: they read by the inherited handle and by their own."""

import json
import multiprocessing
import sys

import h5py
import numpy as np
import proof

access = sys.argv[1]
with h5py.File("forked.h5", "w") as file:
    file.create_dataset("d", data=np.arange(100000).reshape(100, 1000), chunks=(10, 100), compression="gzip")
inherited = h5py.File("forked.h5", access)
# Used before the fork: whatever threads and caches there are exist by now.
before = int(inherited["d"][:50].sum())


def work(row):
    with h5py.File("forked.h5", "r") as own:
        mine = int(own["d"][row].sum())
        return [int(inherited["d"][row].sum()), mine, proof.connector_of_id("h5py", own.id.id)]


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    with context.Pool(3) as pool:
        rows = pool.map(work, range(0, 100, 9))
    process = context.Process(target=work, args=(1,))
    process.start()
    process.join(20)
    after = int(inherited["d"][50:].sum())
    connectors = sorted({row[2] for row in rows} | {proof.connector_of_id("h5py", inherited.id.id)})
    inherited.close()
    answer = {"before": before, "after": after, "exit": process.exitcode, "connectors": connectors}
    answer["rows"] = [row[:2] for row in rows]
    print(json.dumps(answer))
