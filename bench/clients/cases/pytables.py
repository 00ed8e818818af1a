"""PyTables: tables and arrays."""

from case import Group
from files import TABLE, WIDTH, records, walk
from packages import tables

GROUP = Group("PyTables", "tables")


def zlib():
    return tables.Filters(complevel=5, complib="zlib", shuffle=True)


@GROUP.case("read", "a zlib table of {table_rows} rows: table.read()", files=(TABLE,), asked=9.2)
def read(place):
    with tables.open_file(place.input(TABLE)) as file:
        return file.root.table.read()


@GROUP.case("query", "rows of a zlib table: table.read_where(...)", files=(TABLE,), asked=7.5)
def query(place):
    with tables.open_file(place.input(TABLE)) as file:
        return file.root.table.read_where("(y > 0.9) & (n < 100)")


@GROUP.case("column", 'one column of a zlib table: table.col("x")', files=(TABLE,))
def column(place):
    with tables.open_file(place.input(TABLE)) as file:
        return file.root.table.col("x")


@GROUP.case("iterate", '[row["id"] for row in table.where(...)]', files=(TABLE,))
def iterate(place):
    with tables.open_file(place.input(TABLE)) as file:
        return [int(row["id"]) for row in file.root.table.where("y > 0.99")]


@GROUP.case("slices", "{random_rows} slices table[i:i+10]", files=(TABLE,), calls="random_rows")
def slices(place):
    with tables.open_file(place.input(TABLE)) as file:
        table = file.root.table
        step = len(table) // place.sizes.random_rows
        return [table[start : start + 10] for start in range(0, place.sizes.random_rows * step, step)]


@GROUP.case("append-rows", "{writes} rows into a zlib table, one by one: row.append()", writes=True, calls="writes")
def append_rows(place):
    values = place.made(records, place.sizes.writes)
    names = values.dtype.names
    with tables.open_file(place.output(), "w") as file:
        table = file.create_table("/", "table", description=values.dtype, filters=zlib())
        row = table.row
        for record in values:
            for name in names:
                row[name] = record[name]
            row.append()
        table.flush()


@GROUP.case(
    "append",
    "{writes} rows into a zlib table in 20 parts: table.append()",
    writes=True,
    calls=lambda _sizes: 20,
)
def append(place):
    values = place.made(records, place.sizes.writes)
    part = len(values) // 20
    with tables.open_file(place.output(), "w") as file:
        table = file.create_table("/", "table", description=values.dtype, filters=zlib())
        for start in range(0, len(values), part):
            table.append(values[start : start + part])


@GROUP.case(
    "append-array",
    "256 rows of 4 KiB to an extendable array, one by one",
    writes=True,
    calls=lambda _sizes: 256,
)
def append_array(place):
    values = place.made(walk, 256, WIDTH)
    with tables.open_file(place.output(), "w") as file:
        array = file.create_earray("/", "array", obj=values[:0], expectedrows=len(values))
        for number in range(len(values)):
            array.append(values[number : number + 1])
