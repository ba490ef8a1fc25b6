"""Functions for all tests: matrices, and LAPACK's error measures."""

import os
import subprocess
import sys
import unittest

import numpy as np

import vkevd

# The functions of numpy before vkevd.install() replaces them.
numpy_eigvalsh, numpy_svd = np.linalg.eigvalsh, np.linalg.svd

EPS = np.finfo(np.float64).eps


def random(m, n=None, seed=1):
    return np.random.default_rng(seed).standard_normal((m, n or m))


def symmetric(n, seed=1):
    x = random(n, n, seed)
    return x + x.T


def hermitian(n, seed=1):
    x = random(n, n, seed) + 1j * random(n, n, seed + 100)
    return x + x.conj().T


class Case(unittest.TestCase):
    def check_eigen(self, a, w, z, first=0, tolerance=30 * EPS):
        """Checks the eigenpairs `first`, `first`+1, … of the symmetric or Hermitian matrix a with
        numpy and by residuals."""
        scale = tolerance * len(a) * np.abs(a).sum(axis=0).max(initial=1e-300)
        want = numpy_eigvalsh(a)[first:first + len(w)]
        self.assertEqual(w.shape, want.shape)
        self.assertLessEqual(np.abs(w - want).max(initial=0), scale)
        if z is not None:
            self.assertEqual(z.shape, (len(a), len(w)))
            self.assertLessEqual(np.abs(a @ z - z * w).max(initial=0), scale)
            self.assertLessEqual(np.abs(z.conj().T @ z - np.eye(len(w))).max(initial=0), tolerance * len(a))

    def check_svd(self, a, u, s, vh, tolerance=30 * EPS):
        k, size = len(s), max(a.shape)
        want = numpy_svd(a, compute_uv=False)[:k]
        scale = tolerance * size * want[0]
        self.assertLess(np.abs(s - want).max(), scale)
        self.assertLess(np.abs(a @ vh[:k].conj().T - u[:, :k] * s).max(), scale)
        self.assertLess(np.abs(u.conj().T @ u - np.eye(u.shape[1])).max(), tolerance * size)
        self.assertLess(np.abs(vh @ vh.conj().T - np.eye(len(vh))).max(), tolerance * size)

    def run_python(self, code, timeout=120, **environment):
        """Runs code in a new Python process, which must succeed, and returns the printed text.

        environment has further environment variables."""
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=timeout,
                              env={**os.environ, **environment})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout


__all__ = ["Case", "EPS", "hermitian", "np", "random", "symmetric", "unittest", "vkevd"]
