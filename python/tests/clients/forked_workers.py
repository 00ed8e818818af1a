"""Processes that are forked and never end properly: `python forked_workers.py WAY`, which prints how many reads they made.

Workers of multiprocessing end with `os._exit`, or are terminated; others are killed, or interrupted together with their parent.
"""

import multiprocessing
import os
import signal
import sys
import time

import h5py
import numpy as np

SIZE = 1 << 20
PARTS = 8
CONTEXT = multiprocessing.get_context("fork")


def make():
    """Not through the connector, by a process of its own."""
    with h5py.File("workers.h5", "w") as file:
        file["x"] = np.arange(SIZE * PARTS, dtype="i4")
        file["words"] = ["some", "text"]


def read(part):
    """What a data set of PyTorch does: opens the file where it is needed."""
    with h5py.File("workers.h5") as file:
        return int(file["x"][part * SIZE : (part + 1) * SIZE][1])


def pool():
    with CONTEXT.Pool(3) as workers:
        assert workers.map(read, range(PARTS)) == [part * SIZE + 1 for part in range(PARTS)]
    return PARTS


def processes():
    """They end by themselves, which is with os._exit."""
    workers = [CONTEXT.Process(target=read, args=[part]) for part in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return len(workers)


def read_on(ready, path="workers.h5", file=None):
    """Reads some parts, says so, and waits with the file open for whatever comes."""
    file = file or h5py.File(path)
    for part in range(4):
        assert file["x"][part * SIZE : (part + 1) * SIZE][1] == part * SIZE + 1
    # The last few milliseconds may be missing in a trace, unless a file is closed.
    h5py.File(path).close()
    ready.set()
    # Python misses a signal that comes right before it begins to sleep, until it wakes up.
    for _ in range(6000):
        time.sleep(0.1)


def ended_by(number, file=None):
    ready = CONTEXT.Event()
    worker = CONTEXT.Process(target=read_on, args=[ready], kwargs={"file": file})
    worker.start()
    assert ready.wait(60)
    os.kill(worker.pid, number)
    worker.join()
    assert worker.exitcode == -number
    return 4


def inherited():
    with h5py.File("workers.h5") as file:
        file["x"][:10]
        return ended_by(signal.SIGKILL, file)


def interrupted():
    """Ctrl-C: the parent and its worker get it."""
    # A shell's background jobs ignore it, and would wait in vain.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    ready = CONTEXT.Event()
    worker = CONTEXT.Process(target=read_on, args=[ready], daemon=True)
    worker.start()
    assert ready.wait(60)
    try:
        os.killpg(0, signal.SIGINT)
        time.sleep(60)
    except KeyboardInterrupt:
        worker.join()
    return 4


def grandchild():
    """A worker that has a worker."""

    def middle():
        worker = CONTEXT.Process(target=read, args=[1])
        worker.start()
        worker.join()
        read(2)

    worker = CONTEXT.Process(target=middle)
    worker.start()
    worker.join()
    return 2


def nobody_waits():
    """Nobody has waited for it when its parent ends."""
    child = os.fork()
    if child == 0:
        read(0)
        os._exit(0)
    while open(f"/proc/{child}/stat").read().rpartition(")")[2].split()[0] != "Z":
        time.sleep(0.01)
    return 1


def some_properly():
    """One ends as processes should, and tells what it did itself; another does not."""
    for ends in (sys.exit, os._exit):
        child = os.fork()
        if child == 0:
            read(0)
            # What an interpreter does before exit(), without leaving this function.
            import ctypes

            ctypes.CDLL(None).exit(0) if ends is sys.exit else ends(0)
        os.waitpid(child, 0)
    return 2


def reasons():
    def words():
        with h5py.File("workers.h5", driver="core") as file:
            for _ in range(3):
                file["words"][...]

    worker = CONTEXT.Process(target=words)
    worker.start()
    worker.join()
    return 0


WAYS = {
    "make": make,
    "pool": pool,
    "processes": processes,
    "terminated": lambda: ended_by(signal.SIGTERM),
    "killed": lambda: ended_by(signal.SIGKILL),
    "inherited": inherited,
    "interrupted": interrupted,
    "grandchild": grandchild,
    "nobody_waits": nobody_waits,
    "some_properly": some_properly,
    "reasons": reasons,
}
print(WAYS[sys.argv[1]]())
