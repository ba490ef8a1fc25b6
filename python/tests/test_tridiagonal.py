from unittest import mock

from common import Case, np, random, unittest, vkevd
from vkevd import _library, _tridiagonal

try:
    import scipy.linalg
except ImportError:
    scipy = None


def full(d, e):
    return np.diag(np.asarray(d, float)) + np.diag(np.asarray(e, float), 1) + np.diag(np.asarray(e, float), -1)


class Tridiagonal(Case):
    def test_known(self):
        """The matrix with 2 on the diagonal and -1 beside it has the eigenvalues 2 - 2·cos(kπ/(n + 1))."""
        for n in (1, 2, 3, 50, 300):
            want = 2 - 2 * np.cos(np.arange(1, n + 1) * np.pi / (n + 1))
            for dtype, tolerance in ((np.float64, 1e-14), (np.float32, 1e-6), (">f8", 1e-14), (int, 1e-14)):
                d, e = np.full(n, 2, dtype), np.full(n - 1, -1, dtype)
                w, z = vkevd.eigh_tridiagonal(d, e)
                of = np.float32 if dtype == np.float32 else np.float64
                self.assertEqual((w.dtype, z.dtype, z.shape), (of, of, (n, n)))
                self.assertLess(np.abs(w - want).max(), tolerance * max(n, 10))
                self.check_eigen(full(d, e), w, z, tolerance=tolerance)
                self.assertTrue(np.allclose(vkevd.eigvalsh_tridiagonal(d, e), want, atol=1e-5))
        self.assertIsInstance(vkevd.eigh_tridiagonal([1, 2], [3]), vkevd.EighResult)
        self.assertEqual([x.shape for x in vkevd.eigh_tridiagonal([], [])], [(0,), (0, 0)])
        self.assertEqual(vkevd.eigh_tridiagonal(np.ones(2, np.float32), np.ones(1))[0].dtype, np.float64)

    def test_parts(self):
        n = 60
        d, e = random(1, n, 3)[0], random(1, n, 4)[0][:-1]
        for layout in ((d, e), (list(d), tuple(e)), (np.repeat(d, 2)[::2], np.repeat(e, 3)[::3])):
            values = np.linalg.eigvalsh(full(d, e))
            low, high = (values[9] + values[10]) / 2, (values[20] + values[21]) / 2
            for select, between, first, count in (("i", (3, 7), 3, 5), ("index", (0, n - 1), 0, n), (2, (n - 1, n - 1), n - 1, 1),
                                                  ("v", (low, high), 10, 11), ("value", (-np.inf, low), 0, 10), (1, (high, np.inf), 21, n - 21),
                                                  ("v", (values[-1] + 1, values[-1] + 2), n, 0), ("a", None, 0, n), ("all", (1, 1), 0, n), (0, None, 0, n)):
                w, z = vkevd.eigh_tridiagonal(*layout, select=select, select_range=between)
                self.assertEqual(len(w), count)
                self.check_eigen(full(d, e), w, z, first)
                self.assertTrue(np.allclose(vkevd.eigvalsh_tridiagonal(*layout, select, between), w, rtol=0, atol=1e-13))

    def test_layouts(self):
        """Arrays that are not aligned or not contiguous are copied. The library gets aligned addresses
        only."""
        def odd(x):
            bytes = np.empty(x.nbytes + 1, np.uint8)
            bytes[1:] = np.frombuffer(x.tobytes(), np.uint8)
            return bytes[1:].view(x.dtype)

        addresses = []

        def call(name, *arguments):
            if "solve" in name:
                addresses.extend(arguments[1:3])
            return _library.call(name, *arguments)

        d, e = random(1, 9, 3)[0], random(1, 8, 4)[0]
        want = vkevd.eigvalsh_tridiagonal(d, e)
        with mock.patch.object(_tridiagonal, "call", call):
            for layout in (odd, lambda x: np.repeat(x, 2)[::2], lambda x: x[::-1].copy()[::-1]):
                self.assertTrue((vkevd.eigvalsh_tridiagonal(layout(d), layout(e)) == want).all())
        self.assertEqual(len(addresses), 6)
        self.assertEqual([at % 8 for at in addresses], [0] * 6)

    @unittest.skipIf(scipy is None, "no scipy")
    def test_like_scipy(self):
        """Values, and up to their signs vectors, are those of scipy, with its positional arguments."""
        n = 40
        d, e = random(1, n, 5)[0], random(1, n, 6)[0][:-1]
        for arguments in ((), (True,), (False, "i", (2, 5)), (False, "v", (-1.0, 1.0)), (True, "v", (-1.0, 1.0), False, 0.0, "stebz")):
            ours, theirs = vkevd.eigh_tridiagonal(d, e, *arguments), scipy.linalg.eigh_tridiagonal(d, e, *arguments)
            for x, y in zip((ours,) if arguments[:1] == (True,) else ours, (theirs,) if arguments[:1] == (True,) else theirs):
                self.assertTrue(np.allclose(np.abs(x), np.abs(y), rtol=0, atol=1e-11), arguments)

    def test_errors(self):
        d, e = np.ones(5), np.ones(4)
        e[2] = np.inf
        with self.assertRaises(np.linalg.LinAlgError) as caught:
            vkevd.eigh_tridiagonal(d, e)
        self.assertEqual((caught.exception.row, caught.exception.column), (3, 2))
        most = np.finfo(float).max
        with self.assertRaises(vkevd.ResultOverflowError) as caught:
            vkevd.eigh_tridiagonal([most, most], [most])
        self.assertEqual(caught.exception.index, (1,))
        with self.assertRaises(KeyError):
            vkevd.eigvalsh_tridiagonal(np.ones(50), np.ones(49), progress=lambda *mark: {}["enough"])
        with self.assertRaises(vkevd.NoDeviceError):
            vkevd.eigh_tridiagonal(np.ones(5), np.ones(4), device="no such device")


if __name__ == "__main__":
    unittest.main()
