"""The table on the terminal, one line as soon as a case is measured."""

import sys

from proof import in_words

# Columns of what is done, of its name, and of the figures.
WHAT, NAME = 62, 26
WIDTHS = (">11", ">7", ">14", ">7", ">6", ">7", ">14", ">6", ">7", "")
# From this load on, other work disturbs the figures.
BUSY = 0.5


def three_digits(value):
    return f"{value:.2f}" if value < 9.995 else f"{value:.1f}"


def duration(seconds):
    for unit, size in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{three_digits(seconds / size)} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def speed(measured):
    """Of native HDF5."""
    seconds = measured["native"]["seconds"]["median"]
    if measured["unit"] == "rate":
        return f"{three_digits(measured['bytes'] / seconds / 1e9)} GB/s"
    return duration(seconds / measured["calls"])


def verdict(row):
    """"OK", "floor" for a miss that the floor explains, or "MISS"."""
    if row["outcome"]["measured"]["ratio"]["median"] >= row["asked"]["ratio"]:
        return "OK"
    return "floor" if row["beside"]["is_explained"] else "MISS"


def noise(beside):
    return between(beside["noise"]) if "noise" in beside else ""


def between(spread):
    return f"{spread['low']:.2f}..{spread['high']:.2f}"


def print_head(about):
    print(f"{about['processor']}, {about['cores']} cores, {about['system']}, {about['date']}")
    print(", ".join(f"HDF5 {one['version']} of {one['name']}" for one in about["libraries"]))
    print(f"rounds: {about['rounds']}; ratio: native time / bypass time;", end=" ")
    print("floor: native time / time of HDF5's pass_through")
    print("noise: native time / native time, middle half; cpu: both ratios for processor time")
    if about["load"] > BUSY:
        print(f"the machine is busy (load {about['load']:.1f}): the ratios say less than they should")
    sys.stdout.flush()


def aligned(columns):
    return "".join(f"{text:{width}}" for text, width in zip(columns, WIDTHS, strict=True))


def print_group(title):
    columns = ["native", "ratio", "middle half", "asked", "", "floor", "noise", "cpu", "floor", ""]
    print(f"\n{title:{WHAT + NAME}}{aligned(columns)}".rstrip())


def print_row(row):
    label = f"  {row['what']:{WHAT - 2}}{row['name']:{NAME}}"
    (outcome, found), = row["outcome"].items()
    if outcome != "measured":
        print(f"{label}  {outcome}: {found}", flush=True)
        return
    beside = row["beside"]
    columns = [
        speed(found),
        three_digits(found["ratio"]["median"]),
        between(found["ratio"]),
        three_digits(row["asked"]["ratio"]),
        verdict(row),
        three_digits(beside["floor"]["median"]),
        noise(beside),
        three_digits(found["cpu_ratio"]["median"]),
        three_digits(beside["floor_cpu"]["median"]),
        f"  {in_words(beside['connector'])}",
    ]
    print(f"{label}{aligned(columns)}", flush=True)


def print_sum(rows, planned):
    measured = [row for row in rows if "measured" in row["outcome"]]
    counts = {name: sum(verdict(row) == name for row in measured) for name in ("OK", "floor", "MISS")}
    slower = sum(row["outcome"]["measured"]["ratio"]["median"] < 1 for row in measured)
    print(f"\n{counts['OK']} of {len(measured)} targets met, {counts['floor']} missed because of the floor,", end=" ")
    print(f"{counts['MISS']} missed; {slower} slower than native HDF5", end="")
    for outcome in ("skipped", "failed"):
        print(f", {sum(outcome in row['outcome'] for row in rows)} {outcome}", end="")
    print(f"; interrupted: {planned - len(rows)} not measured" if planned > len(rows) else "", flush=True)
