"""Our decoder of zlib streams accepts what zlib does, and nothing else.

Streams by zlib with all its settings are changed here and there, and others are made up. With each change comes the same
with a right checksum: otherwise the checksum would hide nearly everything. The decoder runs in
target/release/examples/filter, which `cargo xtask test` builds.
"""

from __future__ import annotations

import itertools
import random
import struct
import zlib

import pytest
from clients.filter_program import Failed, Program

# Less than our pipelines take, whatever a chunk should have.
LONGEST = 60_000
DEFLATE = [(1, 0, [6])]

STRATEGIES = [zlib.Z_DEFAULT_STRATEGY, zlib.Z_FILTERED, zlib.Z_HUFFMAN_ONLY, zlib.Z_RLE, zlib.Z_FIXED]
FLUSHES = [zlib.Z_NO_FLUSH, zlib.Z_PARTIAL_FLUSH, zlib.Z_SYNC_FLUSH, zlib.Z_FULL_FLUSH, zlib.Z_BLOCK]
LENGTHS = (0, 1, 30, 400, 3000, 20_000)

# Lengths of codes are given in this order.
ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]


@pytest.fixture
def program(filter_program):
    program = Program(filter_program)
    yield program
    program.close()


def by_zlib(stream: bytes, window: int = 15) -> tuple[bytes, int] | None:
    """What zlib makes of a stream, and of how many bytes of it; nothing if it is refused."""
    decoder = zlib.decompressobj(window)
    try:
        data = decoder.decompress(stream, LONGEST)
    except zlib.error:
        return None
    if not decoder.eof:
        # Either it is cut off, or it goes on, and then it is none of ours.
        return None if len(data) < LONGEST else (data, -1)
    return data, len(stream) - len(decoder.unused_data)


def by_us(program: Program, stream: bytes, length: int) -> bytes | None:
    """The first bytes of what we decode, so many of them; nothing if it is refused."""
    try:
        return program.decode(DEFLATE, stream, length)
    except Failed:
        return None


class Comparison:
    """Streams seen so far, accepted or refused by both."""

    def __init__(self, program: Program):
        self.program = program
        self.accepted = self.refused = 0

    def check(self, stream: bytes) -> None:
        expected = by_zlib(stream)
        if expected is None:
            assert by_us(self.program, stream, 0) is None, f"refused by zlib only: {stream.hex()}"
            self.refused += 1
            return
        data, end = expected
        if end < 0:
            return
        ours = by_us(self.program, stream, len(data))
        assert ours is not None, f"refused by us only: {stream.hex()}"
        assert ours == data, f"decoded to something else: {stream.hex()}"
        assert by_us(self.program, stream, len(data) + 1) is None, f"more than zlib decodes: {stream.hex()}"
        self.accepted += 1

    def check_blocks(self, blocks: bytes) -> None:
        """The same for what is between header and checksum, with the right ones."""
        raw = by_zlib(blocks, -15)
        data, end = raw if raw else (b"", len(blocks))
        if end >= 0:
            self.check(b"\x78\x9c" + blocks[:end] + struct.pack(">I", zlib.adler32(data)))


def data_of(kind: int, length: int, rng: random.Random) -> bytes:
    if kind == 0:
        return rng.randbytes(length)
    if kind == 1:
        return b"".join(rng.choices([b"zlib ", b"says ", b"what ", b"is ", b"valid, "], k=length))[:length]
    if kind == 2:
        return bytes(at // 7 % 256 for at in range(length))
    return bytes(rng.choices(range(256), [1 / (1 + value) for value in range(256)], k=length))


def streams(rng: random.Random):
    """Streams of zlib with every setting."""
    settings = itertools.product(STRATEGIES, FLUSHES, range(4))
    for number, (strategy, flush, kind) in enumerate(settings):
        level, memory, window = number % 10, 1 + number % 9, 9 + number % 7
        data = data_of(kind, LENGTHS[number % len(LENGTHS)], rng)
        compressor = zlib.compressobj(level, zlib.DEFLATED, window, memory, strategy)
        parts = []
        for part in range(0, len(data), 1 + len(data) // 3):
            parts += [compressor.compress(data[part : part + 1 + len(data) // 3]), compressor.flush(flush)]
        yield b"".join(parts) + compressor.flush()


def changed(stream: bytes, rng: random.Random, other: bytes) -> bytes:
    """Some bits or bytes changed, most often among the first ones, which say what codes there are."""
    made = bytearray(stream)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        if not made:
            break
        at = rng.randrange(min(len(made), rng.choice((4, 20, 80, 100_000))))
        match rng.randrange(8):
            case 0:
                made[at] = rng.randrange(256)
            case 1:
                del made[at : at + rng.choice((1, 2, 20))]
            case 2:
                made[at:at] = rng.randbytes(rng.choice((1, 2, 20)))
            case 3:
                made[at:] = other[rng.randrange(len(other)) :]
            case 4:
                del made[len(made) - at :]
            case _:
                made[at] ^= 1 << rng.randrange(8)
    return bytes(made)


def test_as_they_are_written(program):
    compared = Comparison(program)
    rng = random.Random(1)
    for stream in streams(rng):
        for trailing in b"", b"\0", rng.randbytes(40):
            compared.check(stream + trailing)
    assert compared.accepted == 3 * len(STRATEGIES) * len(FLUSHES) * 4


def test_changed_streams(program):
    compared = Comparison(program)
    rng = random.Random(2)
    valid = list(streams(rng))
    for number in range(12_000):
        stream = valid[number % len(valid)]
        blocks = changed(stream[2:-4], rng, rng.choice(valid))
        compared.check_blocks(blocks)
        if number % 5 == 0:
            compared.check(changed(stream, rng, rng.choice(valid)))
    assert compared.accepted > 2000 and compared.refused > 6000, vars(compared)


class Bits:
    """Writes bits, the lowest of a byte first."""

    def __init__(self):
        self.bits = []

    def add(self, value: int, count: int) -> None:
        self.bits += [value >> place & 1 for place in range(count)]

    def code(self, code: tuple[int, int]) -> None:
        value, length = code
        self.bits += [value >> place & 1 for place in reversed(range(length))]

    def to_bytes(self) -> bytes:
        text = "".join(map(str, reversed(self.bits))) or "0"
        return int(text, 2).to_bytes((len(self.bits) + 7) // 8, "little")


def codes(lengths: list[int]) -> list[tuple[int, int]]:
    made, code = [(0, 0)] * len(lengths), 0
    for length in range(1, 16):
        code <<= 1
        for symbol, own in enumerate(lengths):
            if own == length:
                made[symbol] = code, length
                code += 1
    return made


def lengths_of(symbols: list[int], count: int, longest: int, rng: random.Random) -> list[int]:
    """Lengths of a complete code for these symbols, sometimes with one length wrong."""
    leaves = [0 if len(symbols) > 1 else 1]
    while len(leaves) < len(symbols):
        at = max((rng.randrange(len(leaves)) for _ in range(3)), key=lambda leaf: leaves[leaf] % longest)
        if leaves[at] < longest:
            leaves[at] += 1
            leaves.append(leaves[at])
    rng.shuffle(leaves)
    lengths = [0] * count
    for symbol, length in zip(symbols, leaves):
        lengths[symbol] = length
    if rng.randrange(10) == 0:
        lengths[rng.randrange(count)] = rng.randrange(longest + 1)
    return lengths


def made_up_block(rng: random.Random) -> bytes:
    """A block with codes by chance, most of the time valid ones, and then bits by chance: whatever they mean."""
    bits = Bits()
    bits.add(1 | 2 << 1, 3)
    symbols, distances, given = rng.randint(257, 288), rng.randint(1, 32), rng.choice((19, 19, 19, 19, 18, rng.randint(4, 19)))
    if rng.randrange(3):
        symbols, distances = min(symbols, 286), min(distances, 30)
    used = rng.sample(range(256), rng.randrange(1, 100)) + [256] * (rng.randrange(20) > 0)
    used += rng.sample(range(257, symbols), rng.randrange(symbols - 256))
    used_distances = rng.sample(range(distances), rng.choice((0, 1, rng.randint(0, distances))))
    lengths = lengths_of(used, symbols, 15, rng) + lengths_of(used_distances, distances, 15, rng)
    if not used_distances and rng.randrange(2):
        lengths[symbols:] = [0] * distances
    own = lengths_of(list(range(19)), 19, 7, rng)
    bits.add(symbols - 257, 5)
    bits.add(distances - 1, 5)
    bits.add(given - 4, 4)
    for place in ORDER[:given]:
        bits.add(own[place], 3)
    length_codes = codes(own)
    at = 0
    while at < len(lengths):
        same = next((end for end in range(at, len(lengths)) if lengths[end] != lengths[at]), len(lengths)) - at
        if same >= 3 and at and lengths[at - 1] == lengths[at] and rng.randrange(2):
            bits.code(length_codes[16])
            bits.add(min(same, 6) - 3, 2)
            at += min(same, 6)
        elif same >= 11 and lengths[at] == 0 and rng.randrange(2):
            bits.code(length_codes[18])
            bits.add(min(same, 138) - 11, 7)
            at += min(same, 138)
        else:
            bits.code(length_codes[lengths[at]])
            at += 1
    # Bytes first, so that there is something to be copied.
    symbol_codes = codes(lengths[:symbols])
    for _ in range(rng.choice((0, 5, 300))):
        bits.code(symbol_codes[rng.choice(used)] if rng.randrange(30) == 0 else symbol_codes[used[0]])
    for _ in range(rng.choice((0, 0, 3, 100))):
        bits.add(rng.getrandbits(16), 16)
    bits.code(symbol_codes[256])
    return bits.to_bytes() + rng.randbytes(rng.choice((0, 30)))


def test_made_up_blocks(program):
    compared = Comparison(program)
    rng = random.Random(3)
    for _ in range(1500):
        compared.check_blocks(made_up_block(rng))
    assert compared.accepted > 250 and compared.refused > 500, vars(compared)


def test_headers(program):
    compared = Comparison(program)
    rest = zlib.compress(b"what follows the header", 9)[2:]
    for header in itertools.product(range(0x08, 0x100, 0x10), range(256)):
        compared.check(bytes(header) + rest)
    for header in itertools.product(range(256), (0x01, 0x5E, 0x9C, 0xDA)):
        compared.check(bytes(header) + rest)
    # Eight windows with four levels each, and four again of the usual one.
    assert compared.accepted == 32 + 4, vars(compared)
