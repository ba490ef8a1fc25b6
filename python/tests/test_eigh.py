from unittest import mock

from common import Case, hermitian, np, symmetric, unittest, vkevd
from vkevd import _batched


class Eigh(Case):
    def test_like_numpy(self):
        for n in (1, 2, 3, 40, 150):
            a = symmetric(n)
            before = a.copy()
            result = vkevd.eigh(a)
            self.check_eigen(a, result.eigenvalues, result.eigenvectors)
            self.assertTrue((a == before).all(), "a has changed")
            w = vkevd.eigvalsh(a)
            self.assertTrue(np.allclose(w, result[0], rtol=0, atol=1e-12 * n))
            self.assertTrue((w == vkevd.eigh(a, eigvals_only=True)).all())

    def test_layouts(self):
        n = 33
        a = symmetric(n)
        wide, wider = np.full((n, 2 * n), np.nan), np.full((2 * n, n), np.nan)
        strided = np.full((3 * n, 3 * n), np.nan)
        wide[:, :n], wider[:n], strided[::3, ::3] = a, a, a
        unaligned = np.frombuffer(b"x" + a.tobytes(), np.uint8)[1:].view(np.float64).reshape(n, n)
        layouts = {"C": a, "Fortran": np.asfortranarray(a), "rows": wide[:, :n], "columns": wider[:n].T,
                   "more rows": wider[:n], "strided": strided[::3, ::3], "reversed": a[::-1, ::-1],
                   "list": a.tolist(), "big-endian": a.astype(">f8"), "unaligned": unaligned}
        for name, layout in layouts.items():
            with self.subTest(name):
                w, z = vkevd.eigh(layout)
                self.check_eigen(np.array(layout, np.float64), w, z)

    def test_triangles(self):
        a = symmetric(30)
        for upper, arguments in ((0, {"UPLO": "L"}), (1, {"UPLO": "U"}), (0, {"UPLO": "l"}), (0, {"lower": True}),
                                 (1, {"lower": False}), (0, {})):
            half = np.where(np.tri(30, k=-1).T if not upper else np.tri(30, k=-1), np.nan, a)
            for order in "CF":
                w, z = vkevd.eigh(np.array(half, order=order), **arguments)
                self.check_eigen(a, w, z)
                self.assertEqual(len(vkevd.eigvalsh(np.array(half, order=order), **arguments)), 30)

    def test_overwrite(self):
        for order in "CF":
            a = symmetric(64)
            given = np.array(a, order=order)
            w, z = vkevd.eigh(given, overwrite_a=True)
            self.check_eigen(a, w, z)
            self.assertTrue(np.shares_memory(given, z))
        a.flags.writeable = False
        self.assertFalse(np.shares_memory(vkevd.eigh(a, overwrite_a=True)[1], a))

    def test_subsets(self):
        a, n = symmetric(80), 80
        values = np.linalg.eigvalsh(a)
        for first, last in ((0, 0), (3, 17), (0, n - 1), (n - 1, n - 1)):
            w, z = vkevd.eigh(a, subset_by_index=[first, last])
            self.check_eigen(a, w, z, first)
            self.assertEqual(len(w), last - first + 1)
        low, high = (values[9] + values[10]) / 2, (values[30] + values[31]) / 2
        for between, first, count in (((low, high), 10, 21), ((-np.inf, low), 0, 10), ((high, np.inf), 31, n - 31),
                                      ((values[-1] + 1, values[-1] + 2), n, 0)):
            w, z = vkevd.eigh(a, subset_by_value=between)
            self.assertEqual(len(w), count)
            self.check_eigen(a, w, z, first)
            self.assertEqual(len(vkevd.eigvalsh(a, subset_by_value=between)), count)

    def test_largest(self):
        n = 40
        for a in (symmetric(n), hermitian(n), symmetric(n).tolist()):
            for k in (1, 5, n):
                w, z = vkevd.eigh(a, largest=k)
                self.check_eigen(np.asarray(a), w, z, n - k)
                self.assertTrue((vkevd.eigvalsh(a, largest=np.int64(k)) == vkevd.eigh(a, largest=k, eigvals_only=True)).all())
                self.assertEqual(len(w), k)

    def test_drivers(self):
        """scipy's names of LAPACK's routines change nothing. Those that scipy refuses are refused."""
        a, b = symmetric(20), np.eye(20)
        every = {"ev", "evd", "evr", "evx", "gv", "gvd", "gvx", "syevd", ""}
        for arguments, allowed in (({}, {"ev", "evd", "evr", "evx"}), ({"b": b}, {"gv", "gvd", "gvx"}),
                                   ({"subset_by_index": [2, 4]}, {"evr", "evx"}), ({"largest": 2}, {"evr", "evx"}),
                                   ({"b": b, "subset_by_value": [0, 9]}, {"gvx"})):
            want = vkevd.eigh(a, **arguments)
            for driver in every:
                if driver in allowed:
                    w, z = vkevd.eigh(a, driver=driver, **arguments)
                    self.assertTrue((w == want[0]).all() and (z == want[1]).all())
                else:
                    with self.subTest(driver, arguments=arguments), self.assertRaisesRegex(ValueError, "^driver '"):
                        vkevd.eigh(a, driver=driver, **arguments)

    def test_types(self):
        a = symmetric(20)
        wide = np.full((20, 50), np.nan, np.float32)
        wide[:, :20] = a
        for single in (a.astype(np.float32), wide[:, :20], wide.T[:20], np.asfortranarray(wide[:, :20]), wide[::-1, 19::-1]):
            w, z = vkevd.eigh(single)
            self.assertEqual((w.dtype, z.dtype), (np.float32, np.float32))
            self.check_eigen(np.tril(single) + np.tril(single, -1).T.astype(float), w, z, tolerance=1e-6)
            w, z = vkevd.eigh(single, subset_by_index=[3, 8])
            self.check_eigen(np.tril(single) + np.tril(single, -1).T.astype(float), w, z, 3, tolerance=1e-6)
        whole = np.rint(10 * a).astype(np.int32)
        w, z = vkevd.eigh(whole)
        self.assertEqual(w.dtype, np.float64)
        self.check_eigen(whole.astype(float), w, z)
        for wrong, way_out in ((a.astype(np.float16), r"float16 .* a\.astype\(numpy\.float64\)"),
                               (a.astype(">f2"), r"a\.astype\(numpy\.float64\)"), (a.astype(np.longdouble), r"a\.astype\(numpy\.float64\)"),
                               (a.astype(object), "must be numbers"), (np.array([["x"]]), "must be numbers")):
            for work in (vkevd.eigh, vkevd.eigvalsh, vkevd.svd, vkevd.svdvals, lambda a: vkevd.batched([a])):
                with self.subTest(wrong.dtype, work=work), self.assertRaisesRegex(TypeError, way_out):
                    work(wrong)

    def test_byte_orders(self):
        """Arrays of either byte order give results of the same type and the same values, in this
        machine's order."""
        for size, single in (("4", True), ("8", False)):
            a = symmetric(9).astype("f" + size)
            pair = np.stack([a, 2 * a])
            for order in "<>=":
                b, many = a.astype(order + "f" + size), pair.astype(order + "f" + size)
                for name, function, given, native in (
                        ("eigh", vkevd.eigh, b, a), ("eigvalsh", lambda a: [vkevd.eigvalsh(a)], b, a),
                        ("part", lambda a: vkevd.eigh(a, subset_by_index=[2, 5]), b, a), ("stack", vkevd.eigh, many, pair),
                        ("empty", vkevd.eigh, b[:0, :0], a[:0, :0]), ("batched", lambda a: vkevd.batched(list(a))[1], many, pair),
                        ("svd", vkevd.svd, b[:5], a[:5]), ("svdvals", lambda a: [vkevd.svdvals(a)], b, a)):
                    with self.subTest(name, order=order, size=size):
                        for got, want in zip(function(given), function(native)):
                            self.assertEqual(got.dtype, np.dtype(np.float32 if single else np.float64))
                            self.assertTrue((got == want).all())
                            self.assertEqual(got.shape, want.shape)

    def test_mixed_precision(self):
        for n in (0, 1, 2, 40, 150):
            a = symmetric(n)
            for order in "CF":
                given = np.array(a, order=order)
                w, z = vkevd.eigh(given, precision="mixed")
                self.check_eigen(a, w, z)
                self.assertTrue((given == a).all(), "a has changed")
            w, z = vkevd.eigh(given, precision="mixed", overwrite_a=True)
            self.check_eigen(a, w, z)
        stages = set()
        vkevd.eigh(a, precision="mixed", progress=lambda stage, done, total: stages.add(stage))
        self.assertTrue(any(stage.startswith("refinement") for stage in stages), stages)
        for wrong, arguments in ((a.astype(np.float32), {}), (np.stack([a, a]), {}), (a, {"eigvals_only": True}),
                                 (a, {"subset_by_index": [0, 3]})):
            with self.assertRaisesRegex(ValueError, "mixed precision is for all values"):
                vkevd.eigh(wrong, precision="mixed", **arguments)
        with self.assertRaisesRegex(ValueError, "'half' is not 'mixed'"):
            vkevd.eigh(a, precision="half")

    def test_scales(self):
        for scale in (1e-300, 1e-30, 1e150, 1e300):
            w, z = vkevd.eigh(symmetric(25) * scale)
            self.check_eigen(symmetric(25), w / scale, z)
        self.assertTrue((vkevd.eigvalsh(np.zeros((5, 5))) == 0).all())

    def test_overflow(self):
        """The result is there beside the exception, which names the first value that overflows."""
        n = 6
        for dtype in (np.float64, np.float32):
            most = np.finfo(dtype).max
            a = np.full((n, n), most, dtype)
            for matrix, at, arguments in ((a, (n - 1,), {}), (-a, (0,), {}), (a, (0,), {"subset_by_index": [n - 1, n - 1]}),
                                          (np.stack([a * 0, a]), (1, n - 1), {}), (a.reshape(1, 1, n, n), (0, 0, n - 1), {})):
                for work, part in ((vkevd.eigh, lambda x: x.eigenvalues), (vkevd.eigvalsh, lambda x: x)):
                    with self.subTest(dtype=dtype, at=at, work=work), self.assertRaises(vkevd.ResultOverflowError) as caught:
                        work(matrix, **arguments)
                    values, index = part(caught.exception.result), caught.exception.index
                    self.assertEqual(index, at)
                    self.assertTrue(np.isinf(values[index]) and np.isinf(values).sum() == 1)
                    self.assertEqual(values.dtype, dtype)
                    self.assertIn(f"[{', '.join(map(str, at))}] is beyond the largest {np.dtype(dtype)}, and is {values[at]} in",
                                  str(caught.exception))
                    if work is vkevd.eigh:
                        self.assertTrue(np.allclose(caught.exception.result.eigenvectors[index[:-1]][:, index[-1]], n**-0.5))
        with self.assertRaises(OverflowError):
            vkevd.eigh(np.full((n, n), np.finfo(float).max), precision="mixed")

    def test_empty(self):
        for shape in ((0, 0), (3, 0, 0), (0, 4, 4), (2, 0, 5, 5)):
            w, z = vkevd.eigh(np.empty(shape))
            self.assertEqual((w.shape, z.shape), (shape[:-1], shape))
            self.assertEqual(vkevd.eigvalsh(np.empty(shape)).shape, shape[:-1])

    def test_stacks(self):
        a = np.stack([symmetric(9, seed) for seed in range(6)]).reshape(2, 3, 9, 9)
        for stack in (a, np.asfortranarray(a), a.astype(np.float32), a[:, ::-1]):
            w, z = vkevd.eigh(stack)
            self.assertEqual((w.shape, z.shape, z.dtype), (stack.shape[:3], stack.shape, stack.dtype))
            for i in np.ndindex(2, 3):
                self.check_eigen(stack[i].astype(float), w[i], z[i], tolerance=1e-6 if stack.dtype == np.float32 else 1e-14)
            self.assertTrue(np.allclose(vkevd.eigvalsh(stack), w, rtol=0, atol=1e-5))
        order = vkevd._devices.session().batch_order
        w, z = vkevd.eigh(np.stack([symmetric(order + 1, seed) for seed in range(2)]))
        self.check_eigen(symmetric(order + 1, 1), w[1], z[1])

    def test_parts_of_stacks(self):
        """The same part of each matrix, also of orders that no batch takes, and of complex matrices."""
        order = vkevd._devices.session().batch_order
        for n, of in ((9, symmetric), (order + 1, symmetric), (9, hermitian)):
            a = np.stack([of(n, seed) for seed in range(4)]).reshape(2, 2, n, n)
            for first, last, arguments in ((2, 4, {"subset_by_index": [2, 4]}), (n - 3, n - 1, {"largest": 3}), (0, 0, {"subset_by_index": [0, 0]})):
                w, z = vkevd.eigh(a, **arguments)
                self.assertEqual((w.shape, z.shape, z.dtype), ((2, 2, last - first + 1), (2, 2, n, last - first + 1), a.dtype))
                for i in np.ndindex(2, 2):
                    self.check_eigen(a[i], w[i], z[i], first)
                self.assertTrue(np.allclose(vkevd.eigvalsh(a, **arguments), w, rtol=0, atol=1e-10))
                self.assertTrue(w.base is None or w.base.size == w.size, "all values stay in memory")
                self.assertTrue(z.base is None or z.base.size == z.size, "all vectors stay in memory")
        w, z = vkevd.eigh(np.empty((0, 5, 5)), subset_by_index=[1, 2])
        self.assertEqual((w.shape, z.shape), ((0, 2), (0, 5, 2)))

    def test_stacks_of_float32(self):
        """A stack of float32 is solved in single precision: at least one value or vector differs from
        the rounded ones of double precision."""
        single = np.stack([symmetric(40, seed) for seed in range(4)]).astype(np.float32)
        w, z = vkevd.eigh(single)
        wide, wide_z = vkevd.eigh(single.astype(float))
        self.assertEqual((w.dtype, z.dtype, wide.dtype), (np.float32, np.float32, np.float64))
        self.assertFalse((w == wide.astype(np.float32)).all())
        self.assertFalse((z == wide_z.astype(np.float32)).all())
        for found, vectors, a in zip(w, z, single):
            self.check_eigen(a.astype(float), found, vectors, tolerance=1e-6)

    def test_not_finite(self):
        for bad in (np.nan, np.inf):
            a = symmetric(30)
            a[7, 3] = bad
            with self.assertRaises(np.linalg.LinAlgError) as raised:
                vkevd.eigh(a)
            self.assertIsInstance(raised.exception, ValueError)  # as scipy's
            self.assertEqual((raised.exception.row, raised.exception.column), (7, 3))
            vkevd.eigh(a, UPLO="U")
            with self.assertRaises(vkevd.NotFiniteError):
                vkevd.eigh(np.stack([symmetric(30), a]))

    def test_bad_arguments(self):
        a = symmetric(6)
        for wrong in (np.zeros((3, 4)), np.zeros(5), np.float64(3)):
            with self.assertRaises(np.linalg.LinAlgError):
                vkevd.eigh(wrong)
        for arguments in ({"UPLO": "X"}, {"subset_by_index": [0, 6]}, {"subset_by_index": [-1, 2]},
                          {"subset_by_index": [3, 2]}, {"subset_by_value": [1, 1]},
                          {"subset_by_index": [0, 1], "subset_by_value": [0, 1]}):
            with self.subTest(arguments), self.assertRaises(ValueError):
                vkevd.eigh(a, **arguments)
        with self.assertRaisesRegex(ValueError, "is not a range within 0 to 5"):
            vkevd.eigh(a, subset_by_index=[0, 6])
        with self.assertRaises(ValueError):
            vkevd.eigh(np.stack([a, a]), subset_by_value=[0, 1])

    def test_refusals_name_a_way_out(self):
        a = symmetric(6)

        class Sparse:
            def toarray(self):
                return a

        for work, words in ((lambda: vkevd.svd(a.astype(object)), "must be numbers"),
                            (lambda: vkevd.eigh(a.astype(np.float16)), r"astype\(numpy.float64\)"),
                            (lambda: vkevd.eigh(Sparse()), "toarray"), (lambda: vkevd.eigh(a.astype(object)), "must be numbers"),
                            (lambda: vkevd.eigh(np.stack([a, a]), subset_by_value=[0, 1]), "one by one"),
                            (lambda: vkevd.eigh(a, subset_by_index=[-2, -1]), "largest=k"),
                            (lambda: vkevd.use("no such device"), r"vkevd.devices\(\) lists them")):
            with self.assertRaisesRegex((TypeError, ValueError, vkevd.NoDeviceError), words):
                work()


class Hermitian(Case):
    def test_like_numpy(self):
        for n in (1, 2, 3, 40, 150):
            a = hermitian(n)
            before = a.copy()
            result = vkevd.eigh(a)
            self.assertEqual((result.eigenvalues.dtype, result.eigenvectors.dtype), (np.float64, np.complex128))
            self.check_eigen(a, *result)
            self.assertTrue((a == before).all(), "a has changed")
            self.assertTrue(np.allclose(vkevd.eigvalsh(a), result[0], rtol=0, atol=1e-12 * n))
            largest = np.take_along_axis(result[1], abs(result[1]).argmax(axis=0)[None], 0)
            self.assertTrue((largest.real > 0).all() and (largest.imag == 0).all())

    def test_layouts(self):
        """Every layout gives the vectors of its matrix, and not those of the conjugate, which has
        the same values."""
        n = 33
        a = hermitian(n)
        wide, wider = np.full((n, 2 * n), np.nan + 0j), np.full((2 * n, n), np.nan + 0j)
        strided = np.full((3 * n, 3 * n), np.nan + 0j)
        wide[:, :n], wider[:n], strided[::3, ::3] = a, a, a
        unaligned = np.frombuffer(b"x" + a.tobytes(), np.uint8)[1:].view(np.complex128).reshape(n, n)
        layouts = {"C": a, "Fortran": np.asfortranarray(a), "transposed": a.T, "conjugate": a.conj(), "adjoint": a.conj().T,
                   "rows": wide[:, :n], "columns": wider[:n].T, "more rows": wider[:n], "strided": strided[::3, ::3],
                   "transposed strided": strided[::3, ::3].T, "reversed": a[::-1, ::-1], "list": a.tolist(),
                   "big-endian": a.astype(">c16"), "unaligned": unaligned}
        for name, layout in layouts.items():
            for UPLO in "LU":
                with self.subTest(name, UPLO=UPLO):
                    self.check_eigen(np.array(layout, np.complex128), *vkevd.eigh(layout, UPLO))

    def test_triangles(self):
        a = hermitian(30)
        for UPLO, other in (("L", np.tri(30, k=-1).T), ("U", np.tri(30, k=-1))):
            half = np.where(other, np.nan, a) + np.diag([complex(0, np.nan)] * 30)
            for order in "CF":
                self.check_eigen(a, *vkevd.eigh(np.array(half, order=order), UPLO))
                self.check_eigen(a, vkevd.eigvalsh(np.array(half, order=order), UPLO), None)

    def test_overwrite(self):
        a = hermitian(64)
        for order in "CF":
            given = np.array(a, order=order)
            w, z = vkevd.eigh(given, overwrite_a=True)
            self.check_eigen(a, w, z)
            self.assertTrue(np.shares_memory(given, z))

    def test_subsets(self):
        a, n = hermitian(80), 80
        values = np.linalg.eigvalsh(a)
        for first, last in ((0, 0), (3, 17), (0, n - 1)):
            for order in "CF":
                w, z = vkevd.eigh(np.array(a, order=order), subset_by_index=[first, last])
                self.check_eigen(a, w, z, first)
                self.assertEqual(len(w), last - first + 1)
        w, z = vkevd.eigh(a, subset_by_value=[(values[9] + values[10]) / 2, (values[30] + values[31]) / 2])
        self.check_eigen(a, w, z, 10)
        self.assertEqual(len(w), 21)

    def test_types(self):
        single = hermitian(40).astype(np.complex64)
        for a in (single, single.T, np.asfortranarray(single), single.astype(">c8"), single[::-1, ::-1]):
            w, z = vkevd.eigh(a)
            self.assertEqual((w.dtype, z.dtype), (np.float32, np.complex64))
            self.check_eigen(np.array(a, np.complex128), w, z, tolerance=1e-6)
        a = symmetric(40)  # real numbers in complex memory
        w, z = vkevd.eigh(a + 0j)
        self.check_eigen(a + 0j, w, z)
        self.assertTrue((z.imag == 0).all())
        imaginary = 1j * (np.tril(a) - np.tril(a).T)
        w, z = vkevd.eigh(imaginary)
        self.check_eigen(imaginary, w, z)
        self.assertTrue(np.allclose(w, -w[::-1], rtol=0, atol=1e-12))
        for given in (imaginary, np.asfortranarray(imaginary), hermitian(70, 3), hermitian(1, 3)):
            w, z = vkevd.eigh(given, precision="mixed")
            self.check_eigen(given, w, z)
        with self.assertRaisesRegex(ValueError, "one matrix of float64 or complex128"):
            vkevd.eigh(imaginary.astype(np.complex64), precision="mixed")

    def test_stacks(self):
        a = np.stack([hermitian(9, seed) for seed in range(6)]).reshape(2, 3, 9, 9)
        for stack in (a, np.asfortranarray(a), a.astype(np.complex64), a[:, ::-1], a.swapaxes(-1, -2)):
            w, z = vkevd.eigh(stack)
            self.assertEqual((w.shape, w.dtype, z.shape, z.dtype), (stack.shape[:3], stack.real.dtype, stack.shape, stack.dtype))
            for i in np.ndindex(2, 3):
                self.check_eigen(stack[i].astype(np.complex128), w[i], z[i], tolerance=1e-6 if stack.dtype == np.complex64 else 1e-14)
            self.assertTrue(np.allclose(vkevd.eigvalsh(stack), w, rtol=0, atol=1e-5))

    def test_empty(self):
        for shape in ((0, 0), (3, 0, 0), (0, 4, 4)):
            w, z = vkevd.eigh(np.empty(shape, np.complex64))
            self.assertEqual((w.shape, w.dtype, z.shape, z.dtype), (shape[:-1], np.float32, shape, np.complex64))

    def test_not_finite(self):
        for bad in (np.nan, complex(0, np.nan), complex(0, -np.inf)):
            for order in "CF":
                a = np.array(hermitian(30), order=order)
                a[7, 3] = bad
                with self.assertRaises(vkevd.NotFiniteError) as raised:
                    vkevd.eigh(a)
                self.assertEqual((raised.exception.row, raised.exception.column), (7, 3))
                vkevd.eigh(a, UPLO="U")

    def test_overflow(self):
        for dtype in (np.complex128, np.complex64):
            a = np.full((6, 6), np.finfo(dtype).max, dtype)
            with self.assertRaises(vkevd.ResultOverflowError) as caught:
                vkevd.eigh(a)
            values = caught.exception.result.eigenvalues
            self.assertTrue(np.isinf(values[5]) and np.isinf(values).sum() == 1)
            self.assertEqual(values.dtype, np.finfo(dtype).dtype)

    def test_progress(self):
        seen = []
        vkevd.eigh(hermitian(50), progress=lambda *mark: seen.append(mark))
        self.assertTrue(seen)


class Batched(Case):
    def test_unaligned(self):
        """The library gets aligned addresses only, also for stacks."""
        bytes = np.empty(2 * 25 * 8 + 1, np.uint8)
        odd, a, seen = bytes[1:].view(np.float64).reshape(2, 5, 5), symmetric(5), []
        odd[:] = a

        def run(orders, numbers, number, addresses, *others):
            seen.extend(addresses)
            return _run(orders, numbers, number, addresses, *others)

        _run = _batched._run
        with mock.patch.object(_batched, "_run", run):
            for w in (*vkevd.eigvalsh(odd), *vkevd.batched(list(odd), eigvals_only=True)):
                self.check_eigen(a, w, None)
        self.assertEqual([at % 8 for at in seen], [0] * 4)

    def test_mixed_orders(self):
        order = vkevd._devices.session().batch_order
        matrices = [symmetric(n, n + 1) for n in (3, 0, 17, 1, order + 2, 8)]
        matrices[3] = matrices[3].astype(np.float32)
        for a, (w, z) in zip(matrices, vkevd.batched(matrices)):
            self.check_eigen(a.astype(float), w, z, tolerance=1e-6 if a.dtype == np.float32 else 1e-14)
            self.assertEqual(w.dtype, a.dtype)
        for a, w in zip(matrices, vkevd.batched(matrices, "U", eigvals_only=True)):
            self.check_eigen(a.astype(float), w, None, tolerance=1e-6)
        turned = [hermitian(n, n) for n in (2, 0, 17, 1, order + 2, 40)] + [hermitian(20, 20).astype(np.complex64), matrices[2]]
        for UPLO in "LU":
            for a, (w, z) in zip(turned, vkevd.batched(turned, UPLO)):
                self.check_eigen(a.astype(complex), w, z, tolerance=1e-6 if a.dtype == np.complex64 else 1e-14)
                self.assertEqual((w.dtype, z.dtype), (a.real.dtype, a.dtype))
        both = vkevd.batched([matrices[2], matrices[2].astype(np.float32)])
        self.assertEqual([w.dtype for w, _ in both], [np.float64, np.float32])
        self.assertFalse((both[0].eigenvalues.astype(np.float32) == both[1].eigenvalues).all())
        self.assertEqual(vkevd.batched([]), [])
        self.assertEqual(vkevd.batched([np.empty((0, 0))])[0].eigenvalues.shape, (0,))

    def test_overflow(self):
        for dtype in (np.float64, np.float32):
            a = np.full((4, 4), np.finfo(dtype).max, dtype)
            with self.assertRaises(vkevd.ResultOverflowError) as caught:
                vkevd.batched([np.eye(3, dtype=dtype), a, np.eye(500, dtype=dtype)])
            self.assertEqual(caught.exception.index, (1, 3))
            self.assertIn("eigenvalue [1, 3] is", str(caught.exception))
            first, second, third = caught.exception.result
            self.assertTrue((first.eigenvalues == 1).all() and (third.eigenvalues == 1).all())
            self.assertTrue(np.isinf(second.eigenvalues[3]) and np.allclose(second.eigenvectors[:, 3], 0.5))

    def test_one_bad(self):
        order = vkevd._devices.session().batch_order
        matrices = [symmetric(n) for n in (5, 6, order + 1)]
        matrices[1][2, 1] = matrices[2][4, 0] = np.nan
        with self.assertRaises(vkevd.NotFiniteError) as caught:
            vkevd.batched(matrices)
        self.assertEqual((caught.exception.row, caught.exception.column), (-1, -1))  # the batch does not tell
        results = vkevd.batched(matrices, on_error="nan")
        self.check_eigen(matrices[0], *results[0])
        self.assertTrue(all(np.isnan(x).all() for result in results[1:] for x in result))
        for bad in (1, 2):  # a matrix of a batch, which an error calls by its number in the list, and a larger one
            with self.assertRaisesRegex(vkevd.NotFiniteError, "^matrix 3 " if bad == 1 else ""):
                vkevd.batched([symmetric(order + 1), matrices[0], matrices[0], matrices[bad], matrices[0]])

    def test_bad_arguments(self):
        with self.assertRaisesRegex(ValueError, "on_error"):
            vkevd.batched([symmetric(3)], on_error="ignore")
        for shape in ((2, 3, 3), (3,), (3, 2)):
            with self.assertRaises(np.linalg.LinAlgError):
                vkevd.batched([symmetric(3), np.zeros(shape)])

    def test_triangles(self):
        lower, upper = symmetric(9), symmetric(9, 2)
        np.fill_diagonal(upper, np.diag(lower))
        a = np.tril(lower) + np.triu(upper, 1)
        for UPLO, whole in ("L", lower), ("U", upper):
            self.check_eigen(whole, *vkevd.batched([a], UPLO)[0])

    def test_device(self):
        """Each function solves on the device that it is given, here one that does not exist."""
        large = vkevd._devices.session().batch_order + 1
        for work in (lambda device: vkevd.batched([symmetric(5)], device=device),
                     lambda device: vkevd.eigh(symmetric(5), device=device),
                     lambda device: vkevd.eigvalsh(np.ones((2, 5, 5)), device=device),
                     lambda device: vkevd.eigvalsh(np.ones((2, large, large)), device=device),
                     lambda device: vkevd.svd(np.ones((9, 5)), device=device),
                     lambda device: vkevd.svdvals(np.ones((2, 9, 5)), device=device)):
            with self.assertRaises(vkevd.NoDeviceError):
                work("no such device")

    def test_progress(self):
        large = vkevd._devices.session().batch_order + 1
        for work in (lambda progress: vkevd.batched([symmetric(5)] * 3, progress=progress),
                     lambda progress: vkevd.batched([symmetric(large)], progress=progress),
                     lambda progress: vkevd.eigh(np.stack([symmetric(5)] * 3), progress=progress),
                     lambda progress: vkevd.svd(np.ones((2, 9, 5)), progress=progress)):
            seen = []
            work(lambda *mark: seen.append(mark))
            self.assertTrue(seen)


if __name__ == "__main__":
    unittest.main()
