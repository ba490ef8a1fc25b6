import ctypes.util
import sys
import warnings
from unittest import mock

from common import Case, hermitian, np, random, symmetric, unittest, vkevd

try:
    import scipy.linalg
except ImportError:
    scipy = None


try:
    import pandas
except ImportError:
    pandas = None


class Install(Case):
    def setUp(self):
        self.originals = np.linalg.eigh, np.linalg.svd
        self.assertIs(vkevd.install(100), True)
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

    def on_device(self, log, count):
        self.assertEqual(len([line for line in log.output if "on the device" in line]), count, log.output)
        self.assertEqual(len(log.output), count, log.output)

    def test_left_to_numpy(self):
        a = symmetric(120)

        class Own(np.ndarray):
            def __array_function__(self, function, types, arguments, options):
                return np.linalg.eigh.__wrapped__(np.asarray(self))

        with self.assertNoLogs("vkevd", "INFO"):
            np.linalg.eigh(symmetric(99))
            np.linalg.svd([[1.0, 2.0]] * 120)  # a long list of short rows
        for matrix, shape, why in ((np.stack([a, a]), r"\(2, 120, 120\)", "3 dimensions"), ([np.eye(3).tolist()] * 120, "list of 120", "3 dimensions"),
                                   (a.view(Own), r"\(120, 120\)", "type Own has functions of its own")):
            with self.assertLogs("vkevd", "INFO") as log:
                w, z = np.linalg.eigh(matrix)
            self.assertTrue(np.array_equal(w, self.originals[0](matrix)[0]))
            self.assertRegex(log.output[0], f"eigh {shape}: left to numpy.linalg.eigh .*{why}")
        for matrix, why in ((a.astype(np.float16), "elements are float16"), (a.astype(object), "elements are object"),
                            (a.astype(np.longdouble), f"elements are {np.dtype(np.longdouble)}"), ([[1.0]] * 119 + [[1.0, 2.0]], "ValueError")):
            with self.assertLogs("vkevd", "INFO") as log, self.assertRaises((TypeError, ValueError)):
                np.linalg.eigh(matrix)
            self.assertRegex(log.output[0], f"left to numpy.linalg.eigh .*{why}")

        class Sparse:  # it has a shape and no length
            shape, dtype = a.shape, a.dtype

            def toarray(self):
                return a

        with self.assertLogs("vkevd", "INFO") as log, self.assertRaises(np.linalg.LinAlgError):
            np.linalg.eigvalsh(Sparse())
        self.assertRegex(log.output[0], r"eigvalsh \(120, 120\): left to numpy.linalg.eigvalsh \(its type is Sparse, which is not supported")
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
        self.assertEqual(len([line for line in log.output if "left to" in line]), 2, log.output)

    def test_log_lines_have_public_names(self):
        a = symmetric(120)
        calls = [(np.linalg.eigh, "eigh"), (np.linalg.eigvalsh, "eigvalsh"), (np.linalg.svd, "svd"), (getattr(np.linalg, "svdvals", None), "svdvals")]
        if scipy:
            calls += [(scipy.linalg.eigh, "eigh"), (scipy.linalg.eigvalsh, "eigh"), (scipy.linalg.svd, "svd"), (scipy.linalg.svdvals, "svdvals")]
        for function, name in calls:
            if function is None:
                continue
            with self.assertLogs("vkevd", "INFO") as log, self.assertRaises(TypeError):
                function(a, speed=9)
            self.assertRegex(log.output[0], rf": left to \w+\.linalg\.\w+ \(TypeError: {name}\(\) got an unexpected keyword argument 'speed'\)$")

    def test_other_types(self):
        """What numpy converts to a matrix of its types is solved, and has the types of numpy's
        results."""
        warnings.simplefilter("ignore", PendingDeprecationWarning)  # of numpy.matrix
        warnings.simplefilter("ignore", DeprecationWarning)  # of short integers in scipy 1.18
        a, x = symmetric(120), random(130, 110)

        class Table:  # as a DataFrame
            def __init__(self, array):
                self.array, self.shape = array, array.shape

            def __array__(self, dtype=None, copy=None):
                return np.array(self.array, dtype)

        whole = np.rint(10 * a).astype(int)
        for convert in (np.asmatrix, np.ma.masked_invalid, np.ndarray.tolist, lambda a: tuple(map(tuple, a)), Table, lambda a: a.astype(">f8"), lambda a: a.astype(">f4"),
                        lambda a: np.rint(10 * a).astype(int), lambda a: np.rint(a).astype(">i2"), lambda a: a > 0, lambda a: np.rint(a * a).astype(np.uint8)):
            for function, matrix in ((np.linalg.eigh, a), (np.linalg.svd, x)):
                given = convert(matrix)
                with self.subTest(function=function, given=type(given), dtype=getattr(given, "dtype", None)):
                    want = function.__wrapped__(given)
                    with self.assertLogs("vkevd", "INFO") as log:
                        result = function(given)
                        values = np.linalg.eigvalsh(given) if len(want) == 2 else function(given, compute_uv=False)
                    self.on_device(log, 2)
                    self.assertEqual([type(part) for part in result], [type(part) for part in want])
                    self.assertEqual([part.dtype for part in result], [part.dtype for part in want])
                    at, tolerance = len(want) - 2 if len(want) == 3 else 0, 1e-3 if want[0].dtype == np.float32 else 1e-9
                    self.assertTrue(np.allclose(result[at], want[at], atol=tolerance) and np.allclose(values, want[at], atol=tolerance))
        if scipy is None:
            return
        for given, served in ((a.tolist(), True), (Table(a), True), (whole, True), (a.astype(">f8"), True), (np.asmatrix(a), True), (whole.astype(np.int32), True),
                              (np.rint(a).astype(np.int16), False), (a > 0, False)):
            for function in (scipy.linalg.eigvalsh, scipy.linalg.svdvals):
                with self.subTest(function=function, given=type(given)), self.assertLogs("vkevd", "INFO") as log:
                    values = function(given)
                native = np.asarray(given)  # svdvals of scipy 1.18.1 fails for the other byte order
                want = function.__wrapped__(native.astype(native.dtype.newbyteorder("=")))
                self.assertIn("on the device" if served else "its elements are ", log.output[0])
                self.assertEqual((type(values), values.dtype), (type(want), want.dtype))
                self.assertTrue(np.allclose(values, want, atol=1e-3 if want.dtype == np.float32 else 1e-9))
        b = np.eye(120, dtype=int) * 2
        with self.assertLogs("vkevd", "INFO") as log:
            self.assertTrue(np.allclose(scipy.linalg.eigvalsh(a, b.tolist()), np.linalg.eigvalsh(a) / 2))
        self.on_device(log, 2)
        with self.assertLogs("vkevd", "INFO") as log:
            try:
                scipy.linalg.eigh(np.ma.masked_invalid(a))
            except ValueError:  # of scipy before 1.18
                pass
        self.assertIn("its type is MaskedArray", log.output[0])

    @unittest.skipIf(pandas is None, "no pandas")
    def test_data_frames(self):
        a = symmetric(120)
        for frame in (pandas.DataFrame(a), pandas.DataFrame(np.rint(a).astype(int))):
            with self.assertLogs("vkevd", "INFO") as log:
                w, z = np.linalg.eigh(frame)
                s = np.linalg.svd(frame, compute_uv=False)
            self.on_device(log, 2)
            self.check_eigen(frame.to_numpy(float), w, np.asarray(z))
            self.assertTrue(np.allclose(np.sort(np.abs(w)), s[::-1]))
            self.check_eigen(frame.to_numpy(float), *vkevd.eigh(frame))
        frame["text"] = "x"
        with self.assertRaisesRegex(TypeError, r"to_numpy\(float\)"):
            vkevd.svd(frame)

    def test_hermitian(self):
        for a in (symmetric(120), np.diag(np.arange(-60.0, 60))):
            with self.assertLogs("vkevd", "INFO") as log:
                u, s, vh = np.linalg.svd(a, hermitian=True)
                values = np.linalg.svd(a, compute_uv=False, hermitian=True)
                rank = np.linalg.matrix_rank(a, hermitian=True)
                inverse = np.linalg.pinv(a, hermitian=True)
            self.on_device(log, 4)
            self.check_svd(a, u, s, vh)
            self.assertTrue(np.allclose(values, s) and (values == np.sort(values)[::-1]).all())
            self.assertEqual(rank, np.linalg.matrix_rank(np.diag(s)))
            self.assertTrue(np.allclose(a @ inverse @ a, a))
            half = np.tril(a) + np.triu(np.ones(a.shape), 1)  # only the lower triangle is read
            self.assertTrue(np.allclose(np.linalg.svd(half, hermitian=True)[1], s))
            self.assertTrue(np.allclose(np.linalg.svd(half, compute_uv=False, hermitian=True), s))

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
        x = random(130, 110) + 1j * random(130, 110, 2)
        for matrix in (x, x.astype(np.complex64)):
            for work in [np.linalg.svd] + [scipy.linalg.svd] * (scipy is not None):
                with self.assertLogs("vkevd", "INFO") as log:
                    result, s = work(matrix, full_matrices=False), work(matrix, compute_uv=False)
                    inverse = np.linalg.pinv(matrix)
                self.assertEqual(len([line for line in log.output if "on the device" in line]), 3, log.output)
                self.assertEqual([part.dtype for part in result], [matrix.dtype, matrix.real.dtype, matrix.dtype])
                single = matrix.dtype == np.complex64
                self.check_svd(matrix.astype(complex), *result, tolerance=1e-6 if single else 1e-14)
                self.assertTrue(np.allclose(s, result[1], atol=1e-3 if single else 1e-10))
                self.assertTrue(np.allclose(inverse @ matrix, np.eye(110), atol=1e-3 if single else 1e-10))
            if scipy:
                with self.assertLogs("vkevd", "INFO") as log:
                    values = scipy.linalg.svdvals(matrix)
                self.assertIn("on the device", log.output[0])
                self.assertTrue(np.allclose(values, s))
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
            for driver in ("ev", "evd", "evr", "evx"):
                self.check_eigen(a, *scipy.linalg.eigh(a, driver=driver))
            self.check_eigen(a, *scipy.linalg.eigh(a, driver="evr", subset_by_index=[2, 5]), first=2)
            for driver in ("gesdd", "gesvd"):
                self.check_svd(x, *scipy.linalg.svd(x, lapack_driver=driver))
        self.on_device(log, 7)
        with self.assertLogs("vkevd", "INFO") as log:
            for arguments in ({"driver": "sy"}, {"driver": "gvd"}, {"driver": "evd", "subset_by_index": [2, 5]}):
                with self.assertRaises(ValueError):
                    scipy.linalg.eigh(a, **arguments)
            with self.assertRaises(ValueError):
                scipy.linalg.svd(x, lapack_driver="gesvj")
            a[1, 7] = np.nan  # in the other triangle
            with self.assertRaises(ValueError):
                scipy.linalg.eigh(a)
        self.assertEqual(len([line for line in log.output if "left to" in line]), 5, log.output)

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
        for left, why in ((np.eye(120, dtype=np.int8), "b: its elements are int8"), (np.ma.masked_invalid(b), "b: its type is MaskedArray")):
            with self.assertLogs("vkevd", "INFO") as log:
                try:
                    scipy.linalg.eigh(a, left)
                except ValueError:
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

        def singular_fails(a, *options, device=None, hermitian=False):
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
        with self.assertWarnsRegex(RuntimeWarning, r"changes nothing: .* is a CPU, on which LAPACK is faster; install\(N\)") as caught:
            self.assertIs(vkevd.install(), False)
        self.assertEqual(caught.filename, __file__)  # the line of the caller
        with self.assertRaises(ValueError):
            vkevd.install(device=vkevd.use().index)
        self.assertTrue(vkevd.installed())  # as it was

    def test_without_a_device(self):
        """A program that calls install() on a machine without a GPU goes on with numpy."""
        for variables in ({"VK_DRIVER_FILES": "/nowhere.json", "VK_ICD_FILENAMES": "/nowhere.json"}, {"VKEVD_LIBRARY": "/nowhere.so"}, {"VKEVD_DEVICE": "no such device"}):
            text = self.run_python("""
import warnings
import numpy as np, vkevd
original = np.linalg.eigh
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    assert vkevd.install(2) is False
assert not vkevd.installed() and np.linalg.eigh is original
print(len(caught), caught[0].category.__name__, caught[0].message)
assert np.allclose(np.linalg.eigh(np.eye(3))[0], 1)
try:
    vkevd.install(2, device=0)
except vkevd.NoDeviceError:
    print("refused")
""", **variables)
            self.assertRegex(text, r"^1 RuntimeWarning vkevd.install\(\) changes nothing: ")
            if "VKEVD_DEVICE" not in variables:
                self.assertIn("refused", text)

    def test_older_library(self):
        """A library of an older version lacks functions. Its version is named, and install() warns. So
        does a library that is not vkevd's."""
        for changed, name, says in (
            ('_library._ARGUMENTS["solve_of_next_year"] = []', "", r"libvkevd\.so\.0 has version [0-9.]+, which is too old for this package: "
                                                                  r"it has no function vkevd_solve_of_next_year.*\n"),
            ("", ctypes.util.find_library("m"), "libm.* is another library\n"),
        ):
            text = self.run_python(f"""
import warnings
import numpy as np, vkevd
from vkevd import _library
{changed}
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    assert vkevd.install(2) is False
print(caught[0].message)
try:
    vkevd.eigh(np.eye(3))
except vkevd.NoDeviceError:
    print("refused")
""", **({"VKEVD_LIBRARY": name} if name else {}))
            self.assertRegex(text, r"^vkevd.install\(\) changes nothing: cannot load the C library of vkevd: .*" + says + "refused")


if sys.version_info < (3, 10):  # assertNoLogs is newer
    del Install.test_left_to_numpy

if __name__ == "__main__":
    unittest.main()
