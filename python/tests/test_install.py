import sys
import warnings
from unittest import mock

from common import Case, hermitian, np, random, symmetric, unittest, vkevd

try:
    import scipy.linalg
except ImportError:
    scipy = None


class Install(Case):
    def setUp(self):
        self.originals = np.linalg.eigh, np.linalg.svd
        vkevd.install(100)
        self.assertTrue(vkevd.installed())

    def tearDown(self):
        vkevd.uninstall()
        self.assertFalse(vkevd.installed())
        self.assertEqual((np.linalg.eigh, np.linalg.svd), self.originals)

    def test_numpy(self):
        a, x = symmetric(120), random(130, 110)
        with self.assertLogs("vkevd", "INFO") as log:
            result = np.linalg.eigh(a)
            w = np.linalg.eigvalsh(a, "U")
            u, s, vh = np.linalg.svd(x)
            singular = np.linalg.svd(x, compute_uv=False)
            inverse = np.linalg.pinv(x)
        self.assertEqual(len([line for line in log.output if "on the device" in line]), 5, log.output)
        self.assertIs(type(result), type(self.originals[0](a)))
        self.check_eigen(a, *result)
        self.assertTrue(result[1].flags.c_contiguous and u.flags.c_contiguous and vh.flags.c_contiguous)
        self.assertTrue(np.allclose(w, result[0]))
        self.check_svd(x, u, s, vh)
        self.assertTrue(np.allclose(s, singular))
        self.assertTrue(np.allclose(inverse @ x, np.eye(110)))

    def test_left_to_numpy(self):
        warnings.simplefilter("ignore", PendingDeprecationWarning)  # of numpy.matrix
        a = symmetric(120)
        with self.assertNoLogs("vkevd", "INFO"):
            np.linalg.eigh(symmetric(99))
        for matrix, why in ((np.stack([a, a]), "3 dimensions"), (np.asmatrix(a), "type is matrix"),
                            (a.tolist(), "type is list"), (np.rint(a).astype(int), "int64")):  # not even tried
            with self.assertLogs("vkevd", "INFO") as log:
                w, z = np.linalg.eigh(matrix)
            self.assertTrue(np.array_equal(w, self.originals[0](matrix)[0]))
            self.assertRegex(log.output[0], f"eigh .*: left to numpy.linalg.eigh .*{why}")
        a[5, 2] = np.nan
        with self.assertLogs("vkevd", "INFO") as log:
            try:
                theirs = self.originals[0](a)
            except np.linalg.LinAlgError:
                with self.assertRaises(np.linalg.LinAlgError):
                    np.linalg.eigh(a)
            else:
                self.assertTrue(np.array_equal(np.linalg.eigh(a)[0], theirs[0], equal_nan=True))
            with self.assertRaises(ValueError):
                np.linalg.eigh(a, "X")
            np.linalg.svd(symmetric(110), hermitian=True)
            np.linalg.svd(symmetric(110) + 0j)
        self.assertEqual(len([line for line in log.output if "left to" in line]), 4, log.output)
        self.assertFalse([line for line in log.output if "_" in line], "private names")
        self.assertIn("(hermitian is given)", " ".join(log.output))
        self.assertIn("its elements are complex128", " ".join(log.output))
        with self.assertLogs("vkevd", "INFO") as log, self.assertRaises(TypeError):
            np.linalg.eigh(symmetric(120), turbo=True)
        self.assertIn("TypeError: eigh() got an unexpected keyword argument", log.output[0])

    def test_complex(self):
        a = hermitian(120)
        for matrix in (a, a.T, np.asfortranarray(a), a.astype(np.complex64)):
            with self.assertLogs("vkevd", "INFO") as log:
                result = np.linalg.eigh(matrix)
                w = np.linalg.eigvalsh(matrix, "U")
            self.assertEqual(len([line for line in log.output if "on the device" in line]), 2, log.output)
            self.assertIs(type(result), type(self.originals[0](a)))
            self.assertEqual((w.dtype, result[0].dtype, result[1].dtype), (matrix.real.dtype, matrix.real.dtype, matrix.dtype))
            self.assertTrue(result[1].flags.c_contiguous)
            self.check_eigen(matrix.astype(np.complex128), *result, tolerance=1e-6 if matrix.dtype == np.complex64 else 1e-14)
            self.assertTrue(np.allclose(w, result[0], atol=1e-3 if matrix.dtype == np.complex64 else 1e-10))
        if scipy:
            with self.assertLogs("vkevd", "INFO") as log:
                self.check_eigen(a, *scipy.linalg.eigh(a))
                self.check_eigen(a, *scipy.linalg.eigh(a, lower=False, subset_by_index=[2, 5]), first=2)
                self.check_eigen(a, scipy.linalg.eigvalsh(a), None)
            self.assertEqual(len([line for line in log.output if "on the device" in line]), 3, log.output)

    def test_float32(self):
        a = symmetric(120).astype(np.float32)
        w, z = np.linalg.eigh(a)
        self.assertEqual((w.dtype, z.dtype), (np.float32, np.float32))
        self.assertTrue(np.allclose(w, self.originals[0](a)[0], atol=1e-3))

    @unittest.skipIf(scipy is None, "no scipy")
    def test_scipy(self):
        a, x = symmetric(120), random(130, 110)
        with self.assertLogs("vkevd", "INFO") as log:
            self.check_eigen(a, *scipy.linalg.eigh(a))
            self.check_eigen(a, *scipy.linalg.eigh(a, lower=False, subset_by_index=[2, 5]), first=2)
            self.check_eigen(a, scipy.linalg.eigvalsh(a, check_finite=False), None)
            self.check_eigen(a, scipy.linalg.eigh(a, eigvals_only=True), None)
            self.check_svd(x, *scipy.linalg.svd(x, full_matrices=False))
            scipy.linalg.svdvals(x)
        self.assertEqual(len([line for line in log.output if "on the device" in line]), 6, log.output)
        with self.assertLogs("vkevd", "INFO") as log:
            scipy.linalg.eigh(a, driver="evd")
            a[1, 7] = np.nan  # in the other triangle
            with self.assertRaises(ValueError):
                scipy.linalg.eigh(a)
        self.assertEqual(len([line for line in log.output if "left to" in line]), 2, log.output)

    @unittest.skipIf(scipy is None, "no scipy")
    def test_pairs(self):
        original = scipy.linalg.eigh.__wrapped__
        x, y = random(120, 120, 8), random(120, 120, 9)
        b = x @ x.T + 120 * np.eye(120)
        for a, b in ((symmetric(120), b), (hermitian(120), b + 3j * (y - y.T)), (symmetric(120).astype(np.float32), b)):
            with self.assertLogs("vkevd", "INFO") as log:
                for type in (1, 2, 3):
                    for matrix in (b, b.T, np.asfortranarray(b), b[::-1, ::-1]):
                        w, z = scipy.linalg.eigh(a, matrix, type=type)
                        want = original(a, matrix, type=type, eigvals_only=True)
                        self.assertLess(abs(w - want).max(), 1e-12 * abs(want).max())
                        left, right = {1: (a @ z, matrix @ z), 2: (a @ (matrix @ z), z), 3: (matrix @ (a @ z), z)}[type]
                        self.assertLess(abs(left - right * w).max(), 1e-11 * abs(want).max() * (abs(matrix).max() if type == 1 else 10))
                part = scipy.linalg.eigh(a, b, lower=False, subset_by_index=[2, 5], eigvals_only=True)
                self.assertTrue(np.allclose(part, original(a, b, eigvals_only=True)[2:6]))
                self.assertTrue(np.allclose(scipy.linalg.eigvalsh(a, b, type=2), original(a, b, type=2)[0]))
            self.assertEqual(len([line for line in log.output if "on the device" in line]), 14, log.output)
        b, text = np.array(b), "minor of order 8 of B"
        b[7, 7] = -1
        for wrong, kind, message, why in ((b, np.linalg.LinAlgError, text, "NotPositiveDefiniteError: The leading " + text),
                                          (b[1:], ValueError, "expected square", "ValueError: wrong b dimensions"),
                                          (b * np.nan, ValueError, "must not contain", "NaN or an infinity")):
            with self.assertLogs("vkevd", "INFO") as log, self.assertRaisesRegex(kind, message):
                scipy.linalg.eigh(a, wrong)
            self.assertRegex(log.output[0], f"left to scipy.linalg.eigh .*{why}")
        for left, why in ((b.tolist(), "b: its type is list"), (np.eye(120, dtype=int), "b: its elements are int64")):
            with self.assertLogs("vkevd", "INFO") as log:
                try:
                    scipy.linalg.eigh(a, left)
                except np.linalg.LinAlgError:
                    pass
            self.assertIn(why, log.output[0])

    @unittest.skipIf(scipy is None, "no scipy")
    def test_overflow(self):
        """A value beyond the largest double is infinite, without an exception, as in numpy. The
        device solves."""
        n = 120
        a = np.full((n, n), np.finfo(float).max)
        with self.assertLogs("vkevd", "INFO") as log:
            self.assertTrue(np.isinf(np.linalg.eigh(a)[0][-1]) and np.isinf(np.linalg.eigvalsh(a)[-1]))
            self.assertTrue(np.isinf(np.linalg.svd(a)[1][0]))
            self.assertTrue(scipy is None or np.isinf(scipy.linalg.svdvals(a)[0]))
        self.assertTrue(all("on the device" in line for line in log.output), log.output)

    def test_overwrite_and_failure(self):
        a = symmetric(120)

        def fails_at_the_end(*arguments):
            call(*arguments)
            raise RuntimeError("lost")

        call = vkevd._symmetric.call
        with mock.patch.object(vkevd._symmetric, "call", fails_at_the_end):
            with self.assertLogs("vkevd", "INFO") as log:
                result = scipy.linalg.eigh(a.copy(order="F"), overwrite_a=True)
        self.assertIn("lost", log.output[0])
        self.check_eigen(a, *result)

    def test_after_fork(self):
        self.run_python("""
import multiprocessing, numpy as np, vkevd
a = np.diag(np.arange(120.0))
vkevd.install(100)
np.linalg.eigvalsh(a)
with multiprocessing.get_context("fork").Pool(2) as pool: # numpy's own answer
    for w in pool.map(np.linalg.eigvalsh, [a] * 4):
        assert np.allclose(w, np.arange(120.0))
""")

    def asked(self):
        """Makes every solve on the device fail. Returns a list that receives the order and the
        device of each."""
        solves = []

        def symmetric_fails(a, upper, vectors, select, row_major, device, *pair):
            solves.append((len(a), device))
            raise RuntimeError("lost")

        def singular_fails(a, *options, device=None):
            solves.append((len(a), device))
            raise RuntimeError("lost")

        for module, name, fails in ((vkevd._install, "_eigen", symmetric_fails), (vkevd._svd, "decompose", singular_fails)):
            patch = mock.patch.object(module, name, fails)
            patch.start()
            self.addCleanup(patch.stop)
        return solves

    def test_twice(self):
        solves = self.asked()
        vkevd.install(150)
        for n in (149, 150):
            np.linalg.eigh(symmetric(n))
            np.linalg.svd(symmetric(n))
        self.assertEqual(solves, [(150, None)] * 2)  # a device that fails is asked once
        vkevd.install(100)
        np.linalg.eigh(symmetric(120))
        self.assertEqual(solves[2:], [(120, None)])
        vkevd.uninstall()
        np.linalg.eigh(symmetric(120))
        self.assertEqual(len(solves), 3)
        vkevd.uninstall()  # does nothing
        self.assertFalse(vkevd.installed())

    def test_original_is_not_asked(self):
        """A matrix that the device has solved is not solved again by the original function."""
        vkevd.uninstall()
        with mock.patch.object(np.linalg, "eigvalsh", mock.Mock(wraps=np.linalg.eigvalsh, __name__="eigvalsh")) as original:
            vkevd.install(100)
            w = np.linalg.eigvalsh(symmetric(120))
            vkevd.uninstall()
        self.assertEqual((len(w), original.call_count), (120, 0))
        vkevd.install(100)

    def test_device(self):
        index = vkevd.use().index
        solves = self.asked()
        vkevd.install(100, device=index)
        a = symmetric(120)
        functions = [np.linalg.eigh, np.linalg.eigvalsh, np.linalg.svd, getattr(np.linalg, "svdvals", np.linalg.svd)]
        if scipy:
            functions += [scipy.linalg.eigh, scipy.linalg.eigvalsh, scipy.linalg.svd, scipy.linalg.svdvals]
        for function in functions:
            solves.clear()
            function(a)
            self.assertEqual(set(solves), {(120, index)})  # numpy's own svdvals calls svd, which asks once more

    def test_unknown_device(self):
        installed = np.linalg.eigh
        with self.assertRaises(vkevd.Error):
            vkevd.install(100, device="no such device")
        self.assertIs(np.linalg.eigh, installed)  # as it was

    def test_on_a_cpu(self):
        if vkevd.use().type != "cpu":
            self.skipTest("the device is a GPU")
        with self.assertRaises(ValueError):
            vkevd.install()
        self.assertTrue(vkevd.installed())  # as it was


if sys.version_info < (3, 10):  # assertNoLogs is newer
    del Install.test_left_to_numpy

if __name__ == "__main__":
    unittest.main()
