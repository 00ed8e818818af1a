"""The program that runs the crate `zarr`: data/zarr/examples/containers.rs describes what it understands."""

import json
import resource
import signal
import struct
import subprocess

import numpy as np


class Failed(Exception):
    """The program refused, with its reason."""


class Program:
    def __init__(self, path, most_bytes=None):
        """No file may have more than `most_bytes` bytes, if that is given: writing more fails as on a full disk."""

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))

        self.process = subprocess.Popen(
            [path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, preexec_fn=limit if most_bytes else None
        )

    def __call__(self, what, data=b"", **request):
        request |= {"do": what, "bytes": len(data)}
        self.process.stdin.write(json.dumps(request).encode() + b"\n" + data)
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, f"the program died on {request}"
        answer = json.loads(line)
        answered = self.process.stdout.read(answer["bytes"])
        if "error" in answer:
            raise Failed(answer["error"])
        return answer, answered

    def read(self, container, array, by, dtype, start=None, count=None, **more):
        """Elements in numpy's own byte order; `dtype` is what they are."""
        answer, data = self("read", container=container, array=array, by=by, start=start, count=count, **more)
        shape = tuple(answer["shape"] if count is None else count)
        if by == "values":
            return values(data, dtype).reshape(shape), answer
        stored = dtype.newbyteorder(">" if answer["order"] == "big" else "<")
        return np.frombuffer(data, stored).reshape(shape), answer

    def write(self, container, array, by, data, order="little"):
        if by == "values":
            raw = [value.encode() if isinstance(value, str) else bytes(value) for value in data.reshape(-1)]
            packed = struct.pack("<I", len(raw)) + b"".join(struct.pack("<I", len(value)) + value for value in raw)
        else:
            packed = data.astype(data.dtype.newbyteorder(">" if order == "big" else "<")).tobytes()
        self("write", data=packed, container=container, array=array, by=by)


def values(data, dtype):
    """Elements without a fixed size, as the program gives them."""
    (count,) = struct.unpack_from("<I", data)
    found, at = np.empty(count, object), 4
    for number in range(count):
        (length,) = struct.unpack_from("<I", data, at)
        value = data[at + 4 : at + 4 + length]
        found[number] = value.decode() if dtype == "string" else value
        at += 4 + length
    assert at == len(data)
    return found
