"""The process of one peer in one case: `worker.py --peer NAME --case NAME --folder DIR --size MIB`.

Reads orders from its standard input, one a line, and answers each with a line of JSON on its standard output:

    check         does the case for the first time: the digest of what was read (or written), and the memory it took
    run PASSES    does it so often: the seconds of the passes
    verify PATH   reads a whole array: its digest

An answer with "cannot" says why not. It ends, and removes what it wrote, at the end of its input.
"""

import argparse
import gc
import hashlib
import os
import re
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "shared"))

import numpy
from cases import BANDS, CASES, rows_of, whole
from data import array_path, remove
from formats import Cannot, path_of
from peers import PEERS
from process import answer_orders, one_line


def in_memory(array):
    """The array, copied if it is but a view of a mapped file: nothing of that would have been read."""
    owner = array
    while isinstance(owner, numpy.ndarray):
        if isinstance(owner, numpy.memmap):
            return numpy.array(array)
        owner = owner.base
    return array


def digest_of(arrays, boxes):
    """Of the values, in order. Some leave out dimensions of one element, which are put back."""
    digest = hashlib.blake2b(digest_size=16)
    for array, box in zip(arrays, boxes, strict=True):
        shape = tuple(part.stop - part.start for part in box)
        values = numpy.asarray(array)
        if values.size != numpy.prod(shape):
            raise Cannot(f"it gave {values.shape} where {shape} was asked for")
        digest.update(f"{values.dtype.str} {shape}".encode())
        digest.update(numpy.ascontiguousarray(values).reshape(shape))
    return digest.hexdigest()


class Reads:
    """The reads of a case."""

    def __init__(self, peer, case, folder, rows):
        self.peer, self.boxes = peer, case.boxes(rows)
        self.path = path_of(folder, case.dataset.name, peer.form)
        # Of one piece, the connector leaves less than 4 MiB to HDF5.
        self.few = min(rows, 5 * BANDS[0])

    def warm_up(self):
        """Reads a little, but more than the connector leaves to HDF5."""
        self.read(self.path, [(slice(0, self.few), slice(0, BANDS[1]))])

    def clear(self):
        """Nothing is left of a read."""

    def once(self):
        return self.read(self.path, self.boxes)

    def read(self, path, boxes):
        with self.peer.open(path) as read:
            return [in_memory(read(box)) for box in boxes]

    def digest(self, arrays):
        return {"digest": digest_of(arrays, self.boxes)}


class Writes(Reads):
    """The writing of a case: of the whole array, to a file of the peer's own."""

    def __init__(self, peer, case, folder, rows):
        super().__init__(peer, case, folder, rows)
        self.path = path_of(folder, f"written-{peer.name}", peer.form)
        self.dataset, self.array = case.dataset, numpy.load(array_path(folder))

    def warm_up(self):
        self.clear()
        self.peer.write(self.path, self.array[: BANDS[0]], self.dataset)
        self.clear()

    def clear(self):
        remove(self.path)

    def once(self):
        self.peer.write(self.path, self.array, self.dataset)
        return []

    def digest(self, _nothing):
        return {"digest": digest_of([self.array], self.boxes), "path": self.path}


def memory(name):
    """A line of /proc/self/status, in bytes."""
    with open("/proc/self/status") as lines:
        return 1024 * int(re.search(rf"{name}:\s+(\d+) kB", lines.read()).group(1))


def check(work):
    """The case for the first time, and the peak of memory in it, beyond what was read."""
    gc.collect()
    work.clear()
    try:
        with open("/proc/self/clear_refs", "w") as peak:
            peak.write("5")
    except OSError:
        # A kernel without it: the peak is then not known.
        before = None
    else:
        before = memory("VmRSS")
    arrays = work.once()
    peak = None if before is None else max(0, memory("VmHWM") - before - sum(array.nbytes for array in arrays))
    return {**work.digest(arrays), "peak": peak}


def run(work, passes):
    """Seconds of the passes. What one read is given back before the next, and not measured."""
    seconds = 0.0
    for _ in range(passes):
        work.clear()
        start = time.perf_counter()
        arrays = work.once()
        seconds += time.perf_counter() - start
        del arrays
    return {"seconds": seconds / passes}


def answer(work, rows, order):
    what, _, rest = order.partition(" ")
    if what == "check":
        return check(work)
    if what == "run":
        return run(work, int(rest))
    if what == "verify":
        return {"digest": digest_of(work.read(rest, whole(rows)), whole(rows))}
    raise ValueError(f"unknown order {order!r}")


def reason(error):
    return str(error) if isinstance(error, Cannot) else one_line(error)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--peer", required=True, choices=PEERS)
    parser.add_argument("--case", required=True, choices=CASES)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--size", type=int, required=True)
    args = parser.parse_args()
    peer, case, rows, work = PEERS[args.peer], CASES[args.case], rows_of(args.size), None

    def follow(order):
        nonlocal work
        if work is None:
            peer.prepare(case)
            work = (Writes if case.writes else Reads)(peer, case, args.folder, rows)
            work.warm_up()
        return answer(work, rows, order)

    def close():
        if work is not None:
            work.clear()

    answer_orders(follow, reason, close)


if __name__ == "__main__":
    sys.exit(main())
