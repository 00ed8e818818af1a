"""Random selections of the file and of the memory. A selection is a dictionary, so that it can be built more than once and printed.
"""

import math


def random_slab(rng, dims):
    """start, stride, count, block inside `dims`, none of which is zero."""
    start, stride, count, block = [], [], [], []
    for size in dims:
        b = rng.choice([1, 1, 2, 3, size])
        b = min(b, size)
        s = b + rng.choice([0, 0, 1, 2, 5])
        first = rng.randrange(size - b + 1)
        most = (size - first - b) // s + 1
        start.append(first)
        stride.append(s)
        block.append(b)
        count.append(rng.choice([most, most, rng.randint(1, most)]))
    return [start, stride, count, block]


def random_selection(rng, dims, allow_points=True):
    """What to select of an extent: a dictionary."""
    if len(dims) == 0 or 0 in dims:
        return {"kind": rng.choice(["ALL", "all", "none"])}
    kind = rng.choice(["ALL", "all", "none"] + ["slab"] * 8 + ["slabs"] * 4 + ["points"] * 4)
    if kind in ("ALL", "all", "none"):
        return {"kind": kind}
    if kind == "points" and allow_points:
        # Sometimes along a line, so that neighbours can be joined; sometimes with repeats.
        many = rng.choice([1, 2, 5, 30, 150])
        points = [[rng.randrange(size) for size in dims] for _ in range(many)]
        if rng.random() < 0.3:
            points = [[*points[0][:-1], place] for place in range(min(dims[-1], 40))]
            rng.random() < 0.3 and points.reverse()
        selection = {"kind": "points", "points": points}
    elif kind == "slabs":
        parts = [("SET", random_slab(rng, dims))]
        for _ in range(rng.randint(1, 4)):
            parts.append((rng.choice(["OR", "OR", "XOR", "AND", "NOTB", "NOTA"]), random_slab(rng, dims)))
        if math.prod(dims) > 20_000:
            # Native HDF5 takes seconds for many blocks of an irregular selection.
            for _, slab in parts:
                slab[2] = [min(count, 40) for count in slab[2]]
        selection = {"kind": "slabs", "slabs": parts}
    else:
        selection = {"kind": "slabs", "slabs": [("SET", random_slab(rng, dims))]}
    if rng.random() < 0.2:
        shift_back(rng, selection, dims)
    return selection


def shift_back(rng, selection, dims):
    """Moves the selection and sets the opposite offset, so that it stays where it was, or rarely does not."""
    shift = [rng.randint(-3, 3) for _ in dims]
    if selection["kind"] == "points":
        places = selection["points"]
    else:
        places = [slab[0] for _, slab in selection["slabs"]]
    for axis, size in enumerate(dims):
        low = min(place[axis] for place in places)
        high = max(place[axis] for place in places)
        shift[axis] = min(shift[axis], low)
        if selection["kind"] == "points":
            shift[axis] = max(shift[axis], high - size + 1)
        for place in places:
            place[axis] -= shift[axis]
    if rng.random() < 0.1:
        shift[rng.randrange(len(dims))] += rng.choice([1, 2, 7, -1, -2])
    selection["shift"] = shift


def build_space(h5, dims, selection):
    """The dataspace with the selection, or H5S_ALL / H5S_BLOCK themselves."""
    kind = selection["kind"]
    if kind == "ALL":
        return h5.ALL
    if kind == "BLOCK":
        return h5.BLOCK
    space = h5.space(dims)
    if kind == "none":
        h5.H5Sselect_none.must(space)
    elif kind == "points":
        points = selection["points"]
        h5.H5Sselect_elements.must(space, h5.SET, len(points), [place for point in points for place in point])
    elif kind == "slabs":
        for operation, (start, stride, count, block) in selection["slabs"]:
            h5.H5Sselect_hyperslab.must(space, getattr(h5, operation), start, stride, count, block)
    if "shift" in selection:
        h5.H5Soffset_simple.must(space, selection["shift"])
    return space


def split(rng, number, parts):
    """A number as a product of `parts` factors."""
    factors = [1] * parts
    rest, prime = number, 2
    while rest > 1:
        if prime * prime > rest:
            prime = rest
        if rest % prime:
            prime += 1
            continue
        factors[rng.randrange(parts)] *= prime
        rest //= prime
    return factors


def random_memory(rng, number, dims, selection):
    """Extent and selection of the memory for `number` elements."""
    ways = ["BLOCK", "line", "line", "strided", "shaped", "shaped", "ragged", "same"]
    if number <= 300:
        ways += ["points", "repeated"] if rng.random() < 0.5 else []
    if selection["kind"] in ("ALL", "all"):
        ways += ["ALL", "ALL"]
    elif number:
        ways += ["ALL"]
    if number == 0:
        ways = ["line", "none", "BLOCK"]
    way = rng.choice(ways)
    if way == "ALL":
        return list(dims), {"kind": "ALL"}
    if way == "BLOCK":
        return [number], {"kind": "BLOCK"}
    if way == "none":
        return [5, 2], {"kind": "none"}
    if way == "same" and selection["kind"] != "ALL":
        return list(dims), selection
    if way == "strided":
        stride, start = rng.randint(1, 9), rng.randint(0, 5)
        extent = [start + number * stride + rng.randint(0, 3)]
        return extent, {"kind": "slabs", "slabs": [("SET", [[start], [stride], [number], [1]])]}
    if way == "shaped":
        extent, start, strides, counts, blocks = [], [], [], [], []
        for factor in split(rng, number, rng.randint(1, 5)):
            divisors = [d for d in range(1, min(factor, 50) + 1) if factor % d == 0]
            block = rng.choice([*divisors, factor])
            stride = block + rng.choice([0, 0, 1, 3])
            first = rng.choice([0, 0, 2])
            start.append(first)
            strides.append(stride)
            counts.append(factor // block)
            blocks.append(block)
            extent.append(first + stride * (factor // block) + rng.choice([0, 0, 1]))
        if math.prod(extent) < 40 * number + 1000:
            return extent, {"kind": "slabs", "slabs": [("SET", [start, strides, counts, blocks])]}
    if way == "ragged":
        # Runs of any length with gaps between, in rows of a matrix.
        width = rng.randint(max(2, number // 12), max(3, number // 3))
        row, column, left, slabs = 0, 0, number, []
        while left:
            column += rng.choice([0, 1, 2])
            if column >= width:
                row, column = row + 1, 0
            run = min(left, width - column, rng.choice([width, rng.randint(1, width)]))
            slabs.append(("OR" if slabs else "SET", [[row, column], [1, 1], [1, 1], [1, run]]))
            left -= run
            column += run
        return [row + 1 + rng.randint(0, 1), width], {"kind": "slabs", "slabs": slabs}
    if way in ("points", "repeated"):
        extent = [rng.randint(1, 4), number * 2 + 3]
        places = [(i, j) for i in range(extent[0]) for j in range(extent[1])]
        chosen = rng.sample(places, number)
        if way == "repeated":
            chosen = [rng.choice(chosen) for _ in range(number)]
        return extent, {"kind": "points", "points": [list(place) for place in chosen]}
    return [number], {"kind": "all"}


def repeats(selection):
    points = [tuple(point) for point in selection.get("points", [])]
    return len(points) != len(set(points))
