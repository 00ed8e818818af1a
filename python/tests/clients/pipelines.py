"""Filter pipelines by name, as lists of (id, flags, parameters) for H5Pset_filter. Flag 1: the filter is optional."""

DEFLATE, SHUFFLE, FLETCHER32, SZIP, NBIT, SCALEOFFSET = 1, 2, 3, 4, 5, 6
BZIP2, LZF, BLOSC, LZ4, BITSHUFFLE, ZFP, ZSTD, BLOSC2 = 307, 32000, 32001, 32004, 32008, 32013, 32015, 32026
# Those that come from hdf5plugin.
PLUGINS = {BZIP2, BLOSC, LZ4, BITSHUFFLE, ZFP, ZSTD, BLOSC2}

INNER = {"blosclz": 0, "lz4": 1, "lz4hc": 2, "snappy": 3, "zlib": 4, "zstd": 5}
SZIP_ENTROPY, SZIP_NEIGHBOUR = 4 | 128, 32 | 128
FLOAT_DIGITS, INT_BITS = 0, 2

OPTIONAL, MANDATORY = 1, 0


def deflate(level=4, flags=OPTIONAL):
    return (DEFLATE, flags, [level])


def shuffle(flags=OPTIONAL):
    return (SHUFFLE, flags, [])


def fletcher32(flags=MANDATORY):
    return (FLETCHER32, flags, [])


def szip(coding=SZIP_NEIGHBOUR, pixels=8, flags=OPTIONAL):
    return (SZIP, flags, [coding, pixels])


def nbit(flags=OPTIONAL):
    return (NBIT, flags, [])


def scaleoffset(kind=INT_BITS, factor=0, flags=OPTIONAL):
    return (SCALEOFFSET, flags, [kind, factor])


def lzf(flags=OPTIONAL):
    return (LZF, flags, [])


def bzip2(block=9, flags=OPTIONAL):
    return (BZIP2, flags, [block])


def lz4(block=0, flags=OPTIONAL):
    return (LZ4, flags, [block])


def zstd(level=3, flags=OPTIONAL):
    return (ZSTD, flags, [level])


def blosc(inner="lz4", level=5, shuffling=1, flags=OPTIONAL):
    """`shuffling`: 0 none, 1 bytes, 2 bits."""
    return (BLOSC, flags, [0, 0, 0, 0, level, shuffling, INNER[inner]])


def blosc2(inner="blosclz", level=5, shuffling=1, flags=OPTIONAL):
    """`shuffling`: 0 none, 1 bytes, 2 bits, 3 differences."""
    return (BLOSC2, flags, [0, 0, 0, 0, level, shuffling, INNER[inner]])


def bitshuffle(inner=None, block=0, flags=OPTIONAL):
    """`inner`: None, lz4 or zstd."""
    codes = {None: [], "lz4": [2], "zstd": [3, 3]}
    return (BITSHUFFLE, flags, [block, *codes[inner]])


def zfp(flags=OPTIONAL):
    """Reversible; a filter we do not have."""
    return (ZFP, flags, [5, 0, 0, 0, 0, 0])
