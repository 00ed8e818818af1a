"""Cases in children of their own: each with the library loaded afresh, natively or through the connector, and watched.

A child ends through the C library's exit, so that the connector prints its counters on the child's stderr.
"""

import ctypes
import json
import os
import resource
import select
import signal
import time
import traceback


def run_child(work, seconds=20, memory=None):
    """Runs `work()` in a child. What it returned, what it wrote on stderr and how it ended (0, or why not)."""
    out_read, out_write = os.pipe()
    err_read, err_write = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(err_write, 2)
        for end in (out_read, err_read, err_write):
            os.close(end)
        if memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        code = 0
        try:
            answer = json.dumps(work())
        except BaseException:
            answer, code = json.dumps({"exception": traceback.format_exc()}), 7
        with os.fdopen(out_write, "w") as pipe:
            pipe.write(answer)
        # The C library's exit and not Python's: what is at stake are the exit handlers of HDF5 and the connector.
        ctypes.CDLL(None).exit(code)
    os.close(out_write)
    os.close(err_write)
    texts, end = {out_read: b"", err_read: b""}, time.monotonic() + seconds
    waiting = set(texts)
    late = False
    while waiting and not late:
        ready, _, _ = select.select(list(waiting), [], [], max(0, end - time.monotonic()))
        late = not ready
        for pipe in ready:
            data = os.read(pipe, 65536)
            texts[pipe] += data
            if not data:
                waiting.discard(pipe)
    if late:
        os.kill(child, signal.SIGKILL)
    for pipe in texts:
        os.close(pipe)
    status = os.waitpid(child, 0)[1]
    ended = os.waitstatus_to_exitcode(status)
    if late:
        ended = f"still running after {seconds} s"
    elif ended < 0:
        ended = signal.Signals(-ended).name
    out = texts[out_read].decode()
    return {"answer": json.loads(out) if out else None, "stderr": texts[err_read].decode("utf-8", "replace"), "ended": ended}
