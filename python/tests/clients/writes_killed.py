"""Children that write and flush until they are killed.

    writes_killed.py kill CONNECTOR KILLS SEED     the last line of output is JSON: [file, kind, number of the last flush] for each kill
    writes_killed.py check < that line             what is wrong with the files; run natively

After each flush a child says on a pipe which one it was. Everything it has written until then must be in the file. The last child of each
kind is not killed, and so prints the connector's counters.
"""

import ctypes
import json
import os
import random
import re
import select
import signal
import sys
import time

import h5py
import numpy as np
from proof import connector_of_id

ROWS, COLUMNS, CHUNK = 48, 5000, 4
KINDS = {"contiguous": {}, "chunked": {"chunks": (CHUNK, 1250)}, "gzip": {"chunks": (CHUNK, 1250), "compression": "gzip", "shuffle": True}}


def row(number):
    """What flush `number` was for: the same stamp everywhere, with something to compress."""
    return np.full(COLUMNS, number, dtype="i4")


def work(path, kind, rounds, tell):
    """Contiguous: rows are written over, in turn. Else: chunks are appended, by whole rows or in two halves."""
    file = h5py.File(path, "w")
    assert connector_of_id("h5py", file.id.id) == sys.argv[2]
    if kind == "contiguous":
        dataset = file.create_dataset("d", (ROWS, COLUMNS), "i4")
        dataset[...] = 0
    else:
        dataset = file.create_dataset("d", (0, COLUMNS), "i4", maxshape=(None, COLUMNS), **KINDS[kind])
    file.flush()
    tell(0)
    for number in range(1, rounds):
        if kind == "contiguous":
            dataset[number % ROWS] = row(number)
        else:
            dataset.resize((number * CHUNK, COLUMNS))
            block = np.tile(row(number), (CHUNK, 1))
            if number % 3:
                dataset[-CHUNK:] = block
            else:
                dataset[-CHUNK:, :2000] = block[:, :2000]
                dataset[-CHUNK:, 2000:] = block[:, 2000:]
        if number % 2:
            file.flush()
        else:
            dataset.flush()
            file.flush()
        tell(number)
    file.close()


def one_child(path, kind, rounds, kill_after):
    """The number of the last flush it told, or None if it ended before it was killed. `kill_after`: seconds from its first word."""
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(receive)
        work(path, kind, rounds, lambda number: os.write(send, number.to_bytes(4, "little")))
        ctypes.CDLL(None).exit(0)
    os.close(send)
    told = os.read(receive, 4)
    if kill_after is not None:
        time.sleep(kill_after)
        os.kill(child, signal.SIGKILL)
    while select.select([receive], [], [], 30)[0]:
        more = os.read(receive, 65536)
        if not more:
            break
        told += more
    os.close(receive)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status == (0 if kill_after is None else -signal.SIGKILL), status
    # A number that was cut off was not told.
    whole = len(told) // 4 * 4
    return int.from_bytes(told[whole - 4:whole], "little")


def kill(kills, seed):
    rng = random.Random(seed)
    done = []
    for number in range(kills):
        kind = list(KINDS)[number % len(KINDS)]
        path = f"{kind}{number}.h5"
        done.append([path, kind, one_child(path, kind, 1 << 30, rng.uniform(0, 0.25))])
    for kind in KINDS:
        done.append([f"{kind}.h5", kind, one_child(f"{kind}.h5", kind, 60, None)])
    return done


PAGE = 4096
TORN_NODE = "a node of the chunk index was torn at a page's border"


def has_torn_node(path):
    """Whether a kill has cut the write of a node of the chunk index (a version 1 B-tree, without checksum) at a page's border: it says that
    there are more entries than it has, and behind that border the keys do not follow each other."""
    with open(path, "rb") as file:
        content = file.read()
    for node in re.finditer(b"TREE\\x01[\\x00-\\x0f]", content):
        entries = int.from_bytes(content[node.start() + 6:node.start() + 8], "little")
        # Size and filter mask, the chunk's place with one dimension for the bytes of an element; then the address of the chunk or node.
        stored = content[node.start() + 24:][:(entries + 1) * 40 - 8] + bytes(8)
        if len(stored) < (entries + 1) * 40:
            # The file ends inside of the node.
            if len(content) % PAGE == 0:
                return True
            continue
        keys = np.frombuffer(stored, "<u8").reshape(-1, 5)[:, 1:4]
        places = [tuple(key) for key in keys]
        wrong = next((at for at in range(1, len(places)) if places[at - 1] >= places[at]), None)
        if wrong is not None and node.start() // PAGE != (node.start() + 24 + wrong * 40) // PAGE:
            return True
    return False


def wrong_in(path, kind, flushed):
    """What is wrong with a file of which so many flushes were told."""
    wrong = wrong_content_in(path, kind, flushed)
    return f"{wrong}: {TORN_NODE}" if wrong and kind != "contiguous" and has_torn_node(path) else wrong


def wrong_content_in(path, kind, flushed):
    try:
        file = h5py.File(path, "r")
    except OSError as error:
        return f"cannot be opened: {error}"
    with file:
        # What comes after the last flush may be torn.
        rows = file["d"].shape[0] if kind == "contiguous" else flushed * CHUNK
        try:
            data = file["d"][:rows]
        except OSError as error:
            return f"cannot be read after {flushed} flushes: {error}"
    if kind == "contiguous":
        for place in range(ROWS):
            last = flushed - (flushed - place) % ROWS
            expected = max(last, 0)
            if place != (flushed + 1) % ROWS and (data[place] != expected).any():
                return f"row {place} is {np.unique(data[place])[:5]}, not {expected}, after {flushed} flushes"
            if not np.isin(data[place], [expected, flushed + 1]).all():
                return f"row {place} is {np.unique(data[place])[:5]}, not {expected} or {flushed + 1}"
        return None
    if len(data) < flushed * CHUNK:
        return f"{len(data)} rows after {flushed} flushes"
    for number in range(1, flushed + 1):
        if (data[(number - 1) * CHUNK:number * CHUNK] != number).any():
            return f"block {number} is {np.unique(data[(number - 1) * CHUNK:number * CHUNK])[:5]} after {flushed} flushes"
    return None


def main():
    if sys.argv[1] == "kill":
        print(json.dumps(kill(int(sys.argv[3]), int(sys.argv[4]))))
    else:
        found = {path: wrong_in(path, kind, flushed) for path, kind, flushed in json.loads(sys.stdin.read())}
        print(json.dumps({path: wrong for path, wrong in found.items() if wrong}))


if __name__ == "__main__":
    main()
