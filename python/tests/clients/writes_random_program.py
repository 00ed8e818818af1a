"""The files and datasets of one random program, and the calls it makes on them. writes_random.py runs the programs.

Everything is decided by the step's own random numbers and by what the calls before returned, so that the same program runs natively and
through the connector. What a call returns is something that must be the same both ways: digests of what was read, counts, failures.
Never an address, and no size that depends on how well something was compressed.
"""

import collections
import ctypes
import hashlib
import math
import os
import random

import conversions as c
import pipelines as p
import random_datasets
import random_selections
import writes_types as t
from filters import add_filters

FILES = ("main.h5", "other.h5")
GUARD = 32
DONT_FILTER_PARTIAL = 2
NEVER, IFSET = 1, 2
# int (*)(const hsize_t *offset, unsigned mask, haddr_t, hsize_t size, void *)
CHUNK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_uint64), ctypes.c_uint, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_void_p)
# Filters whose output has the same size whoever makes it.
SAME_SIZE = {p.SHUFFLE, p.FLETCHER32}


def digest(data):
    return hashlib.sha1(data).hexdigest()[:12]


class World:
    """What is open, and what the program knows about it."""

    def __init__(self, h5, way, seed, host):
        self.h5, self.host, self.native = h5, host, way == "native" or "BYPASS_VOL_DISABLE" in os.environ
        self.left_open = seed % 4 == 0
        rng = random.Random(f"{seed}/world")
        self.fapl = h5.H5Pcopy.must(getattr(h5, way))
        latest = next(bound for bound in (6, 5, 4) if h5.H5Pset_libver_bounds(self.fapl, bound, bound) >= 0)
        h5.H5Pset_libver_bounds.must(self.fapl, rng.choice([0, 0, 2, latest, latest]), latest)
        if rng.random() < 0.3:
            size = rng.choice([0, 700, 1 << 25])
            h5.H5Pset_cache.must(self.fapl, 0, ctypes.c_size_t(521), ctypes.c_size_t(size), ctypes.c_double(0.75))
        if rng.random() < 0.3:
            h5.H5Pset_fclose_degree.must(self.fapl, rng.choice([2, 3]))
        if rng.random() < 0.15:
            h5.H5Pset_sieve_buf_size.must(self.fapl, ctypes.c_size_t(rng.choice([0, 100])))
        if rng.random() < 0.1:
            h5.H5Pset_evict_on_close.must(self.fapl, 1)
        self.fcpl = h5.plist("FILE_CREATE")
        block = rng.choice([0, 0, 0, 512])
        h5.H5Pset_userblock.must(self.fcpl, block)
        if not block and rng.random() < 0.1:
            h5.H5Pset_alignment.must(self.fapl, 1, 512)
        if not block and rng.random() < 0.3:
            h5.H5Pset_file_space_strategy.must(self.fcpl, rng.choice([0, 1, 2, 3]), rng.choice([0, 1]), 1)
        self.opened = [[] for _ in FILES]
        # Files that are open for reading only. HDF5 refuses H5Dwrite, but breaks over some other calls that would change them.
        self.closed_to_changes = set()
        self.datasets, self.handles, self.made = {}, [], 0
        self.coverage = collections.Counter()
        for number, name in enumerate(FILES):
            self.opened[number].append(h5.create(name, self.fapl, self.fcpl))

    # ---- files -----------------------------------------------------------------------------------------------------------------

    def check_handles(self):
        """Forgets ids that closing a file took with it."""
        valid = self.h5.H5Iis_valid
        self.handles = [pair for pair in self.handles if valid(pair[0]) > 0]
        self.opened = [[file for file in files if valid(file) > 0] for files in self.opened]

    def open_file(self, number, flags):
        file = self.h5.H5Fopen(FILES[number].encode(), flags, self.fapl)
        if file < 0:
            return "failed"
        self.opened[number].append(file)
        return "opened"

    def close_all(self, number):
        """Everything that is open of a file; whether all of it closed well."""
        h5 = self.h5
        well = True
        for handle, name in list(self.handles):
            if name not in self.datasets or self.datasets[name]["file"] == number:
                well = h5.H5Dclose(handle) >= 0 and well
        self.check_handles()
        for file in self.opened[number]:
            well = h5.H5Fclose(file) >= 0 and well
        self.check_handles()
        return well

    def again(self, rng):
        """Closed and opened again, for reading only or for writing."""
        number = rng.randrange(len(FILES))
        well = self.close_all(number)
        flags = rng.choice([self.h5.RDONLY, self.h5.RDWR, self.h5.RDWR, self.h5.RDWR])
        (self.closed_to_changes.discard if flags else self.closed_to_changes.add)(number)
        self.coverage["read-only"] += flags == self.h5.RDONLY
        return [number, flags, well, self.open_file(number, flags)]

    def once_more(self, rng):
        """Another handle of a file that is open."""
        number = rng.randrange(len(FILES))
        if self.left_open:
            # HDF5 crashes at exit over several handles of one file.
            return "not here"
        if not self.opened[number] or rng.random() < 0.6:
            return [number, self.open_file(number, rng.choice([self.h5.RDONLY, self.h5.RDWR, self.h5.RDWR]))]
        again = self.h5.H5Freopen(rng.choice(self.opened[number]))
        if again >= 0:
            self.opened[number].append(again)
        return [number, "reopened", again >= 0]

    def close_file(self, rng):
        """One of several handles; the last one only goes with `again`."""
        number = rng.randrange(len(FILES))
        if len(self.opened[number]) < 2:
            return [number, "kept"]
        result = self.h5.H5Fclose(rng.choice(self.opened[number]))
        self.check_handles()
        return [number, result]

    def changeable(self, number):
        """Whether the file is open for writing."""
        return bool(self.opened[number]) and number not in self.closed_to_changes

    def flush_file(self, rng):
        number = rng.randrange(len(FILES))
        if not self.opened[number]:
            return "closed"
        return self.h5.H5Fflush(rng.choice(self.opened[number]), rng.choice([0, 1]))

    # ---- datasets --------------------------------------------------------------------------------------------------------------

    def create(self, rng):
        h5 = self.h5
        number = rng.randrange(len(FILES))
        if not self.changeable(number) or len(self.datasets) >= 9:
            return "no"
        while True:
            data = random_datasets.random_dataset(rng, h5)
            if data["dims"] is not None and data["layout"] != "external":
                break
        data["type"] = t.stored_type(rng)
        size = data["size"] = c.size_of(data["type"])
        if data["layout"] == "contiguous" and math.prod(data["dims"]) * size < 3000 and rng.random() < 0.2:
            data["layout"] = "compact"
        data["pipeline"], data["edge"] = [], False
        if data["layout"] == "chunked":
            data["pipeline"] = t.pipeline(rng, h5, data["type"], self.host)
            data["edge"] = bool(data["pipeline"]) and rng.random() < 0.25
        # Where nothing fills what nobody has written, it is not defined what is read there.
        data["undefined"] = data["fill time"] == NEVER or data["fill"] == "undefined"
        if data["layout"] == "contiguous" and data["fill time"] == IFSET and data["fill"] == "default":
            data["undefined"] = True
        data["file"] = number
        name = f"d{self.made}"
        self.made += 1
        made, dcpl = c.build(h5, data["type"]), h5.plist("DATASET_CREATE")
        if data["layout"] == "chunked":
            h5.H5Pset_chunk.must(dcpl, len(data["chunk"]), data["chunk"])
            add_filters(h5, dcpl, data["pipeline"])
            data["edge"] and h5.H5Pset_chunk_opts.must(dcpl, DONT_FILTER_PARTIAL)
        elif data["layout"] == "compact":
            h5.H5Pset_layout.must(dcpl, 0)
        if data["fill"] == "undefined":
            h5.H5Pset_fill_value.must(dcpl, made, None)
        elif data["fill"] == "set":
            h5.H5Pset_fill_value.must(dcpl, made, c.element(rng, data["type"]))
        h5.H5Pset_fill_time.must(dcpl, data["fill time"])
        if data["alloc time"] and data["layout"] != "compact":
            h5.H5Pset_alloc_time.must(dcpl, data["alloc time"])
        space = h5.space(data["dims"], data["maxdims"] if data["dims"] else None)
        dapl = self.dapl(rng, data)
        dset = h5.H5Dcreate2(rng.choice(self.opened[number]), name.encode(), made, space, 0, dcpl, dapl)
        for close, one in ((h5.H5Pclose, dapl), (h5.H5Sclose, space), (h5.H5Pclose, dcpl), (h5.H5Tclose, made)):
            one and close(one)
        if dset < 0:
            return [name, "refused"]
        self.datasets[name] = data
        self.handles.append((dset, name))
        self.coverage[data["layout"]] += 1
        for filter_id, _, _ in data["pipeline"]:
            self.coverage[f"filter {filter_id}"] += 1
        keys = ("file", "dims", "maxdims", "layout", "type", "fill", "fill time", "alloc time", "edge", "pipeline")
        shown = {key: data[key] for key in keys}
        answer = [name, repr(shown), repr(data.get("chunk"))]
        if data["undefined"]:
            answer.append(self.write_to(rng, dset, data, {"kind": "ALL"}, data["type"]))
        return answer

    def dapl(self, rng, data):
        """An access property list, with sizes of HDF5's chunk cache."""
        size, share = rng.choice([0, 500, 5000, 1 << 24, None, None, None, None, None, None]), rng.choice([0, 0.75, 1])
        if self.native or not_ours(data["pipeline"]):
            # H5Ocopy overruns a buffer when two filtered chunks are in the cache, and copies or fails over missing ones. But without
            # a cache HDF5 forgets the only chunk of a dataset that nothing fills.
            size = 0 if data["pipeline"] or not data["undefined"] else 1 << 24
        if size is None:
            return 0
        dapl = self.h5.plist("DATASET_ACCESS")
        self.h5.H5Pset_chunk_cache.must(dapl, ctypes.c_size_t(13), ctypes.c_size_t(size), ctypes.c_double(share))
        return dapl

    def pick(self, rng, wanted=lambda data: data["layout"] != "virtual"):
        """An open handle of a dataset, opened if need be: (handle, name, data), or None."""
        names = [name for name, data in self.datasets.items() if wanted(data)]
        held = [pair for pair in self.handles if pair[1] in names]
        if held and (rng.random() < 0.8 or not names):
            handle, name = rng.choice(held)
            return handle, name, self.datasets[name]
        names = [name for name in names if self.opened[self.datasets[name]["file"]] and not self.datasets[name].get("deleted")]
        if not names:
            return None
        name = rng.choice(names)
        handle = self.open_one(rng, name)
        return None if handle is None else (handle, name, self.datasets[name])

    def open_one(self, rng, name):
        """A new handle of a dataset, or None if it cannot be opened."""
        data = self.datasets[name]
        dapl = self.dapl(rng, data)
        handle = self.h5.H5Dopen2(rng.choice(self.opened[data["file"]]), name.encode(), dapl)
        dapl and self.h5.H5Pclose(dapl)
        if handle < 0:
            return None
        self.handles.append((handle, name))
        return handle

    def open_dataset(self, rng):
        """One more handle of a dataset that may have some."""
        before = len(self.handles)
        while len(self.handles) < before + rng.randint(1, 2):
            names = [name for name, data in self.datasets.items() if self.opened[data["file"]] and not data.get("deleted")]
            if not names:
                return "none"
            name = rng.choice(names)
            if self.open_one(rng, name) is None:
                return [name, "failed"]
        return [name for _, name in self.handles[before:]]

    def close_dataset(self, rng):
        if not self.handles:
            return "none"
        handle, name = self.handles.pop(rng.randrange(len(self.handles)))
        result = self.h5.H5Dclose(handle)
        data = self.datasets.get(name)
        if data and data.get("deleted") and not any(other == name for _, other in self.handles):
            del self.datasets[name]
        return [name, result]

    # ---- data ------------------------------------------------------------------------------------------------------------------

    def selection(self, rng, data):
        """Selection in the file, number of elements."""
        selection = random_selections.random_selection(rng, data["dims"])
        space = random_selections.build_space(self.h5, data["dims"], selection)
        number = self.h5.H5Sget_select_npoints(space) if space else math.prod(data["dims"])
        space and self.h5.H5Sclose(space)
        return selection, number

    def transfer(self, rng, spec):
        """A transfer property list, the default one mostly."""
        dxpl = 0
        if rng.random() < 0.05:
            dxpl = self.h5.plist("DATASET_XFER")
            if rng.random() < 0.5 and spec[0] == "std" and "IEEE" in spec[1]:
                self.h5.H5Pset_data_transform.must(dxpl, b"x+1")
                self.coverage["transform"] += 1
            else:
                self.h5.H5Pset_buffer.must(dxpl, ctypes.c_size_t(rng.choice([100, 4000])), None, None)
        return dxpl

    def write_to(self, rng, handle, data, selection, spec, number=None):
        h5 = self.h5
        number = math.prod(data["dims"]) if number is None else number
        extent, memory = random_selections.random_memory(rng, number, data["dims"], selection)
        if memory is selection and selection["kind"] == "points":
            # Points on both sides: HDF5 takes elements from outside of the buffer.
            extent, memory = [number], {"kind": "all"}
        buffer = c.content(rng, spec, max(math.prod(extent), 1))
        made = c.build(h5, spec)
        spaces = random_selections.build_space(h5, extent, memory), random_selections.build_space(h5, data["dims"], selection)
        dxpl = self.transfer(rng, spec)
        result = h5.H5Dwrite(handle, made, *spaces, dxpl, buffer)
        self.close(made, spaces, dxpl)
        self.coverage["writes"] += 1
        self.coverage["writes failed"] += result < 0
        return result

    def close(self, made, spaces, dxpl):
        self.h5.H5Tclose(made)
        for space in spaces:
            space > 1 and self.h5.H5Sclose(space)
        dxpl and self.h5.H5Pclose(dxpl)

    def write(self, rng):
        found = self.pick(rng)
        if not found:
            return "none"
        handle, name, data = found
        selection, number = self.selection(rng, data)
        spec = t.memory_type(rng, data["type"])
        result = self.write_to(rng, handle, data, selection, spec, number)
        return [name, short(selection), "same" if spec == data["type"] else repr(spec), result]

    def write_rows(self, rng):
        """Rows, or other slices along one dimension, one after another: what loops in applications do."""
        found = self.pick(rng, lambda data: data["dims"] and 0 not in data["dims"] and data["layout"] != "virtual")
        if not found:
            return "none"
        handle, name, data = found
        axis = rng.randrange(len(data["dims"]))
        count, first = rng.randint(2, 12), rng.randrange(data["dims"][axis])
        results = []
        for row in range(first, min(first + count, data["dims"][axis])):
            start, block = [0] * len(data["dims"]), list(data["dims"])
            start[axis], block[axis] = row, 1
            selection = {"kind": "slabs", "slabs": [("SET", [start, [1] * len(block), block, [1] * len(block)])]}
            results.append(self.write_to(rng, handle, data, selection, data["type"], math.prod(block)))
        return [name, axis, first, results]

    def read_from(self, rng, handle, data, selection, spec, number):
        h5 = self.h5
        extent, memory = random_selections.random_memory(rng, number, data["dims"], selection)
        made = c.build(h5, spec)
        buffer = bytearray(rng.randbytes(2 * GUARD + math.prod(extent) * c.size_of(spec)))
        target = (ctypes.c_char * len(buffer)).from_buffer(buffer)
        spaces = random_selections.build_space(h5, extent, memory), random_selections.build_space(h5, data["dims"], selection)
        dxpl = self.transfer(rng, spec)
        result = h5.H5Dread(handle, made, *spaces, dxpl, ctypes.byref(target, GUARD))
        self.close(made, spaces, dxpl)
        del target
        self.coverage["reads"] += 1
        self.coverage["reads failed"] += result < 0
        return [result, digest(buffer) if result >= 0 else ""]

    def read(self, rng):
        found = self.pick(rng)
        if not found:
            return "none"
        handle, name, data = found
        selection, number = self.selection(rng, data)
        spec = t.memory_type(rng, data["type"], 0.75)
        found = self.read_from(rng, handle, data, selection, spec, number)
        return [name, short(selection), "same" if spec == data["type"] else repr(spec), found]

    def read_all(self, rng):
        found = self.pick(rng)
        if not found:
            return "none"
        handle, name, data = found
        return [name, self.read_from(rng, handle, data, {"kind": "ALL"}, data["type"], math.prod(data["dims"]))]

    def several(self, rng, writing):
        """H5Dwrite_multi or H5Dread_multi of different datasets."""
        h5 = self.h5
        # Of one file, and with nothing that could fail: HDF5 crashes over calls of which only the first datasets are in order.
        number, chosen = rng.randrange(len(FILES)), {}
        for _ in range(rng.randint(2, 4)):
            found = self.pick(rng, lambda data: 0 not in data["dims"] and data["file"] == number and data["layout"] != "virtual")
            if found:
                chosen[found[1]] = found
        if len(chosen) < 2:
            return "none"
        handles, types, memories, files, buffers = [], [], [], [], []
        for handle, name, data in chosen.values():
            while True:
                # A selection of no elements, or one that is not inside, would make the whole call fail.
                selection, number = self.selection(rng, data)
                if number and "shift" not in selection:
                    break
            spec = t.memory_type(rng, data["type"], 0.7)
            extent, memory = [number], {"kind": "all"}
            if rng.random() < 0.5 and selection["kind"] != "points":
                extent, memory = random_selections.random_memory(rng, number, data["dims"], selection)
            handles.append(handle)
            types.append(c.build(h5, spec))
            memories.append(random_selections.build_space(h5, extent, memory))
            files.append(random_selections.build_space(h5, data["dims"], selection))
            bytes_there = c.content(rng, spec, max(math.prod(extent), 1))
            buffers.append(ctypes.create_string_buffer(bytes_there, len(bytes_there)))
        pointers = (ctypes.c_void_p * len(buffers))(*map(ctypes.addressof, buffers))
        call = h5.H5Dwrite_multi if writing else h5.H5Dread_multi
        result = call(len(handles), handles, types, memories, files, 0, pointers)
        for made, *spaces in zip(types, memories, files):
            self.close(made, spaces, 0)
        self.coverage["multi"] += 1
        return [list(chosen), result, [] if writing or result < 0 else [digest(buffer.raw) for buffer in buffers]]

    def write_several(self, rng):
        return self.several(rng, True)

    def read_several(self, rng):
        return self.several(rng, False)

    # ---- extent, storage, chunks -----------------------------------------------------------------------------------------------

    def resize(self, rng):
        # Where nothing fills, what is new would not be defined.
        found = self.pick(rng, lambda data: data["layout"] == "chunked" and data["maxdims"] != data["dims"] and not data["undefined"])
        if not found or not self.changeable(found[2]["file"]):
            return "none"
        handle, name, data = found
        dims = []
        for size, most, chunk in zip(data["dims"], data["maxdims"], data["chunk"]):
            more, less = rng.randint(0, 2 * chunk), rng.randint(0, size)
            wanted = rng.choice([size, size + 1, size + more, size - 1, less, size // chunk * chunk, 0])
            dims.append(max(0, min(wanted if rng.random() < 0.95 else 0, most if most < 1 << 62 else size + 50)))
        while math.prod(dims) > 6000:
            axis = dims.index(max(dims))
            dims[axis] //= 2
        result = self.h5.H5Dset_extent(handle, dims)
        if result >= 0:
            self.coverage["grown"] += any(new > old for new, old in zip(dims, data["dims"]))
            self.coverage["shrunk"] += any(new < old for new, old in zip(dims, data["dims"]))
            data["dims"], data["resized"] = dims, True
        return [name, dims, result]

    def flush_dataset(self, rng):
        found = self.pick(rng)
        return [found[1], self.h5.H5Dflush(found[0])] if found else "none"

    def refresh(self, rng):
        found = self.pick(rng)
        # HDF5 loses the chunk index of the other handles.
        if not found or sum(name == found[1] for _, name in self.handles) > 1:
            return "none"
        return [found[1], self.h5.H5Drefresh(found[0])]

    def storage(self, rng):
        """Questions about the storage, which must count what has been written so far."""
        h5 = self.h5
        found = self.pick(rng)
        if not found:
            return "none"
        handle, name, data = found
        status = ctypes.c_int(-1)
        answer = [name, h5.H5Dget_space_status(handle, ctypes.byref(status)), status.value]
        size = h5.H5Dget_storage_size(handle)
        alike = {number for number, _, _ in data["pipeline"]} <= SAME_SIZE
        answer.append(size if alike else size > 0)
        if data["layout"] == "chunked":
            answer.append(self.chunks(rng, handle, data, alike))
        elif data["layout"] == "contiguous":
            answer.append(h5.H5Dget_offset(handle) > 0)
        return answer

    def chunks(self, rng, handle, data, alike):
        h5 = self.h5
        count = ctypes.c_uint64()
        answer = [h5.H5Dget_num_chunks(handle, 0, ctypes.byref(count)), count.value]
        found = []
        rank = len(data["dims"])

        def note(place, mask, _address, size, _data):
            found.append((*place[:rank], mask if alike else 0, size if alike else size > 0))
            return 0

        answer += [h5.H5Dchunk_iter(handle, 0, CHUNK(note), None), digest(repr(sorted(found)).encode())]
        if 0 not in data["dims"]:
            place = [rng.randrange(0, extent, chunk) for extent, chunk in zip(data["dims"], data["chunk"])]
            size, mask, address = ctypes.c_uint64(), ctypes.c_uint(), ctypes.c_uint64()
            result = h5.H5Dget_chunk_info_by_coord(handle, place, ctypes.byref(mask), ctypes.byref(address), ctypes.byref(size))
            there = address.value < 1 << 63 and size.value > 0
            answer.append([place, result, there, size.value if alike else 0])
        return answer

    def place_of_chunk(self, rng):
        found = self.pick(rng, lambda data: data["layout"] == "chunked" and 0 not in data["dims"])
        if not found:
            return None
        data = found[2]
        place = [rng.randrange(0, extent, chunk) for extent, chunk in zip(data["dims"], data["chunk"])]
        partial = any(at + chunk > extent for at, chunk, extent in zip(place, data["chunk"], data["dims"]))
        return (*found, place, partial)

    def write_chunk(self, rng):
        """H5Dwrite_chunk of a chunk that is encoded here, with all filters: HDF5 mixes up the masks of chunks (writes_modes.py)."""
        found = self.place_of_chunk(rng)
        if not found or not self.changeable(found[2]["file"]):
            return "none"
        handle, name, data, place, partial = found
        if partial and data["maxdims"] != data["dims"]:
            # What is outside of the dataset would come to light when it grows, or not.
            return [name, "partial"]
        elements = c.content(rng, data["type"], math.prod(data["chunk"]))
        made = [] if data["edge"] and partial else data["pipeline"]
        stored = t.encoded(elements, made, data["size"], rng.randint(0, 9))
        if stored is None:
            return [name, "cannot be encoded here"]
        self.coverage["direct writes"] += 1
        return [name, place, self.h5.H5Dwrite_chunk(handle, 0, 0, place, len(stored), stored)]

    def read_chunk(self, rng):
        """H5Dread_chunk of what may just have been written."""
        found = self.place_of_chunk(rng)
        if not found or found[2]["undefined"]:
            return "none"
        h5 = self.h5
        handle, name, data, place, partial = found
        size = ctypes.c_uint64()
        # HDF5 says of some chunks in its cache that they are missing, until it has counted them.
        h5.H5Dget_num_chunks(handle, 0, ctypes.byref(size))
        size.value = 0
        if h5.H5Dget_chunk_storage_size(handle, place, ctypes.byref(size)) < 0 or not size.value:
            return [name, place, "missing"]
        buffer, mask = ctypes.create_string_buffer(size.value), ctypes.c_uint32()
        if h5.has("H5Dread_chunk2"):
            room = ctypes.c_size_t(size.value)
            result = h5.H5Dread_chunk2(handle, 0, place, ctypes.byref(mask), buffer, ctypes.byref(room))
        else:
            result = h5.H5Dread_chunk(handle, 0, place, ctypes.byref(mask), buffer)
        self.coverage["direct reads"] += 1
        if result < 0:
            return [name, place, result]
        made = [] if data["edge"] and partial else data["pipeline"]
        elements = t.decoded(buffer.raw, mask.value, made, data["size"])
        # Outside of the dataset a chunk may hold anything that was there before it shrank.
        return [name, place, result, digest(elements) if elements is not None and not partial else ""]

    # ---- objects ---------------------------------------------------------------------------------------------------------------

    def copy(self, rng):
        """H5Ocopy, within the file or to the other."""
        h5 = self.h5
        # Not after a change of the extent: that leaves chunks in HDF5's cache, over which H5Ocopy breaks as `dapl` says.
        found = self.pick(rng, lambda data: not (data.get("deleted") or data.get("resized")) and data["layout"] != "virtual")
        number = rng.randrange(len(FILES))
        if not found or not self.changeable(number) or not self.opened[found[2]["file"]] or len(self.datasets) >= 12:
            return "none"
        _, name, data = found
        target = f"d{self.made}"
        self.made += 1
        if self.native or not_ours(data["pipeline"]):
            # And it does not see a first chunk whose place HDF5 has not written to the object's header yet.
            h5.H5Fflush.must(self.opened[data["file"]][0], 0)
        result = h5.H5Ocopy(rng.choice(self.opened[data["file"]]), name.encode(), rng.choice(self.opened[number]), target.encode(), 0, 0)
        if result >= 0:
            self.coverage["copied"] += 1
            self.datasets[target] = {**data, "file": number}
        return [name, target, number, result]

    def delete(self, rng):
        """The link goes; handles stay good."""
        names = [name for name, data in self.datasets.items() if self.changeable(data["file"]) and not data.get("deleted")]
        if len(names) < 4:
            return "kept"
        name = rng.choice(names)
        result = self.h5.H5Ldelete(rng.choice(self.opened[self.datasets[name]["file"]]), name.encode(), 0)
        if result >= 0:
            self.datasets[name]["deleted"] = True
            if not any(other == name for _, other in self.handles):
                del self.datasets[name]
        return [name, result]

    def rename(self, rng):
        names = [name for name, data in self.datasets.items() if self.changeable(data["file"]) and not data.get("deleted")]
        if not names:
            return "none"
        name, target = rng.choice(names), f"d{self.made}"
        self.made += 1
        file = rng.choice(self.opened[self.datasets[name]["file"]])
        result = self.h5.H5Lmove(file, name.encode(), file, target.encode(), 0, 0)
        if result >= 0:
            self.datasets[target] = self.datasets.pop(name)
            self.handles = [(handle, target if other == name else other) for handle, other in self.handles]
        return [name, target, result]

    def attribute(self, rng):
        """Metadata in between, which takes space in the file."""
        h5 = self.h5
        found = self.pick(rng, lambda data: self.changeable(data["file"]))
        if not found:
            return "none"
        handle, name, _ = found
        label = f"a{rng.randrange(3)}".encode()
        h5.H5Adelete(handle, label)
        space = h5.space([rng.choice([1, 40, 900])])
        number = h5.H5Sget_simple_extent_npoints(space)
        made = h5.H5Acreate2(handle, label, h5.type("STD_I32LE"), space, 0, 0)
        result = h5.H5Awrite(made, h5.type("STD_I32LE"), rng.randbytes(4 * number)) if made >= 0 else -1
        made >= 0 and h5.H5Aclose(made)
        h5.H5Sclose(space)
        return [name, result]

    # ---- virtual datasets ------------------------------------------------------------------------------------------------------

    def virtual(self, rng):
        """A virtual dataset over one of the others, in the same file or in the other."""
        h5 = self.h5
        names = [name for name, data in self.datasets.items() if data["dims"] and 0 not in data["dims"] and data["layout"] != "virtual"]
        names = [name for name in names if not self.datasets[name].get("deleted")]
        number = rng.randrange(len(FILES))
        if not names or not self.changeable(number) or len(self.datasets) >= 12:
            return "none"
        source = rng.choice(names)
        data = self.datasets[source]
        file = "." if data["file"] == number and rng.random() < 0.6 else FILES[data["file"]]
        target = f"d{self.made}"
        self.made += 1
        made, dcpl, space = c.build(h5, data["type"]), h5.plist("DATASET_CREATE"), h5.space(data["dims"])
        h5.H5Pset_virtual.must(dcpl, space, file.encode(), source.encode(), space)
        dset = h5.H5Dcreate2(rng.choice(self.opened[number]), target.encode(), made, space, 0, dcpl, 0)
        self.close(made, [space], dcpl)
        if dset < 0:
            return [target, source, "refused"]
        self.coverage["virtual"] += 1
        self.handles.append((dset, target))
        plain = {"layout": "virtual", "file": number, "pipeline": [], "edge": False, "undefined": True}
        self.datasets[target] = {key: data[key] for key in ("type", "size", "dims")} | plain | {"maxdims": data["dims"]}
        return [target, file, source]

    def through_virtual(self, rng):
        """Reads or writes a virtual dataset, in simple ways: HDF5 crashes over others."""
        h5 = self.h5
        found = self.pick(rng, lambda data: data["layout"] == "virtual")
        if not found:
            return "none"
        handle, name, data = found
        start = [rng.randrange(size) for size in data["dims"]]
        count = [rng.randint(1, size - first) for size, first in zip(data["dims"], start)]
        file, number = h5.slab(data["dims"], start, count), math.prod(count)
        memory, made = h5.space([number]), c.build(h5, data["type"])
        values = c.content(rng, data["type"], number)
        buffer = ctypes.create_string_buffer(values, len(values))
        writing = rng.random() < 0.4
        result = (h5.H5Dwrite if writing else h5.H5Dread)(handle, made, memory, file, 0, buffer)
        self.close(made, [memory, file], 0)
        self.coverage["through virtual"] += 1
        if result < 0:
            # What HDF5 reads after a failure is not defined.
            del self.datasets[name]
        return [name, start, count, writing, result, "" if result < 0 else digest(buffer.raw)]


def not_ours(pipeline):
    """Whether there is a filter that the connector leaves to HDF5: zfp, and Blosc with Snappy in it."""
    return any(number == p.ZFP or (number == p.BLOSC and values[6] == p.INNER["snappy"]) for number, _, values in pipeline)


def short(selection):
    """A selection for the journal."""
    text = repr(selection)
    return text if len(text) < 400 else text[:400] + "..."


STEPS = {
    World.write: 30,
    World.read: 16,
    World.read_all: 6,
    World.write_rows: 6,
    World.create: 8,
    World.resize: 10,
    World.storage: 5,
    World.write_chunk: 4,
    World.read_chunk: 4,
    World.write_several: 3,
    World.read_several: 3,
    World.open_dataset: 3,
    World.close_dataset: 7,
    World.flush_file: 2,
    World.flush_dataset: 2,
    World.refresh: 1,
    World.copy: 3,
    World.delete: 2,
    World.rename: 2,
    World.attribute: 2,
    World.virtual: 1.5,
    World.through_virtual: 3,
    World.again: 3,
    World.once_more: 1.5,
    World.close_file: 2,
}
