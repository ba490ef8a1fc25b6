"""Compares the times of numpy and vkevd for whole calls, including copies to and from the device.

    python3 benchmark.py [--orders 256,1024,4096] [--functions eigh,svd] [--type complex128] [--budget SECONDS]

A time is the best of five calls, after one call that is not counted. A call that takes long is made
only once. numpy skips an order if the time of the previous order predicts more than the budget.
"""

import argparse
import time

import numpy as np

import vkevd


def matrix(name, n, dtype):
    rng = np.random.default_rng(n)
    x = rng.standard_normal((n, n))
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.standard_normal((n, n))
    x = x.astype(dtype)
    return x + x.conj().T if name.startswith("eig") else x


def seconds(f, a, budget):
    times = []
    for _ in range(6):
        started = time.perf_counter()
        f(a)
        times.append(time.perf_counter() - started)
        if times[0] > budget / 6:
            return times[0]
    return min(times[1:])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--orders", default="128,256,384,512,768,1024,1536,2048,4096")
    parser.add_argument("--functions", default="eigh,eigvalsh,svd,svdvals")
    parser.add_argument("--budget", type=float, default=8)
    parser.add_argument("--type", default="float64")
    options = parser.parse_args()
    started = time.perf_counter()
    device = vkevd.use()
    opened = time.perf_counter() - started
    print("numpy", np.__version__, "vkevd", vkevd.version(), options.type, device.name, f"opened in {opened:.2f} s")
    orders = [int(n) for n in options.orders.split(",")]
    for name in options.functions.split(","):
        ours = getattr(vkevd, name)
        theirs = getattr(np.linalg, name, lambda a: np.linalg.svd(a, compute_uv=False))
        # All orders are measured with vkevd first, and then with numpy. The libraries do not
        # alternate, because idle threads of a BLAS may use the CPU for some time after a call.
        mine = {n: seconds(ours, matrix(name, n, options.type), 60) for n in orders}
        print(f"\n{name:>8} {'numpy':>9} {'vkevd':>9} {'ratio':>6}   seconds", flush=True)
        predicted = 0
        for n in orders:
            if predicted < options.budget:
                other = seconds(theirs, matrix(name, n, options.type), options.budget / 4)
                predicted = 8 * other
                print(f"{n:8} {other:9.4f} {mine[n]:9.4f} {other / mine[n]:6.1f}", flush=True)
            else:
                predicted *= 8
                print(f"{n:8} {'':9} {mine[n]:9.4f}", flush=True)


if __name__ == "__main__":
    main()
