"""Speaks with target/release/examples/filter, which runs chunks through our codecs; the protocol is described there."""

import struct
import subprocess


class Failed(Exception):
    """The codec says that the chunk is damaged, or that it cannot be encoded."""


class Unsupported(Exception):
    """There is no codec for a filter or its parameters."""


class Program:
    """The running program. A filter is (id, flags, parameters), with the flags of H5Pset_filter: 1 is optional."""

    def __init__(self, path):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def decode(self, filters, stored, length, mask=0, verify=True):
        """The elements of a stored chunk."""
        return self._ask(b"d", filters, mask, verify, length, stored)[1]

    def encode(self, filters, elements):
        """Mask and bytes of a chunk to store."""
        return self._ask(b"e", filters, 0, True, 0, elements)

    def _ask(self, way, filters, mask, verify, length, data):
        parts = [way, struct.pack("<I", len(filters))]
        for number, flags, parameters in filters:
            parts.append(struct.pack(f"<iII{len(parameters)}I", number, flags & 1, len(parameters), *parameters))
        parts += [struct.pack("<IIQQ", mask, verify, length, len(data)), data]
        try:
            self.process.stdin.write(b"".join(parts))
            self.process.stdin.flush()
            status, mask, size = struct.unpack("<BIQ", self._read(13))
        except (BrokenPipeError, EOFError) as dead:
            raise RuntimeError(f"the program died of {way} {filters}, {len(data)} bytes: {self.process.wait(10)}") from dead
        answer = self._read(size)
        if status:
            raise {1: Failed, 2: Unsupported}[status](answer.decode())
        return mask, answer

    def _read(self, size):
        data = self.process.stdout.read(size)
        if len(data) < size:
            raise EOFError
        return data

    def close(self):
        self.process.stdin.close()
        self.process.wait(10)
