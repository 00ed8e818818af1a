"""Handles that are closed by one thread while others use them, or close the last others.

    writes_handles_threads.py HOST [CASE ...]

Whoever writes what is newer in memory, it must be in the file: a write that succeeded came before the close. For a thread-safe host only.
"""

import array
import random
import shutil
import time

from cases import Cases
from writes_regressions_threads import together

CASES = Cases()
case = CASES.case
# Elements of a chunk, and of a dataset.
CHUNK = 1 << 16
SIZE = 3 * CHUNK
# Turns of a case, and the seconds after which there are no more.
TURNS, SECONDS = 300, 1
# About as long as the others take for the dataset.
LONGEST_PAUSE = 0.004


def prepare(h5):
    """stored.h5 with a dataset of noise, which takes its time to decode; its numbers."""
    stored = array.array("i", random.Random(1).choices(range(-9, 0), k=SIZE))
    dcpl = h5.plist("DATASET_CREATE")
    h5.H5Pset_deflate.must(dcpl, 1)
    file = h5.create("stored.h5")
    h5.make(file, "d", [SIZE], stored, chunk=[CHUNK], dcpl=dcpl)
    h5.H5Fclose.must(file)
    return stored


def contents(h5, path):
    """All numbers, natively."""
    file = h5.open(path, h5.native)
    dset = h5.H5Dopen2.must(file, b"d", 0)
    data = h5.read(dset, SIZE)
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return array.array("i", data)


def turns(wrong):
    """Numbers of turns, until something went wrong or it took long enough."""
    end = time.monotonic() + SECONDS
    for turn in range(TURNS):
        if wrong or time.monotonic() > end:
            break
        yield turn


def open_twice(h5, fapl, path):
    """A fresh copy of the file, and two handles of its dataset."""
    shutil.copyfile("stored.h5", path)
    file = h5.open(path, fapl, h5.RDWR)
    return file, [h5.H5Dopen2.must(file, b"d", 0) for _ in range(2)]


def write(h5, dset, start, part):
    space = h5.slab([SIZE], [start], [len(part)])
    result = h5.H5Dwrite(dset, h5.type("STD_I32LE"), h5.BLOCK, space, 0, part.tobytes())
    h5.H5Sclose(space)
    return result


def close_meanwhile(h5, dsets, work):
    """Runs `work` in a thread, and for each of the handles another one that closes it at some time of that."""
    pauses = [random.random() * LONGEST_PAUSE for _ in dsets]

    def close(dset, pause):
        time.sleep(pause)
        h5.H5Dclose.must(dset)

    return together(work, *[lambda dset=dset, pause=pause: close(dset, pause) for dset, pause in zip(dsets, pauses)])


def closed_while_writing(h5, fapl, closed):
    """One thread writes through a handle, which another closes; so many are closed in all. Whether writes came first, what went wrong."""
    stored, written, wrong = prepare(h5), 0, []
    # The chunks at both ends are not written as a whole, and kept in memory.
    part = array.array("i", [7]) * (SIZE - 3)
    for turn in turns(wrong):
        file, dsets = open_twice(h5, fapl, "a.h5")
        if closed == 1:
            h5.H5Dclose.must(dsets.pop())
        results = []

        def work():
            # It fails if the handle was closed before, and would print that.
            h5.H5Eset_auto2.must(0, None, None)
            results.append(write(h5, dsets[0], 1, part))

        failed = close_meanwhile(h5, dsets, work)
        last = h5.H5Fclose(file)
        errors = h5.errors()[:1]
        written += results == [0]
        expected = stored[:1] + part + stored[-2:] if results == [0] else stored
        if failed or last < 0 or contents(h5, "a.h5") != expected:
            wrong.append([turn, failed, results, last, errors])
    return [written > 3, wrong]


@case(None)
def closed_while_another_writes(h5, fapl):
    """The write was first: what it leaves in memory is written by the close."""
    return closed_while_writing(h5, fapl, 1)


@case(None)
def two_closed_while_another_writes(h5, fapl):
    """The same, by whichever of the two is the last."""
    return closed_while_writing(h5, fapl, 2)


@case(None)
def two_closed_while_another_reads(h5, fapl):
    """What was written before is written by whichever is the last, though both have to wait for the reader."""
    stored, read, wrong = prepare(h5), 0, []
    for turn in turns(wrong):
        file, dsets = open_twice(h5, fapl, "a.h5")
        expected, results = stored[:], []
        for number, dset in enumerate(dsets):
            expected[100 * number] = turn
            results.append(write(h5, dset, 100 * number, expected[100 * number:100 * number + 1]))

        def work():
            h5.H5Eset_auto2.must(0, None, None)
            results.append(h5.read(dsets[0], SIZE))

        failed = close_meanwhile(h5, dsets, work)
        last = h5.H5Fclose(file)
        errors = h5.errors()[:1]
        data = results.pop()
        read += data is not None
        if failed or last < 0 or results != [0, 0] or data not in (None, expected.tobytes()) or contents(h5, "a.h5") != expected:
            wrong.append([turn, failed, results, last, errors])
    return [read > 3, wrong]


@case(None)
def two_closed_at_once(h5, fapl):
    """Nobody else is there: hundreds of quick turns on one file, which is flushed in between."""
    expected = prepare(h5)
    file, wrong = h5.open("stored.h5", fapl, h5.RDWR), []
    for turn in turns(wrong):
        dsets = [h5.H5Dopen2.must(file, b"d", 0) for _ in range(2)]
        results = []
        for number, dset in enumerate(dsets):
            place = 3 * turn + 1000 * number
            expected[place] = turn
            results.append(write(h5, dset, place, expected[place:place + 1]))
        failed = together(*[lambda dset=dset: h5.H5Dclose.must(dset) for dset in dsets])
        if failed or results != [0, 0] or h5.H5Fflush(file, 1) < 0:
            wrong.append([turn, failed, results, h5.errors()[:1]])
    return [wrong, h5.H5Fclose(file), contents(h5, "stored.h5") == expected]


if __name__ == "__main__":
    CASES.main()
