"""h5py: many datasets, attributes and files."""

import os

from case import Group
from files import ATTRIBUTES, DATASETS, SMALL_FILES, walk, write_small_file
from packages import h5py

GROUP = Group("h5py: many objects", "h5py")


@GROUP.case(
    "datasets",
    "[d[...] for d in group.values()], {datasets} datasets of 1 KiB",
    files=(DATASETS,),
    calls="datasets",
)
def datasets(place):
    with h5py.File(place.input(DATASETS)) as file:
        return [dataset[...] for dataset in file["small"].values()]


@GROUP.case("shapes", "shape, dtype and attributes of {datasets} datasets", files=(DATASETS,), calls="datasets")
def shapes(place):
    with h5py.File(place.input(DATASETS)) as file:
        small = file["small"].values()
        return [(dataset.shape, str(dataset.dtype), dict(dataset.attrs)) for dataset in small]


@GROUP.case("scalars", "{datasets} scalars by name: f[name][()]", files=(DATASETS,), calls="datasets")
def scalars(place):
    with h5py.File(place.input(DATASETS)) as file:
        return [file[f"scalars/s{number:04}"][()] for number in range(place.sizes.datasets)]


@GROUP.case("visit", "visititems over {datasets} datasets", files=(DATASETS,), calls="datasets")
def visit(place):
    found = []
    with h5py.File(place.input(DATASETS)) as file:
        file["small"].visititems(lambda name, dataset: found.append((name, dataset.shape)))
    return found


@GROUP.case("attributes", "{attributes} attributes of a file: f.attrs.items()", files=(ATTRIBUTES,), calls="attributes")
def attributes(place):
    with h5py.File(place.input(ATTRIBUTES)) as file:
        return dict(file.attrs.items())


@GROUP.case(
    "read-files",
    "{files} small files: two datasets and an attribute each",
    files=(SMALL_FILES,),
    calls="files",
)
def read_files(place):
    found = []
    folder = place.input(SMALL_FILES)
    for name in sorted(os.listdir(folder)):
        with h5py.File(os.path.join(folder, name)) as file:
            found.append((file["x"][...], file["y"][...], file.attrs["number"]))
    return found


@GROUP.case(
    "new-files",
    "{files} new files of two 4 KiB datasets and an attribute",
    writes=True,
    asked=0.95,
    calls="files",
)
def new_files(place):
    for number in range(place.sizes.files):
        write_small_file(place.output(f"f{number:04}.h5"), number)


@GROUP.case("new-datasets", "{datasets} new datasets of 1 KiB in one file", writes=True, calls="datasets")
def new_datasets(place):
    values = place.made(walk, 128, dtype="f8")
    with h5py.File(place.output(), "w") as file:
        for number in range(place.sizes.datasets):
            file[f"d{number:04}"] = values


@GROUP.case("new-attributes", "{attributes} new attributes of a file", writes=True, calls="attributes")
def new_attributes(place):
    with h5py.File(place.output(), "w") as file:
        for number in range(place.sizes.attributes):
            file.attrs[f"number{number:04}"] = float(number)
