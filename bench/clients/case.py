"""What a case is. The modules of the folder `cases` define them, grouped by client."""

import dataclasses
import os
import shutil
from collections.abc import Callable

# A case without a figure of its own must not be slower than this, compared with native HDF5.
NOT_SLOWER = 0.97


@dataclasses.dataclass(frozen=True)
class File:
    """A file that cases read, or a folder of files; made natively, once."""

    name: str
    make: Callable

    def make_at(self, path, sizes):
        """Under another name until it is complete, so that a file that exists can be used."""
        if os.path.exists(path):
            return
        folder, name = os.path.split(path)
        unfinished = os.path.join(folder, f"unfinished-{os.getpid()}-{name}")
        try:
            self.make(unfinished, sizes)
            os.rename(unfinished, path)
        except OSError:
            # Another process may have been faster: a folder is not replaced, but a file is, by an equal one.
            if not os.path.isdir(path):
                raise
        finally:
            remove(unfinished)


def file(name):
    """Makes a File of a function that writes it."""
    return lambda make: File(name, make)


def remove(path):
    if os.path.isdir(path):
        shutil.rmtree(path)
    elif os.path.exists(path):
        os.remove(path)


@dataclasses.dataclass(frozen=True)
class Place:
    """Where a case finds its files, and where it may write."""

    folder: str
    scratch: str
    sizes: object
    values: dict = dataclasses.field(default_factory=dict)

    def input(self, file):
        return os.path.join(self.folder, file.name)

    def output(self, name="written.h5"):
        return os.path.join(self.scratch, name)

    def made(self, make, *arguments, **options):
        """What a function makes, made in the first pass, which is not measured."""
        key = (make, arguments, *options.items())
        if key not in self.values:
            self.values[key] = make(*arguments, **options)
        return self.values[key]


@dataclasses.dataclass(frozen=True)
class Case:
    """One row of the table."""

    name: str
    group: str
    # In a few words, with the names of sizes in braces.
    description: str
    # The client whose libhdf5 does the work: h5py, netCDF4 or tables.
    client: str
    # What is measured: one pass, which opens its files and closes them. It gives what it read.
    run: Callable
    # What it reads. With a template, each pass gets a copy of that file as its output.
    files: tuple = ()
    template: File | None = None
    # Whether it writes: then the files of its output are compared.
    writes: bool = False
    # At least so many times as fast as native HDF5.
    asked: float = NOT_SLOWER
    # Calls of a pass: the name of the size that says how many, or a function of the sizes.
    calls: str | Callable = lambda sizes: 1
    # Bytes of a pass, from the sizes. A case with bytes is shown as a rate.
    size: Callable | None = None
    # Threads or processes that make the calls.
    threads: int = 1
    # Gives a reason if the case cannot be run here, from the folder of real data.
    skip: Callable = lambda: None

    def what(self, sizes):
        numbers = {name: f"{value:,}" for name, value in dataclasses.asdict(sizes).items()}
        return self.description.format(**numbers)

    def number_of_calls(self, sizes):
        return self.calls(sizes) if callable(self.calls) else getattr(sizes, self.calls)

    def inputs(self):
        return (*self.files, *([self.template] if self.template else []))


class Group:
    """Cases under one heading. Their names begin with that of the client."""

    def __init__(self, title, client, prefix=None):
        self.title, self.client, self.prefix = title, client, prefix or client
        self.cases = []

    def case(self, name, description, client=None, **options):
        """Makes a Case of the function that is measured."""

        def add(run):
            self.cases.append(
                Case(f"{self.prefix}/{name}", self.title, description, client or self.client, run, **options)
            )
            return run

        return add
