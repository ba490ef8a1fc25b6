import re
from ctypes import byref, c_uint64

from common import Case, np, symmetric, unittest, vkevd
from vkevd import _devices, _errors, _library


class Refusals(Case):
    """Wrong arguments: the kind of the exception, and its whole text."""

    def refused(self, kind, text, work):
        with self.subTest(text), self.assertRaises(kind) as caught:
            work()
        self.assertEqual(str(caught.exception), text)

    def test_eigh(self):
        a, stack = symmetric(6), np.stack([symmetric(6)] * 2)
        not_square = np.linalg.LinAlgError
        for work in (vkevd.eigh, vkevd.eigvalsh):
            def refused(kind, text, matrix=a, **arguments):
                self.refused(kind, text, lambda: work(matrix, **arguments))

            refused(not_square, "shape (6, 5): not a square matrix", np.ones((6, 5)))
            refused(not_square, "shape (6,): not a square matrix", np.ones(6))
            refused(not_square, "shape (): not a square matrix", np.float64(1))
            refused(not_square, "shape (2, 5, 6): not a square matrix", np.ones((2, 5, 6)))
            refused(ValueError, "UPLO argument must be 'L' or 'U'", UPLO="X")
            refused(TypeError, "vkevd: eigh has two values for b", UPLO=np.eye(6), b=np.eye(6))
            refused(ValueError, "wrong b dimensions (6, 5), should be (6, 6)", b=np.ones((6, 5)))
            refused(ValueError, "wrong b dimensions (6,), should be (6, 6)", b=np.ones(6))
            refused(ValueError, '"type" keyword only accepts 1, 2, and 3.', b=np.eye(6), type=4)
            refused(TypeError, "vkevd: an array of type object is not supported: its entries must be numbers", b=np.eye(6).astype(object))
            refused(ValueError, "subset_by_index and subset_by_value cannot both be given", subset_by_index=[0, 1], subset_by_value=[0, 1])
            for first, last in (-1, 2), (0, 6), (3, 2):
                refused(ValueError, f"subset_by_index: [{first}, {last}] is not a range within 0 to 5; "
                        "largest=k is for the k largest", subset_by_index=[first, last])
            for k in -1, 0, 7:
                refused(ValueError, f"largest: {k} of 6 eigenvalues", largest=k)
            for part in {"subset_by_index": [0, 1]}, {"subset_by_value": [0, 1]}:
                refused(ValueError, "largest cannot be given with subset_by_index or subset_by_value", largest=1, **part)
            refused(TypeError, "'float' object cannot be interpreted as an integer", largest=1.0)
            refused(ValueError, "driver 'syevd' is none of ev, evd, evr, evx, gv, gvd, gvx", driver="syevd")
            refused(ValueError, "driver 'gvd' is for a problem with b", driver="gvd")
            refused(ValueError, "driver 'evd' is for a problem without b", driver="evd", b=np.eye(6))
            refused(ValueError, "driver 'evd' finds no part of a spectrum", driver="evd", subset_by_index=[0, 1])
            refused(TypeError, "progress must be True or a function with the arguments stage, done, total", progress="bar")
            work(a, subset_by_index=[0, 5])
            work(a, subset_by_index=[5, 5])
            refused(ValueError, "subset_by_value: [1.0, 1.0] is empty", subset_by_value=[1, 1])
            refused(ValueError, "subset_by_value: [nan, 1.0] is empty", subset_by_value=[np.nan, 1])
            refused(ValueError, "precision 'half' is not 'mixed'", precision="half")
            refused(ValueError, "subset_by_value is not for a stack, whose matrices may have different numbers of such values; "
                    "solve them one by one", stack, subset_by_value=[0, 1])
            refused(TypeError, "vkevd: an array of type object is not supported: its entries must be numbers", a.astype(object))
            refused(TypeError, "vkevd: an array of type <U32 is not supported: its entries must be numbers", a.astype("U32"))
            refused(TypeError, "vkevd: array type float16 is not supported; a.astype(numpy.float64) is", a.astype(np.float16))
            if np.dtype(np.longdouble).itemsize > 8:
                refused(TypeError, f"vkevd: array type {np.dtype(np.longdouble)} is not supported; a.astype(numpy.float64) is", a.astype(np.longdouble))
                refused(TypeError, f"vkevd: array type {np.dtype(np.clongdouble)} is not supported; a.astype(numpy.complex128) is",
                        a.astype(np.clongdouble))
        every = "mixed precision is for all values and vectors of one matrix of float64 or complex128"
        for matrix, arguments in ((a.astype(np.float32), {}), (a.astype(np.complex64), {}), (stack, {}), (a, {"eigvals_only": True}), (a, {"subset_by_index": [0, 5]}),
                                  (a, {"b": np.eye(6)})):
            self.refused(ValueError, every, lambda: vkevd.eigh(matrix, precision="mixed", **arguments))

    def test_pairs(self):
        a, b = symmetric(6), np.eye(6)
        for k in 1, 4, 6:
            b = np.eye(6)
            b[k - 1, k - 1] = -1
            for work in (lambda: vkevd.eigh(a, b), lambda: vkevd.eigvalsh(a, b, type=2), lambda: vkevd.Factor(b)):
                self.refused(vkevd.NotPositiveDefiniteError, f"The leading minor of order {k} of B is not positive definite. The factorization of B "
                             "could not be completed and no eigenvalues or eigenvectors were computed.", work)
        b[4, 2] = np.nan
        for work in (lambda: vkevd.eigh(a, b), lambda: vkevd.Factor(b), lambda: vkevd.eigh(np.stack([a, a]), b)):
            self.refused(vkevd.NotFiniteError, "matrix B: element (4, 2) is NaN; entries must be finite (indices from 0)", work)
        self.refused(vkevd.NotFiniteError, "matrix A: element (4, 2) is NaN; entries must be finite (indices from 0)", lambda: vkevd.eigh(b, np.eye(6)))
        self.refused(np.linalg.LinAlgError, "shape (6, 5): not a square matrix", lambda: vkevd.Factor(np.ones((6, 5))))
        self.refused(np.linalg.LinAlgError, "shape (2, 6, 6): not a matrix", lambda: vkevd.Factor(np.ones((2, 6, 6))))
        self.refused(ValueError, '"type" keyword only accepts 1, 2, and 3.', lambda: vkevd.Factor(a, type=0))
        with vkevd.Factor(np.eye(6, dtype=np.float32)) as factor:
            self.refused(ValueError, "wrong a dimensions (5, 5), should be (6, 6)", lambda: factor.solve(a[:5, :5]))
            self.refused(TypeError, "vkevd: a Factor of float32 does not take a matrix of float64; Factor(b.astype(a.dtype)) does",
                         lambda: factor.solve(a))
        self.refused(ValueError, "plan: not an open handle", lambda: factor.solve(a.astype(np.float32)))
        with vkevd.Factor(np.eye(6)) as factor:
            vkevd.clear()
            self.refused(vkevd.Error, "vkevd: clear() has closed the device of this Factor", lambda: factor.solve(a))

    def test_not_finite(self):
        a = symmetric(6)
        a[4, 1] = -np.inf
        self.refused(vkevd.NotFiniteError, "element (4, 1) is -Inf; entries must be finite (indices from 0)", lambda: vkevd.eigh(a))
        vkevd.eigh(a, "U")
        self.refused(vkevd.NotFiniteError, "matrix 1 holds a NaN or an infinity", lambda: vkevd.eigh(np.stack([symmetric(6), a, a])))
        self.refused(vkevd.NotFiniteError, "matrix 2 holds a NaN or an infinity", lambda: vkevd.batched([np.eye(2), np.eye(900), a]))
        self.refused(vkevd.NotFiniteError, "element (4, 1) is -Inf; entries must be finite (indices from 0)", lambda: vkevd.svd(a))

    def test_overflow(self):
        a = np.full((2, 2), 3e38, np.float32)
        for kind, at, work in (("eigenvalue", "[1]", vkevd.eigh), ("eigenvalue", "[1]", vkevd.eigvalsh), ("singular value", "[0]", vkevd.svd),
                               ("singular value", "[0]", vkevd.svdvals), ("eigenvalue", "[2, 1]", lambda a: vkevd.batched([np.eye(2), np.eye(3), a])),
                               ("eigenvalue", "[1, 1]", lambda a: vkevd.eigh(np.stack([np.eye(2, dtype=np.float32), a])))):
            self.refused(vkevd.ResultOverflowError, f"{kind} {at} is beyond the largest float32, and is inf in the attribute result of this exception",
                         lambda: work(a))
        self.refused(vkevd.ResultOverflowError, "eigenvalue [0] is beyond the largest float32, and is -inf in the attribute result of this exception",
                     lambda: vkevd.eigh(-a))

    def test_batched(self):
        a, not_square = symmetric(3), np.linalg.LinAlgError
        self.refused(ValueError, "on_error must be 'raise' or 'nan'", lambda: vkevd.batched([a], on_error="ignore"))
        self.refused(not_square, "shape (2, 3, 3): not a matrix", lambda: vkevd.batched([a, np.zeros((2, 3, 3))]))
        self.refused(not_square, "shape (3, 2): not a square matrix", lambda: vkevd.batched([a, np.zeros((3, 2))]))
        self.refused(ValueError, "UPLO argument must be 'L' or 'U'", lambda: vkevd.batched([a], "X"))
        self.assertEqual(vkevd.batched([]), [])

    def test_svd(self):
        a = np.ones((4, 3))
        self.refused(np.linalg.LinAlgError, "shape (3,): not a matrix", lambda: vkevd.svd(a[0]))
        for k in -1, 0, 4:
            self.refused(ValueError, f"largest: {k} of 3 singular values", lambda: vkevd.svd(a, False, largest=k))
            self.refused(ValueError, f"largest: {k} of 3 singular values", lambda: vkevd.svdvals(a, largest=k))
        for k in 1, 3:
            self.assertEqual(len(vkevd.svd(a, False, largest=k).S), k)
            self.assertEqual(len(vkevd.svdvals(a, largest=k)), k)
        self.refused(ValueError, "largest cannot be used with full_matrices", lambda: vkevd.svd(a, largest=1))
        for work in (vkevd.svd, vkevd.svdvals):
            self.refused(ValueError, "lapack_driver 'dgesdd' is neither 'gesdd' nor 'gesvd'", lambda: work(a, lapack_driver="dgesdd"))
            self.refused(np.linalg.LinAlgError, "shape (4, 3): not a square matrix", lambda: work(a, hermitian=True))

    def test_tridiagonal(self):
        d, e = np.ones(4), np.zeros(3)

        def refused(kind, text, d=d, e=e, **arguments):
            for work in (vkevd.eigh_tridiagonal, vkevd.eigvalsh_tridiagonal):
                self.refused(kind, text, lambda: work(d, e, **arguments))

        refused(ValueError, "shape (4, 1): expected a 1-D array", d[:, None])
        refused(ValueError, "shape (): expected a 1-D array", e=1.0)
        refused(ValueError, "d (4) must have one more element than e (4)", e=d)
        refused(ValueError, "d (0) must have one more element than e (3)", d[:0])
        refused(ValueError, "lapack_driver 'x' is none of auto, stemr, sterf, stebz, stev, stevd", lapack_driver="x")
        refused(ValueError, "select 'x' is none of 'a', 'v', 'i'", select="x")
        refused(ValueError, "select 3 is none of 'a', 'v', 'i'", select=3)
        refused(ValueError, "select_range must be a pair of numbers", select="i")
        refused(ValueError, "select_range must be a pair of numbers", select="v", select_range=[1, 2, 3])
        refused(ValueError, "select_range: [1.0, 1.0] is empty", select="v", select_range=[1, 1])
        for first, last in (-1, 2), (0, 4), (3, 2):
            refused(ValueError, f"select_range: [{first}, {last}] is not a range within 0 to 3", select="i", select_range=[first, last])
        refused(TypeError, "vkevd: eigh_tridiagonal is not supported for complex numbers; use numpy.linalg, or a.real if all "
                "imaginary parts are zero", d + 0j)
        refused(vkevd.NotFiniteError, "element (2, 1) is NaN; entries must be finite (indices from 0)", e=np.array([0, np.nan, 0]))

    def test_device(self):
        no_device = re.compile(r'^no usable Vulkan device: none matches "no such device"; vkevd\.devices\(\) lists them$')
        for work in (lambda: vkevd.eigh(symmetric(3), device="no such device"), lambda: vkevd.use("no such device"),
                     lambda: vkevd.svd(symmetric(3), device="no such device"), lambda: vkevd.batched([symmetric(3)], device="no such device")):
            with self.assertRaisesRegex(vkevd.NoDeviceError, no_device):
                work()

    def test_out_of_memory(self):
        with self.assertRaises(MemoryError) as caught:
            _library.call("symmetric_plan", _devices.session().handle, 1 << 23, byref(_library.Symmetric()), byref(c_uint64()))
        self.assertGreater(caught.exception.need, 8 << 46)
        self.assertTrue(0 < caught.exception.free < caught.exception.need)

    def test_codes(self):
        kinds = {1: _errors.BadArgumentError, 2: vkevd.NotFiniteError, 3: vkevd.NoDeviceError, 4: _errors.UnsupportedError,
                 5: _errors.OutOfMemoryError, 6: _errors.DeviceError, 7: _errors.CancelledError, 10: _errors.NoConvergenceError,
                 12: _errors.ForkedError, 14: vkevd.ResultOverflowError, 15: vkevd.NotPositiveDefiniteError}
        self.assertEqual(_errors.BY_CODE, kinds)
        for kind in kinds.values():
            self.assertTrue(issubclass(kind, vkevd.Error) and issubclass(kind, RuntimeError))
        bases = {_errors.BadArgumentError: ValueError, vkevd.NotFiniteError: np.linalg.LinAlgError, _errors.OutOfMemoryError: MemoryError,
                 _errors.NoConvergenceError: np.linalg.LinAlgError,
                 vkevd.NotPositiveDefiniteError: np.linalg.LinAlgError, vkevd.ResultOverflowError: OverflowError}
        for kind, base in bases.items():
            self.assertTrue(issubclass(kind, base))
        self.assertTrue(issubclass(vkevd.NotFiniteError, ValueError))


if __name__ == "__main__":
    unittest.main()
