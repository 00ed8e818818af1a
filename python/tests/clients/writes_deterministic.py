"""Writes a file with every filter in every way, and tells its digest.

    writes_deterministic.py HOST SEED native|bypass

The last line of output is JSON: the digest of each part of the work, which is a file of its own. What they are depends on SEED only.
"""

import hashlib
import json
import math
import random
import struct
import sys

import pipelines as p
from filters import add_filters, available, settle
from hdf5lib import Library

PIPELINES = {
    "plain": [],
    "gzip": [p.deflate(6)],
    "shuffle gzip 2": [p.shuffle(), p.deflate(2)],
    "shuffle gzip 4": [p.shuffle(), p.deflate(4)],
    "lzf": [p.shuffle(), p.lzf()],
    "szip": [p.szip()],
    "nbit": [p.nbit()],
    "scaleoffset": [p.scaleoffset()],
    "zstd": [p.shuffle(), p.zstd()],
    "lz4": [p.lz4()],
    "bzip2": [p.bzip2(1), p.fletcher32()],
    "blosc": [p.blosc("blosclz")],
    "blosc zlib": [p.blosc("zlib", 5, 2)],
    "blosc2": [p.blosc2("zstd")],
    "bitshuffle": [p.bitshuffle("lz4")],
}


def values(rng, count):
    """Integers of all kinds, one after another, so that chunks differ in how well they are compressed."""
    made, walk = [], 0
    while len(made) < count:
        kind, length = rng.randrange(4), rng.randrange(2000, 9000)
        for place in range(length):
            walk += rng.randrange(-4, 5)
            made.append([walk, rng.getrandbits(31), place // 50, int(struct.unpack("<I", struct.pack("<f", math.sin(place / 300)))[0])][kind] & 0x7FFFFFFF)
    return struct.pack(f"<{count}i", *made[:count])


class Writer:
    def __init__(self, h5, fapl, seed):
        self.h5, self.fapl = h5, fapl
        self.rng = random.Random(seed)
        self.pool = values(self.rng, 170_000)

    def data(self, count):
        at = self.rng.randrange(0, len(self.pool) // 4 - count) * 4
        return self.pool[at:at + 4 * count]

    def dataset(self, file, name, pipeline, dims, chunk, maxdims=None):
        h5, dcpl = self.h5, self.h5.plist("DATASET_CREATE")
        h5.H5Pset_obj_track_times.must(dcpl, 0)
        h5.H5Pset_chunk.must(dcpl, len(chunk), chunk)
        add_filters(h5, dcpl, PIPELINES[pipeline])
        space = h5.space(dims, maxdims)
        data = h5.H5Dcreate2.must(file, name.encode(), h5.type("STD_I32LE"), space, 0, dcpl, 0)
        h5.H5Sclose(space)
        h5.H5Pclose(dcpl)
        return data

    def write(self, data, dims, start, count):
        h5 = self.h5
        space, memory = h5.slab(dims, start, count), h5.space(count)
        h5.H5Dwrite.must(data, h5.type("STD_I32LE"), memory, space, 0, self.data(math.prod(count)))
        h5.H5Sclose(space)
        h5.H5Sclose(memory)

    def whole(self, file, pipelines):
        """All chunks at once, small ones and some that are worth a look at what they contain."""
        for name in pipelines:
            for dims, chunk in (([300, 200], [64, 50]), ([160_000], [66_000])):
                if chunk == [66_000] and "gzip" not in name:
                    continue
                data = self.dataset(file, f"{name} {len(dims)}", name, dims, chunk)
                self.h5.H5Dwrite.must(data, self.h5.type("STD_I32LE"), 0, 0, 0, self.data(math.prod(dims)))
                self.h5.H5Dclose.must(data)

    def parts(self, file, pipelines):
        """Pieces that cut chunks, some of them several times; closed without a flush."""
        dims = [200, 150]
        for name in pipelines:
            data = self.dataset(file, name, name, dims, [32, 40])
            for _ in range(12):
                count = [self.rng.randrange(1, 90), self.rng.randrange(1, 100)]
                start = [self.rng.randrange(0, dims[0] - count[0]), self.rng.randrange(0, dims[1] - count[1])]
                self.write(data, dims, start, count)
            self.h5.H5Dclose.must(data)

    def growing(self, file, pipelines):
        """Rows at the end of a dataset that grows."""
        for name in pipelines:
            data = self.dataset(file, name, name, [0, 60], [40, 60], [self.h5.UNLIMITED, 60])
            rows = 0
            for _ in range(14):
                more = self.rng.randrange(1, 30)
                self.h5.H5Dset_extent.must(data, [rows + more, 60])
                self.write(data, [rows + more, 60], [rows, 0], [more, 60])
                rows += more
            self.h5.H5Dclose.must(data)

    def alternately(self, file, pipelines):
        """Several datasets in turns, with flushes of the file in between, and closed by the end of the file."""
        dims = [120, 90]
        open_ones = {name: self.dataset(file, name, name, dims, [24, 30]) for name in pipelines}
        for turn in range(5):
            for name in self.rng.sample(list(pipelines), len(pipelines)):
                count = [self.rng.randrange(1, 60), self.rng.randrange(1, 60)]
                start = [self.rng.randrange(0, dims[0] - count[0]), self.rng.randrange(0, dims[1] - count[1])]
                self.write(open_ones[name], dims, start, count)
            if turn % 2:
                self.h5.H5Fflush.must(file, 1)
        # All that is still in memory is written by this.
        self.h5.H5Fflush.must(file, 1)
        for data in open_ones.values():
            self.h5.H5Dclose.must(data)


def main():
    host, seed, way = sys.argv[1:4]
    settle(host, lzf=True)
    h5 = Library(host)
    pipelines = [name for name, filters in PIPELINES.items() if available(h5, filters)]
    answer = {"pipelines": len(pipelines)}
    creation = h5.plist("FILE_CREATE")
    h5.H5Pset_obj_track_times.must(creation, 0)
    for part in ("whole", "parts", "growing", "alternately"):
        writer = Writer(h5, h5.bypass if way == "bypass" else h5.native, f"{seed} {part}")
        file = h5.create(f"{part}.h5", writer.fapl, creation)
        getattr(writer, part)(file, pipelines)
        h5.H5Fclose.must(file)
        with open(f"{part}.h5", "rb") as made:
            answer[part] = hashlib.sha256(made.read()).hexdigest()
    print(json.dumps(answer))


main()
