"""pandas: data frames, which PyTables stores."""

from case import Group
from files import FRAMES, frame
from packages import pandas

GROUP = Group("pandas", "tables", prefix="pandas")

@GROUP.case("read-fixed", 'read_hdf of a frame stored as "fixed"', files=(FRAMES,))
def read_fixed(place):
    return pandas.read_hdf(place.input(FRAMES), "fixed")


@GROUP.case("read-table", 'read_hdf of a frame stored as "table", zlib', files=(FRAMES,))
def read_table(place):
    return pandas.read_hdf(place.input(FRAMES), "table")


@GROUP.case("read-where", 'read_hdf(where="n < 100") of a zlib table', files=(FRAMES,))
def read_where(place):
    return pandas.read_hdf(place.input(FRAMES), "table", where="n < 100")


@GROUP.case("write-fixed", 'to_hdf as "fixed"', writes=True)
def write_fixed(place):
    place.made(frame, place.sizes).to_hdf(place.output(), key="frame", format="fixed")


@GROUP.case("write-table", 'to_hdf as "table", zlib', writes=True)
def write_table(place):
    options = {"complib": "zlib", "complevel": 5}
    place.made(frame, place.sizes).to_hdf(place.output(), key="frame", format="table", **options)
