"""netCDF4: variables of compressed chunks, one step in time each."""

from case import Group
from files import CLIMATE, GRID, STATIONS, walk, write_climate
from packages import netCDF4

GROUP = Group("netCDF4", "netCDF4")

def size(sizes):
    return 4 * sizes.steps * GRID[0] * GRID[1]


@GROUP.case("read", "a whole zlib variable: v[:]", files=(CLIMATE,), asked=3.5, size=size)
def read(place):
    with netCDF4.Dataset(place.input(CLIMATE)) as file:
        return file["t"][:]


@GROUP.case("slabs", "a zlib variable, one step after the other: v[i]", files=(CLIMATE,), size=size)
def slabs(place):
    with netCDF4.Dataset(place.input(CLIMATE)) as file:
        variable = file["t"]
        return [variable[step] for step in range(len(variable))]


@GROUP.case("series", "one place over time: v[:, i, j]", files=(CLIMATE,))
def series(place):
    with netCDF4.Dataset(place.input(CLIMATE)) as file:
        return file["t"][:, 10, 20]


@GROUP.case("corner", "open, read a corner, close", files=(CLIMATE,))
def corner(place):
    with netCDF4.Dataset(place.input(CLIMATE)) as file:
        return file["t"][0, :4, :4]


@GROUP.case("variables", "{variables} small variables and their attributes", files=(STATIONS,), calls="variables")
def variables(place):
    with netCDF4.Dataset(place.input(STATIONS)) as file:
        found = file.variables.values()
        return [(variable[:], {name: variable.getncattr(name) for name in variable.ncattrs()}) for variable in found]


@GROUP.case(
    "write",
    "a new file with a zlib variable, one step after the other",
    writes=True,
    size=lambda sizes: size(sizes) // 4,
)
def write(place):
    with netCDF4.Dataset(place.output("written.nc"), "w") as file:
        write_climate(file, place.made(walk, place.sizes.steps // 4, *GRID))
