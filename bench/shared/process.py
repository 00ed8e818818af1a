"""A process that is measured: it reads orders, one a line, and answers each with a line of JSON."""

import contextlib
import glob
import json
import os
import select
import signal
import subprocess
import sys
import tempfile

# What HDF5 or our plugins would take from the environment of whoever runs this.
OURS = ("HDF5_", "BYPASS_VOL_", "H5STATS_", "ZARR_VOL_")
# After so many seconds without an answer a process has failed.
PATIENCE = 300


def clean_environment():
    return {key: value for key, value in os.environ.items() if not key.startswith(OURS)}


def without_folders(text, folders):
    """The text with what is in these folders named from there."""
    for folder in folders:
        text = text.replace(f"{folder}{os.sep}", "").replace(folder, "its folder")
    return text


def answer_orders(answer, reason, close):
    """The other end: answers the orders on standard input until it ends.

    `answer` gives the answer to an order, and `reason` the text of what it raised. `close` is called at the end.
    """
    # Whatever a package prints must not get among the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    try:
        for order in sys.stdin:
            try:
                given = answer(order.rstrip("\n"))
            except Exception as error:  # Whatever is raised is the reason why it cannot.
                given = {"cannot": reason(error)}
            print(json.dumps(given), file=answers, flush=True)
    finally:
        close()


def one_line(error):
    """An error in one line: the first, since some have their whole stack below it."""
    text = (str(error).strip().splitlines() or [""])[0]
    return f"{type(error).__name__}: {text}"


class Unable(Exception):
    """A process that cannot do what was ordered, or cannot go on."""


class Process:
    """A process. Its folder is its own and goes with it.

    `environment` gives its variables from the name of the file for the connector's statistics. The texts of errors
    are without the names of `folders`: results are kept.
    """

    def __init__(self, command, environment, folders):
        self.folders = [name for folder in (*folders, sys.prefix) for name in (folder, os.path.realpath(folder))]
        self.place = tempfile.TemporaryDirectory()
        statistics = os.path.join(self.place.name, "statistics-%p.json")
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            command,
            env={**clean_environment(), **environment(statistics)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            # Ctrl-C is for the process that gives orders, which keeps its results.
            start_new_session=True,
        )

    def ask(self, order):
        """The answer to an order."""
        try:
            return self.answer_to(order)
        except Unable as reason:
            raise Unable(without_folders(str(reason), self.folders)) from None

    def answer_to(self, order):
        try:
            self.process.stdin.write(f"{order}\n".encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Unable(self.end()) from None
        # One answer to one order: nothing can be waiting in Python's own buffer.
        if not select.select([self.process.stdout], [], [], PATIENCE)[0]:
            self.process.kill()
            raise Unable(f"no answer within {PATIENCE} s")
        line = self.process.stdout.readline()
        if not line:
            raise Unable(self.end())
        answer = json.loads(line)
        if "cannot" in answer:
            raise Unable(answer["cannot"])
        return answer

    def end(self):
        """How a process that should not have ended did."""
        code = self.process.wait(PATIENCE)
        how = f"its process ended with {f'signal {-code}' if code < 0 else f'code {code}'}"
        return ": ".join([how, *self.said().strip().splitlines()[-1:]])

    def said(self):
        self.errors.seek(0)
        return self.errors.read()

    def kill(self):
        """Ends the process at once, and those that it forked."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)

    def close(self):
        """Ends the process; what the connector in it, and in those it forked, wrote: a list of documents."""
        if self.process.poll() is None:
            with contextlib.suppress(BrokenPipeError):
                self.process.stdin.close()
            try:
                self.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process.stdout.close()
        self.errors.close()
        told = []
        for path in sorted(glob.glob(os.path.join(self.place.name, "statistics-*.json*"))):
            with contextlib.suppress(ValueError), open(path) as file:
                told.append(json.load(file))
        self.place.cleanup()
        return told
