"""h5py: columns of strings."""

from case import Group
from files import STRINGS
from packages import h5py, numpy

GROUP = Group("h5py: strings", "h5py")


def words(count):
    return [f"station {number * 7919 % 100003}" for number in range(count)]


def fixed_words(count):
    return numpy.array(words(count), "S24")


@GROUP.case("strings", "{strings} strings of variable length, as bytes", files=(STRINGS,), asked=1.5)
def strings(place):
    with h5py.File(place.input(STRINGS)) as file:
        return file["variable"][...]


@GROUP.case("strings-decoded", "{strings} strings of variable length: d.asstr()[...]", files=(STRINGS,), asked=1.5)
def strings_decoded(place):
    with h5py.File(place.input(STRINGS)) as file:
        return file["variable"].asstr()[...]


@GROUP.case("strings-gzip", "{strings} strings of variable length, gzip, as bytes", files=(STRINGS,), asked=1.5)
def strings_gzip(place):
    with h5py.File(place.input(STRINGS)) as file:
        return file["variable-gzip"][...]


@GROUP.case("sequences", "sequences of up to 60 floats", files=(STRINGS,))
def sequences(place):
    with h5py.File(place.input(STRINGS)) as file:
        return numpy.concatenate(file["sequences"][...])


@GROUP.case(
    "strings-one",
    "{random_rows} strings of variable length, one by one",
    files=(STRINGS,),
    calls="random_rows",
)
def strings_one(place):
    with h5py.File(place.input(STRINGS)) as file:
        data = file["variable"]
        return [data[i] for i in range(place.sizes.random_rows)]


@GROUP.case("strings-fixed", "{strings} strings of fixed length", files=(STRINGS,))
def strings_fixed(place):
    with h5py.File(place.input(STRINGS)) as file:
        return file["fixed"][...]


@GROUP.case("strings-fixed-gzip", "{strings} strings of fixed length, gzip", files=(STRINGS,))
def strings_fixed_gzip(place):
    with h5py.File(place.input(STRINGS)) as file:
        return file["fixed-gzip"][...]


@GROUP.case("write-strings", "{strings} strings of variable length, written", writes=True)
def write_strings(place):
    with h5py.File(place.output(), "w") as file:
        file.create_dataset("data", data=place.made(words, place.sizes.strings), dtype=h5py.string_dtype())


@GROUP.case("write-strings-fixed", "{strings} strings of fixed length, written", writes=True)
def write_strings_fixed(place):
    with h5py.File(place.output(), "w") as file:
        file.create_dataset("data", data=place.made(fixed_words, place.sizes.strings))
