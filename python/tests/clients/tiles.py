"""Overlapping tiles of datasets that are stored as they are, read and written in a file that is open for writing, through h5py.

    tiles.py SEED

Makes `tiles.h5` and, beside it, `tiles.npz` with what must be in it. Every read is compared at once. The last line of output is JSON: how many
reads and writes of the system it took to read a row of tiles, to write one, and to read and write one.
"""

import json
import random
import sys
import threading

import h5py
import numpy as np

SHAPE, CHUNK, TILE = (600, 512), (64, 256), (48, 100)
SEED = int(sys.argv[1])


def calls():
    """System calls of this process that read and that write."""
    with open("/proc/self/io") as lines:
        counts = dict(line.split(": ") for line in lines)
    return int(counts["syscr"]) + int(counts["syscw"])


def tile(row, column):
    return np.s_[row : min(row + TILE[0], SHAPE[0]), column : min(column + TILE[1], SHAPE[1])]


def counted(dataset, work):
    """The calls for a row of overlapping tiles, the first of which have made the connector notice."""
    starts = [tile(100, column) for column in range(0, 400, 20)]
    for start in starts[:3]:
        work(dataset, start)
    before = calls()
    for start in starts[3:]:
        work(dataset, start)
    return calls() - before


def change(dataset, where):
    dataset[where] += 1
    array[where] += 1


def put(dataset, where):
    dataset[where] = array[where]


def same(dataset, where):
    assert np.array_equal(dataset[where], array[where]), where


def random_steps(file, chance, steps):
    """Tiles, rows, columns and single elements through several handles, with flushes and reopenings."""
    handles = [file["chunked"], file["chunked"]]
    place = [0, 0]
    for _ in range(steps):
        dataset = chance.choice(handles)
        # Most tiles are near the one before.
        place = [(at + chance.randint(0, 30)) % side for at, side in zip(place, SHAPE)]
        what = chance.random()
        where = tile(*place)
        if what < 0.1:
            where = np.s_[place[0], place[1]]
        elif what < 0.15:
            where = np.s_[place[0], :]
        elif what < 0.2:
            where = np.s_[:, place[1]]
        elif what < 0.25:
            # A chunk as a whole.
            where = np.s_[0:64, 0:256]
        elif what < 0.28:
            file.flush()
        elif what < 0.3:
            dataset.id.flush()
        elif what < 0.32:
            handles = [file["chunked"], file["chunked"]]
            continue
        if chance.random() < 0.5:
            same(dataset, where)
        else:
            array[where] = np.float32(chance.random())
            dataset[where] = array[where]


def elements_between(dataset):
    """Single elements are written to chunks that are in memory because of tiles."""
    for number in range(12):
        for column in (0, 20, 40):
            same(dataset, tile(100, column))
        where = np.s_[110 + number, 45 : 45 + number % 3]
        array[where] = number
        dataset[where] = array[where]


def columns_by_threads(dataset):
    """Each thread writes columns of its own; the bytes between belong to the others."""

    def write(first):
        for turn in range(4):
            for column in range(first, 64, 4):
                dataset[:, column] = np.float32(column + 100 * turn)

    threads = [threading.Thread(target=write, args=(first,)) for first in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return np.broadcast_to(np.arange(64, dtype="f4") + 300, dataset.shape)


array = np.arange(SHAPE[0] * SHAPE[1], dtype="f4").reshape(SHAPE)
with h5py.File("tiles.h5", "w") as file:
    file.create_dataset("chunked", data=array, chunks=CHUNK)
    file.create_dataset("columns", (500, 64), "f4", data=np.zeros((500, 64), "f4"))
counts = {}
for name, work in [("read", same), ("write", put), ("change", change)]:
    with h5py.File("tiles.h5", "r+") as file:
        counts[name] = counted(file["chunked"], work)
with h5py.File("tiles.h5", "r+") as file:
    elements_between(file["chunked"])
    same(file["chunked"], np.s_[...])
with h5py.File("tiles.h5", "r+") as file:
    random_steps(file, random.Random(SEED), 600)
    columns = columns_by_threads(file["columns"])
    same(file["chunked"], np.s_[...])
np.savez("tiles.npz", chunked=array, columns=columns)
print(json.dumps(counts))
