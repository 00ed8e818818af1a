"""Which systems a file runs on: the libraries and the versions of glibc's symbols that it needs, as its ELF tables say."""

from __future__ import annotations

import re
import struct
from pathlib import Path
from typing import NamedTuple

# Libraries that every system with a glibc has (PEP 600). Anything else would have to come with the wheel.
EVERYWHERE = re.compile(r"(libc|libm|libdl|libpthread|librt|libgcc_s|ld-linux-[\w-]+)\.so\.\d")
MACHINES = {62: "x86_64", 183: "aarch64"}
# Section types, and tags in the section `.dynamic`.
SHT_DYNAMIC, SHT_GNU_VERNEED, DT_NEEDED = 6, 0x6FFFFFFE, 1


class Needs(NamedTuple):
    """What a file needs."""

    machine: str
    libraries: list[str]
    versions: list[str]


def needs(path: Path) -> Needs:
    """Reads a 64-bit, little-endian ELF file."""
    data = path.read_bytes()
    if data[:6] != b"\x7fELF\x02\x01":
        raise ValueError(f"{path}: not a 64-bit, little-endian ELF file")
    (machine,) = struct.unpack_from("<H", data, 18)
    if machine not in MACHINES:
        raise ValueError(f"{path}: for a machine that h5bypass does not support ({machine})")
    (table,) = struct.unpack_from("<Q", data, 40)
    size, count = struct.unpack_from("<HH", data, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, table + number * size) for number in range(count)]

    def text(strings: int, offset: int) -> str:
        begin = sections[strings][4] + offset
        return data[begin : data.index(b"\0", begin)].decode()

    libraries, versions = [], []
    for _, kind, _, _, offset, length, strings, entries, _, _ in sections:
        if kind == SHT_DYNAMIC:
            pairs = struct.iter_unpack("<QQ", data[offset : offset + length])
            libraries += [text(strings, value) for tag, value in pairs if tag == DT_NEEDED]
        elif kind == SHT_GNU_VERNEED:
            place = offset
            for _ in range(entries):
                _, number, _, first, following = struct.unpack_from("<HHIII", data, place)
                entry = place + first
                for _ in range(number):
                    _, flags, _, name, after = struct.unpack_from("<IHHII", data, entry)
                    versions.append(text(strings, name))
                    entry += after
                place += following
    return Needs(MACHINES[machine], libraries, versions)


def platform_tag(paths: list[Path]) -> str:
    """The tag of a wheel with these files, such as manylinux_2_34_x86_64."""
    glibc, machines = (2, 17), set()
    for path in paths:
        machine, libraries, versions = needs(path)
        machines.add(machine)
        foreign = [name for name in libraries if not EVERYWHERE.fullmatch(name)]
        if foreign:
            raise ValueError(f"{path}: needs {', '.join(foreign)}, which not every system has")
        for name in versions:
            found = re.fullmatch(r"GLIBC_(\d+)\.(\d+)(?:\.\d+)?", name)
            if found:
                glibc = max(glibc, (int(found[1]), int(found[2])))
    [machine] = machines
    return f"manylinux_{glibc[0]}_{glibc[1]}_{machine}"
