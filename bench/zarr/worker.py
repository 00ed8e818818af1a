"""The process of one peer: `worker.py --peer NAME --folder DIR --size MIB`.

Reads orders from its standard input, one a line, and answers each with a line of JSON on its standard output:

    check TASK CODEC    does it for the first time: the digest of what was read (or is read of what was written)
    run TASK CODEC      does it once: the seconds
    one PATH, all PATH  opens a container of many arrays and reads one, or lists all: the seconds, and the digest of what was found

An answer with "cannot" says why not. It ends at the end of its input.
"""

import argparse
import hashlib
import os
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "shared"))

import numpy
from peers import PEERS, remove
from process import answer_orders, one_line


def digest_of(array):
    values = numpy.ascontiguousarray(array)
    return hashlib.blake2b(f"{values.dtype.str} {values.shape}".encode() + values.tobytes(), digest_size=16).hexdigest()


class Work:
    """What a process does."""

    def __init__(self, peer, folder, size):
        self.peer, self.folder, self.size = PEERS[peer], folder, size
        self.written = os.path.join(folder, f"written-{peer}.zarr")
        self.array = numpy.load(os.path.join(folder, f"{size}.npy"))
        self.peer.prepare()

    def path(self, codec):
        return os.path.join(self.folder, f"{codec}-{self.size}.zarr")

    def do(self, task, codec):
        """What was read, and the seconds."""
        if task == "write":
            remove(self.written)
        begin = time.perf_counter()
        match task:
            case "write":
                found = self.peer.write(self.written, self.array, codec)
            case "rows":
                found = self.peer.rows(self.path(codec))
            case _:
                found = self.peer.read(self.path(codec))
        return found, time.perf_counter() - begin

    def answer(self, order):
        what, *rest = order.split()
        if what == "check":
            found, _ = self.do(*rest)
            if rest[0] == "write":
                # By somebody else: see run.py.
                return {"written": self.written}
            return {"digest": digest_of(numpy.asarray(found))}
        if what == "run":
            return {"seconds": self.do(*rest)[1]}
        begin = time.perf_counter()
        found = self.peer.one(*rest, "g5", "a5") if what == "one" else self.peer.all(*rest)
        return {"seconds": time.perf_counter() - begin, "digest": digest_of(numpy.array([repr(found)]))}

    def close(self):
        remove(self.written)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--peer", required=True, choices=PEERS)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--size", type=int, required=True)
    asked = parser.parse_args()
    work = Work(asked.peer, asked.folder, asked.size)
    answer_orders(work.answer, one_line, work.close)


if __name__ == "__main__":
    main()
