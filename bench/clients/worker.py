"""The process of one way in one case: `worker.py --module NAME --case NAME --way NAME --folder DIR [--quick]`.

Its environment chooses the connector; nothing is imported before that would load a libhdf5. Orders:

    make          makes the files that the case reads
    check         does the case once: the digest of what was read, or the folder that was written
    prove         opens a file and fails unless the connector of the way is in use
    run PASSES    does it so often: seconds by the clock and of the processor, per pass

It removes what it wrote at the end of its input.
"""

import argparse
import gc
import importlib
import os
import resource
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [os.path.join(HERE, "..", "shared"), os.path.join(HERE, "..", "..", "python", "suites")]

from case import Place, remove
from process import answer_orders, one_line
from sizes import FULL, QUICK
from ways import WAYS


def processor_seconds():
    """Of all threads, and of processes that were waited for."""
    forked = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + forked.ru_utime + forked.ru_stime


class Work:
    """A case and its files."""

    def __init__(self, case, way, folder, sizes):
        self.case, self.way, self.sizes = case, way, sizes
        self.place = Place(folder, os.path.join(folder, f"scratch-{way.name}-{os.getpid()}"), sizes)

    def make(self):
        for file in self.case.inputs():
            file.make_at(self.place.input(file), self.sizes)
        return {}

    def clear(self):
        """Nothing is left of an earlier pass; a file that is changed is as it was."""
        remove(self.place.scratch)
        os.makedirs(self.place.scratch)
        if self.case.template:
            with open(self.place.input(self.case.template), "rb") as source:
                with open(self.place.output(), "wb") as copy:
                    copy.write(source.read())

    def check(self):
        from digest import digest_of

        self.clear()
        given = self.case.run(self.place)
        if self.case.writes:
            return {"written": self.place.scratch}
        return {"digest": digest_of(given)}

    def prove(self):
        import prove_loaded

        prove_loaded.check(self.case.client, [self.way.connector])
        return {}

    def run(self, passes):
        """Seconds of one pass. What a pass read is freed before the next, and that is not measured."""
        seconds = processor = 0.0
        gc.collect()
        for _ in range(passes):
            if self.case.writes:
                self.clear()
            used, start = processor_seconds(), time.perf_counter()
            given = self.case.run(self.place)
            seconds += time.perf_counter() - start
            processor += processor_seconds() - used
            del given
        return {"seconds": seconds / passes, "cpu": processor / passes}

    def answer(self, order):
        what, _, rest = order.partition(" ")
        if what == "run":
            return self.run(int(rest))
        return {"make": self.make, "check": self.check, "prove": self.prove}[what]()

    def close(self):
        remove(self.place.scratch)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--module", required=True, help="the module of the case: the others are not loaded")
    parser.add_argument("--case", required=True)
    parser.add_argument("--way", required=True, choices=[way.name for way in WAYS])
    parser.add_argument("--folder", required=True)
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    way = next(way for way in WAYS if way.name == args.way)
    case = next(case for case in importlib.import_module(args.module).GROUP.cases if case.name == args.case)
    work = Work(case, way, args.folder, QUICK if args.quick else FULL)
    answer_orders(work.answer, one_line, work.close)


if __name__ == "__main__":
    sys.exit(main())
