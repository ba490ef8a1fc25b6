"""Solves matrices of order 300 with known eigenvalues, 20 times, beside other processes that do so,
too."""
import numpy as np

N = 300
# The eigenvalues of the matrix are known: it is 2 on the diagonal and −1 next to the diagonal. A
# reflection from both sides makes it dense and keeps its eigenvalues.
want = 2 - 2 * np.cos(np.pi * np.arange(1, N + 1) / (N + 1))
t = 2 * np.eye(N) - np.eye(N, k=1) - np.eye(N, k=-1)
for k in range(20):
    v = np.random.default_rng(k).standard_normal(N)
    h = np.eye(N) - 2 * np.outer(v, v) / (v @ v)
    a = h @ t @ h
    w, z = np.linalg.eigh(a)
    assert abs(w - want).max() < 1e-12, k
    assert abs(a @ z - z * w).max() < 1e-12, k
    assert abs(z.T @ z - np.eye(N)).max() < 1e-12, k
print("fine", flush=True)
