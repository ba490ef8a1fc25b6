import gc
import pickle

from common import Case, hermitian, np, random, symmetric, unittest, vkevd

try:
    import scipy.linalg
    scipy_eigh = scipy.linalg.eigh
except ImportError:
    scipy = None


def positive(n, dtype=float, seed=5):
    """A positive definite matrix with a condition number of about 10."""
    x = random(n, n, seed) + (1j * random(n, n, seed + 100) if np.dtype(dtype).kind == "c" else 0)
    return (x @ x.conj().T / n + np.eye(n) / 2).astype(dtype)


@unittest.skipIf(scipy is None, "no scipy")
class Pencil(Case):
    def check_pair(self, a, b, w, z, type=1, first=0, tolerance=1e-13, **arguments):
        """Compares values with those of scipy, and checks the products of A, B and the vectors."""
        a, b = np.array(a), np.array(b)
        theirs = scipy_eigh(a, b, type=type, eigvals_only=True, **arguments)[first:first + len(w)]
        if not arguments.get("lower", True):
            a, b = a.conj().T, b.conj().T
        a, b = (np.tril(m, -1) + np.tril(m, -1).conj().T + np.diag(np.diag(m).real) for m in (a, b))
        scale = tolerance * len(a) * max(1, abs(theirs).max(initial=0))
        self.assertEqual(w.shape, theirs.shape)
        self.assertLessEqual(abs(w - theirs).max(initial=0), scale)
        self.assertEqual(w.dtype, (a.real + b.real).dtype)
        if z is None:
            return
        self.assertEqual((z.shape, z.dtype), ((len(a), len(w)), (a + b).dtype))
        left, right = {1: (a @ z, b @ z), 2: (a @ (b @ z), z), 3: (b @ (a @ z), z)}[type]
        self.assertLessEqual(abs(left - right * w).max(initial=0), 10 * scale)
        gram = z.conj().T @ (np.linalg.solve(b, z) if type == 3 else b @ z)
        self.assertLessEqual(abs(gram - np.eye(len(w))).max(initial=0), 10 * tolerance * len(a))

    def test_like_scipy(self):
        for n in (1, 2, 3, 40, 150):
            for a, b in ((symmetric(n), positive(n)), (hermitian(n), positive(n, complex)), (symmetric(n), positive(n, complex)),
                         (hermitian(n), positive(n))):
                before = a.copy(), b.copy()
                for type in (1, 2, 3):
                    result = vkevd.eigh(a, b, type=type)
                    self.check_pair(a, b, *result, type)
                    self.check_pair(a, b, vkevd.eigvalsh(a, b=b, type=type), None, type)
                self.assertIsInstance(result, vkevd.EighResult)
                self.assertTrue((a == before[0]).all() and (b == before[1]).all(), "a or b has changed")
        self.check_pair(np.rint(10 * symmetric(9)), np.eye(9, dtype=int), *vkevd.eigh(np.rint(10 * symmetric(9)).astype(int), np.eye(9, dtype=int)))

    def test_overlap(self):
        for dtype in (float, complex, np.float32, np.complex64):
            x, n, m = random(20, 24, 3), 24, 20
            x[:, :m] = np.eye(m)  # functions 20 to 23 are combinations of the others
            a, b = (hermitian(m) if np.dtype(dtype).kind == "c" else symmetric(m)), positive(m, dtype)
            whole = [(x.T @ matrix @ x).astype(dtype) for matrix in (a, b)]
            want = vkevd.eigvalsh(a.astype(dtype), b=b)
            single = np.finfo(dtype).eps > 1e-10
            t = 1e-5 if single else 1e-7
            w, z = vkevd.eigh(*whole, overlap=t)
            self.assertEqual((w.shape, z.shape), ((m,), (n, m)))
            tolerance = 1e-2 if single else 1e-10
            self.assertLessEqual(abs(w - want).max(), tolerance * abs(want).max())
            self.assertLessEqual(abs(z.conj().T @ whole[1] @ z - np.eye(m)).max(), tolerance)
            with vkevd.Factor(whole[1], overlap=t) as factor:
                again = factor.solve(whole[0])
                self.assertTrue((again[0] == w).all() and (again[1] == z).all())
                self.assertGreater(factor.condition, 1)
        for arguments, text in (({"overlap": 0}, "overlap 0 is not a number between 0 and 1"), ({"overlap": 0.1, "type": 2}, "overlap is only for type=1")):
            with self.assertRaisesRegex(ValueError, text):
                vkevd.eigh(*whole, **arguments)
        for work in (lambda: vkevd.eigh(*whole, overlap=0.1, largest=1), lambda: vkevd.Factor(whole[1], overlap=0.1, largest=1)):
            with self.assertRaisesRegex(ValueError, "largest is not for overlap, which may drop directions of b; use subset_by_value"):
                work()
        with self.assertRaisesRegex(ValueError, "overlap is for one pair of a and b"):
            vkevd.eigh(whole[0], overlap=0.1)
        with self.assertRaisesRegex(vkevd.NotPositiveDefiniteError, "B is not positive semidefinite: its eigenvalues are between -1 and ") as caught:
            vkevd.eigh(np.eye(2), np.diag([1, -1.]), overlap=0.1)
        self.assertEqual(caught.exception.order, -1)

    def eta(self, a, b, w, z):
        """The largest backward error of a pair of a value and a vector, in units of n·eps."""
        norms = [np.linalg.norm(m.astype(np.clongdouble), 1) for m in (a, b)]
        wide_a, wide_b, wide_z = (m.astype(np.clongdouble) for m in (a, b, z))
        left = np.linalg.norm(wide_a @ wide_z - wide_b @ wide_z * w, axis=0)
        return (left / ((norms[0] + abs(w) * norms[1]) * np.linalg.norm(wide_z, axis=0))).max() / (len(a) * np.finfo(b.dtype).eps)

    def test_refine(self):
        """A refinement makes the residuals of an ill-conditioned pair small, alone, in a stack and by
        a Factor, with the same bits."""
        n = 30
        for dtype, condition in ((float, 1e9), (complex, 1e9), (np.float32, 1e4)):
            q, _ = np.linalg.qr(hermitian(n, 7) if dtype is complex else symmetric(n, 7))
            b = (q * np.geomspace(1, 1 / condition, n)) @ q.conj().T
            b = ((b + b.conj().T) / 2).astype(dtype)
            a = (hermitian(n) if dtype is complex else symmetric(n)).astype(dtype)
            before, after = self.eta(a, b, *vkevd.eigh(a, b)), self.eta(a, b, *vkevd.eigh(a, b, refine=True))
            self.assertTrue(after < 1 and before > 10 * after, (dtype, before, after))
            w, z = vkevd.eigh(a, b, refine=True)
            self.assertLess(abs(z.conj().T @ b @ z - np.eye(n)).max(), 100 * n * np.finfo(dtype).eps * (1e4 if dtype is np.float32 else 1e9) ** 0.5)
            with vkevd.Factor(b, refine=True) as factor:
                again = factor.solve(a)
            for other in (again, *(vkevd.eigh(np.stack([a, a]), given, refine=True) for given in (b, np.stack([b, b])))):
                self.assertTrue((other[0] == w).all() and (other[1] == z).all())
        text = "refine is for all values and vectors of pairs with type=1, without overlap"
        for options in ({"type": 2}, {"type": 3}, {"overlap": 1e-7}, {"eigvals_only": True}, {"subset_by_index": [0, 1]},
                        {"subset_by_value": [0, 1]}):
            for work in (lambda: vkevd.eigh(a, b, refine=True, **options), lambda: vkevd.Factor(b, refine=True, **options)):
                with self.assertRaisesRegex(ValueError, text):
                    work()
        with self.assertRaisesRegex(ValueError, "refine is for pairs of a and b"):
            vkevd.eigh(a, refine=True)

    def test_second_argument(self):
        a, b = symmetric(7), positive(7)
        self.assertTrue((vkevd.eigh(a, b)[1] == vkevd.eigh(a, "L", b=b)[1]).all())
        self.assertTrue((vkevd.eigvalsh(a, None) == vkevd.eigvalsh(a, "L")).all())
        self.check_pair(a + np.triu(a, 1), b, *vkevd.eigh(a + np.triu(a, 1), b, lower=True))
        self.check_pair(a + np.tril(a, -1), b, *vkevd.eigh(a + np.tril(a, -1), "U", b=b), lower=False)

    def layouts(self, a):
        n = len(a)
        wide, strided = np.full((n, 2 * n), np.nan, a.dtype), np.full((3 * n, 3 * n), np.nan, a.dtype)
        wide[:, :n], strided[::3, ::3] = a, a
        unaligned = np.frombuffer(b"x" + a.tobytes(), np.uint8)[1:].view(a.dtype).reshape(n, n)
        return {"C": a, "Fortran": np.asfortranarray(a), "transposed": a.T, "rows": wide[:, :n], "columns": wide[:, :n].T,
                "strided": strided[::3, ::3], "transposed strided": strided[::3, ::3].T, "reversed": a[::-1, ::-1],
                "big-endian": a.astype(a.dtype.newbyteorder(">")), "unaligned": unaligned}

    def test_layouts(self):
        """Every layout of a and of b is the matrix, and not its conjugate, in eigh and in Factor."""
        n = 23
        for a, b in ((symmetric(n), positive(n)), (hermitian(n), positive(n, complex))):
            for lower, other in ((True, np.triu), (False, np.tril)):
                for name, matrix in self.layouts(a).items():
                    with self.subTest(name, lower=lower, dtype=a.dtype):
                        whole, given = np.array(matrix, a.dtype), matrix
                        self.check_pair(whole, b, *vkevd.eigh(given, b, lower=lower))
                        self.check_pair(whole, b.T, *vkevd.eigh(given, b.T, lower=lower))
                        with vkevd.Factor(b, lower=lower) as factor:
                            self.check_pair(whole, b, *factor.solve(given))
                for name, matrix in self.layouts(b).items():
                    with self.subTest(name, of="b", lower=lower, dtype=a.dtype):
                        self.check_pair(a, np.array(matrix, b.dtype), *vkevd.eigh(a, matrix, lower=lower))
                        with vkevd.Factor(matrix, lower=lower) as factor:
                            self.check_pair(a, np.array(matrix, b.dtype), *factor.solve(np.asfortranarray(a)))
                for order in "CF":  # the other triangles are not read
                    a_half, b_half = (np.where(other(np.ones(m.shape), 1 if lower else -1), np.nan, np.array(m, order=order)) for m in (a, b))
                    w, z = vkevd.eigh(a_half, b_half, lower=lower)
                    self.check_pair(a, b, w, z)
                    with vkevd.Factor(np.asfortranarray(b_half), lower=lower) as factor:
                        again = factor.solve(a_half)
                        self.assertTrue((w == again[0]).all() and (z == again[1]).all())

    def test_factor_does_not_write(self):
        """Factor.solve does not write to a, whose dtype is another object of the same type if a was
        pickled."""
        a, b = symmetric(20), positive(20)
        for of_a, of_b in ((a, b), (pickle.loads(pickle.dumps(a)), b), (a, pickle.loads(pickle.dumps(b)))):
            given = of_a.copy()
            with vkevd.Factor(of_b) as factor:
                self.check_pair(a, b, *factor.solve(of_a))
            self.assertTrue((of_a == given).all())
        stack = np.broadcast_to(pickle.loads(pickle.dumps(a)), (3, 20, 20))
        w, _ = vkevd.eigh(stack, b)
        self.assertTrue((w[0] == w[2]).all() and (stack[0] == a).all())

    def test_types_of_numbers(self):
        n = 40
        for dtype in (np.float32, np.complex64):
            a, b = (hermitian(n) if dtype == np.complex64 else symmetric(n)).astype(dtype), positive(n, dtype)
            for type in (1, 2, 3):
                self.check_pair(a, b, *vkevd.eigh(a, b, type=type), type, tolerance=1e-5)
                with vkevd.Factor(b, type=type) as factor:
                    self.check_pair(a.T, b, *factor.solve(a.T), type, tolerance=1e-5)
        single, double = symmetric(n).astype(np.float32), positive(n)
        self.check_pair(single, double, *vkevd.eigh(single, double), tolerance=1e-13)
        self.check_pair(double, single @ single / n + np.eye(n, dtype=np.float32),
                        *vkevd.eigh(double, single @ single / n + np.eye(n, dtype=np.float32)))
        with vkevd.Factor(positive(n, complex)) as factor:
            self.check_pair(single, positive(n, complex), *factor.solve(single))

    def test_subsets(self):
        n = 60
        for a, b in ((symmetric(n), positive(n)), (hermitian(n), positive(n, complex))):
            for type in (1, 2, 3):
                values = scipy_eigh(a, b, type=type, eigvals_only=True)
                for first, last in ((0, 0), (3, 17), (n - 1, n - 1)):
                    w, z = vkevd.eigh(a, b, type=type, subset_by_index=[first, last])
                    self.assertEqual(len(w), last - first + 1)
                    self.check_pair(a, b, w, z, type, first)
                between = [(values[9] + values[10]) / 2, (values[30] + values[31]) / 2]
                w, z = vkevd.eigh(a, b, type=type, subset_by_value=between)
                self.assertEqual(len(w), 21)
                self.check_pair(a, b, w, z, type, 10)
                self.assertEqual(len(vkevd.eigvalsh(a, b, type=type, subset_by_value=between)), 21)
                with vkevd.Factor(b, type=type, subset_by_value=between) as factor:
                    self.check_pair(a, b, *factor.solve(a), type, 10)
                with vkevd.Factor(b, type=type, subset_by_index=[5, 8], eigvals_only=True) as factor:
                    self.check_pair(a, b, factor.solve(a), None, type, 5)

    def test_overwrite(self):
        a, b = hermitian(30), positive(30, complex)
        for order in "CF":
            given = np.array(a, order=order)
            w, z = vkevd.eigh(given, b, overwrite_a=True, overwrite_b=True)
            self.check_pair(a, b, w, z)
            self.assertTrue(np.shares_memory(given, z))

    def test_factor(self):
        n = 50
        a, b = symmetric(n), positive(n)
        seen = []
        factor = vkevd.Factor(b, progress=lambda *mark: seen.append(mark))
        self.assertTrue(seen)
        true = np.linalg.norm(b, 1) * np.linalg.norm(np.linalg.inv(b), 2)
        self.assertTrue(true / 3 < factor.condition < true * 1.001, (factor.condition, true))
        for k in range(3):  # with other pairs in between
            m = a + k * np.eye(n)
            w, z = factor.solve(m)
            again = vkevd.eigh(m, b)
            self.assertTrue((w == again[0]).all() and (z == again[1]).all())
            vkevd.eigh(a, np.eye(n))
        session = vkevd._devices.session()
        seen.clear()
        factor.solve(a, progress=lambda *mark: seen.append(mark))
        self.assertTrue(seen)
        plan = factor._plan
        del factor, session
        gc.collect()
        with self.assertRaisesRegex(ValueError, "not an open handle"):
            vkevd._library.call("plan_close", plan)
        with self.assertRaises(np.linalg.LinAlgError):
            vkevd.Factor(-b)
        for empty in (vkevd.eigh(np.empty((0, 0)), np.empty((0, 0))), vkevd.Factor(np.empty((0, 0))).solve(np.empty((0, 0)))):
            self.assertEqual((empty[0].shape, empty[1].shape), ((0,), (0, 0)))

    def test_overflow(self):
        a, b = np.diag([1, np.finfo(float).max]), np.eye(2) / 2
        for work in (lambda: vkevd.eigh(a, b), lambda: vkevd.Factor(b).solve(a), lambda: vkevd.eigvalsh(a, b),
                     lambda: vkevd.eigh(np.stack([a, a]), b)):
            with self.assertRaises(vkevd.ResultOverflowError) as caught:
                work()
            values = getattr(caught.exception.result, "eigenvalues", caught.exception.result)
            self.assertTrue((values == [2, np.inf]).all())

    def test_fork(self):
        self.run_python("""
import os, numpy as np, vkevd
factor = vkevd.Factor(2 * np.eye(3))
child = os.fork()
if child == 0:
    try:
        factor.solve(np.eye(3))
    except vkevd.ForkedError:
        factor.close()
        os._exit(7)
    os._exit(1)
assert os.WEXITSTATUS(os.waitpid(child, 0)[1]) == 7
assert np.allclose(factor.solve(np.eye(3))[0], 0.5)
""")

    def test_not_positive(self):
        for n in (1, 30, 90):
            for order in {1, n // 2 + 1, n}:
                b = positive(n, complex)
                b[order - 1, order - 1] = -1
                with self.assertRaises(np.linalg.LinAlgError) as ours:
                    vkevd.eigh(hermitian(n), b)
                self.assertEqual(ours.exception.order, order)
                with self.assertRaises(np.linalg.LinAlgError) as theirs:
                    scipy_eigh(hermitian(n), b)
                self.assertEqual(str(ours.exception), str(theirs.exception))

    def test_stacks(self):
        n = 9
        for dtype in (float, complex, np.float32):
            a = np.stack([(hermitian(n, seed) if dtype is complex else symmetric(n, seed)) for seed in range(6)]).reshape(2, 3, n, n).astype(dtype)
            b = np.stack([positive(n, dtype, seed) for seed in range(3)])
            for first, second in ((a, b), (a, b[0]), (a[0, 0], b), (a.swapaxes(-1, -2), b[1].T), (a[:, ::-1], np.asfortranarray(b))):
                for type in (1, 2):
                    w, z = vkevd.eigh(first, second, type=type)
                    shape = np.broadcast_shapes(first.shape[:-2], second.shape[:-2])
                    self.assertEqual((w.shape, z.shape, z.dtype), (shape + (n,), shape + (n, n), dtype))
                    firsts, seconds = np.broadcast_to(first, z.shape), np.broadcast_to(second, z.shape)
                    for i in np.ndindex(shape):
                        self.check_pair(firsts[i], seconds[i], w[i], z[i], type, tolerance=1e-5 if dtype == np.float32 else 1e-13)
                    self.assertTrue(np.allclose(vkevd.eigvalsh(first, second, type=type), w, atol=1e-4))
        upper = np.triu(np.ones((n, n)))
        for second in (b[0], b):  # the lower triangles are not read
            w, z = vkevd.eigh(np.where(upper, a, np.nan), np.where(upper, second, np.nan), lower=False)
            self.assertTrue(np.allclose(w, vkevd.eigh(a, second)[0], atol=1e-4))
        self.assertEqual(vkevd.eigh(np.empty((0, 4, 4)), np.eye(4))[1].shape, (0, 4, 4))
        self.assertEqual(vkevd.eigh(np.empty((2, 0, 0)), np.empty((0, 0)))[0].shape, (2, 0))
        with self.assertRaisesRegex(ValueError, "not for a stack"):
            vkevd.eigh(a, b, subset_by_value=[0, 1])

    def test_parts_of_stacks(self):
        n = 9
        a, b = np.stack([symmetric(n, seed) for seed in range(3)]), np.stack([positive(n, float, seed) for seed in range(3)])
        for second in (b, b[0]):  # a factor for each pair, and one for all
            for first, arguments in ((2, {"subset_by_index": [2, 4]}), (n - 3, {"largest": 3})):
                w, z = vkevd.eigh(a, second, **arguments)
                self.assertEqual((w.shape, z.shape), ((3, 3), (3, n, 3)))
                for k in range(3):
                    self.check_pair(a[k], second[k] if second.ndim == 3 else second, w[k], z[k], first=first)
                self.assertTrue(np.allclose(vkevd.eigvalsh(a, second, **arguments), w, rtol=0, atol=1e-10))
        w, z = vkevd.Factor(b[0], largest=2).solve(a[0])
        self.check_pair(a[0], b[0], w, z, first=n - 2)
        self.assertEqual(vkevd.eigh(np.empty((0, 4, 4)), np.eye(4), largest=1)[1].shape, (0, 4, 1))


if __name__ == "__main__":
    unittest.main()
