"""What may go wrong in a process that did not ask for a device. The crossover must be 40."""
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np

N = 60


def solve(seed, n=N):
    """Solves a random matrix and returns whether the result is right."""
    a = np.random.default_rng(seed).standard_normal((n, n))
    a += a.T
    w, v = np.linalg.eigh(a)
    return bool(abs(a @ v - v * w).max() < 1e-12 and abs(v.T @ v - np.eye(n)).max() < 1e-12)


def check(what, fine):
    print(what, "fine" if fine else "FAILED", flush=True)
    if not fine:
        sys.exit(1)


def forked(pool):
    with multiprocessing.get_context(pool).Pool(2) as p:
        return all(p.map(solve, range(4)))


def threads(count):
    results = [False] * count

    def run(i):
        results[i] = all(solve(k, N + i) for k in range(3))

    all_threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for t in all_threads:
        t.start()
    for t in all_threads:
        t.join()
    return all(results)


def killed():
    """A process that is killed while it solves leaves the device usable."""
    loop = f"import numpy as n\nprint(1, flush=True)\nwhile 1: n.linalg.eigh(n.ones(({N}, {N})))"
    c = subprocess.Popen([sys.executable, "-c", loop], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    c.stdout.readline()
    time.sleep(2)
    c.kill()
    return c.wait() == -signal.SIGKILL and solve(1)


def dies_as_before():
    """A crash ends a process by its signal, as without the engine, and not by a report of Go."""
    crash = f"import numpy as n, ctypes\nn.linalg.eigh(n.ones(({N}, {N})))\nctypes.string_at(1)"
    c = subprocess.run([sys.executable, "-c", crash], stderr=subprocess.PIPE)
    return c.returncode == -signal.SIGSEGV and b"goroutine" not in c.stderr


def interrupted():
    """Python's own handler for Ctrl-C runs, in Python's thread."""
    seen = []
    before = signal.signal(signal.SIGINT, lambda *_: seen.append(threading.get_ident()))
    timer = threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    while not seen:
        solve(2)
    timer.join()
    signal.signal(signal.SIGINT, before)
    return seen == [threading.get_ident()]


def quiet(count):
    """The next library solves small matrices, and such calls leak no memory."""
    a = np.eye(4)
    before = None
    for i in range(count):
        np.linalg.eigh(a)
        if i == count // 10:
            before = resident()
    return resident() < before + 2000


def resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * 4  # KiB


if __name__ == "__main__":
    check("fork before the first solve:", forked("fork"))
    check("solve:", solve(0))
    check("fork after a solve:", forked("fork"))
    check("spawn:", forked("spawn"))
    check("threads:", threads(4))
    check("a killed process:", killed())
    check("a crash:", dies_as_before())
    check("Ctrl-C:", interrupted())
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # without the 100,000 lines of VKEVD_VERBOSE
    check("100,000 small calls:", quiet(100_000))
