"""How much is read and written."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Sizes:
    """Counts and sizes of all cases: the full run, and a quick one that only shows that everything works."""

    # Mebibytes of the largest array, of most others, and of arrays that are written.
    large: int = 128
    medium: int = 32
    written: int = 32
    # Reads, writes and appended rows in loops.
    reads: int = 5000
    writes: int = 20000
    appends: int = 5000
    # Reads that look up the dataset by its name each time, such reads that decode a chunk each time, and samples.
    lookups: int = 1000
    slow_lookups: int = 50
    samples: int = 128
    # Random rows, one by one, and as a list.
    random_rows: int = 400
    listed_rows: int = 256
    # Small datasets in a file, attributes of a group, and small files.
    datasets: int = 400
    attributes: int = 1000
    files: int = 300
    # Rows of tables and data frames, and strings in a column.
    table_rows: int = 500_000
    strings: int = 100_000
    # Steps in time of a netCDF variable, and small variables in a file.
    steps: int = 120
    variables: int = 100


FULL = Sizes()
QUICK = Sizes(
    large=4,
    medium=2,
    written=1,
    reads=100,
    writes=100,
    appends=50,
    lookups=50,
    slow_lookups=5,
    samples=20,
    random_rows=20,
    listed_rows=16,
    datasets=10,
    attributes=20,
    files=5,
    table_rows=20_000,
    strings=1000,
    steps=8,
    variables=5,
)
