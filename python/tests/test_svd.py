from common import EPS, Case, hermitian, np, random, symmetric, unittest, vkevd


class Svd(Case):
    def test_like_numpy(self):
        for m, n in ((1, 1), (1, 7), (7, 1), (40, 40), (90, 35), (30, 95)):
            a = random(m, n)
            for full in (True, False):
                result = vkevd.svd(a, full_matrices=full)
                self.check_svd(a, *result)
                for ours, theirs in zip(result, np.linalg.svd(a, full_matrices=full)):
                    self.assertEqual(ours.shape, theirs.shape)
            self.assertTrue(np.allclose(vkevd.svdvals(a), result.S, rtol=0, atol=1e-12))

    def test_layouts(self):
        m, n = 31, 22
        a = random(m, n)
        wide = np.full((m, 50), np.nan)
        wide[:, :n] = a
        for layout in (a, np.asfortranarray(a), wide[:, :n], np.asfortranarray(wide)[:, :n], a[::-1], a[:, ::2], a.T,
                       wide[:, :n].T, a.astype(">f8")):
            u, s, vh = vkevd.svd(layout)
            self.check_svd(np.array(layout, np.float64), u, s, vh)
            again = vkevd.svd(np.array(layout, np.float64, order="C"))
            # The signs do not depend on the layout.
            self.assertLess(np.abs(vh[:len(s)] - again.Vh[:len(s)]).max(), 1e-10)

    def test_largest(self):
        a = random(60, 50)
        u, s, vh = vkevd.svd(a, full_matrices=False, largest=4)
        self.assertEqual((u.shape, s.shape, vh.shape), ((60, 4), (4,), (4, 50)))
        self.check_svd(a, u, s, vh)
        self.assertEqual(len(vkevd.svdvals(a, largest=7)), 7)
        for arguments in ({"largest": 4}, {"largest": 0, "full_matrices": False}, {"largest": 51, "full_matrices": False}):
            with self.assertRaises(ValueError):
                vkevd.svd(a, **arguments)

    def test_hermitian(self):
        for a in (symmetric(30), hermitian(30), np.diag([3.0, -5, 0, 5, -1]), hermitian(30).astype(np.complex64), np.rint(symmetric(9)).astype(int)):
            tolerance = 1e-6 if a.dtype == np.complex64 else 1e-14
            u, s, vh = vkevd.svd(a, hermitian=True)
            wide = a.astype(np.complex128)
            self.assertTrue((s >= 0).all() and (np.diff(s) <= 0).all())
            self.assertEqual((s.dtype, u.dtype, vh.dtype), (np.linalg.svd(a, hermitian=True)[1].dtype,) + (np.linalg.svd(a, hermitian=True)[0].dtype,) * 2)
            n, scale = len(a), np.abs(s).max()
            self.assertLess(np.abs(s - np.linalg.svd(wide, compute_uv=False)).max(), 30 * n * tolerance * scale)
            self.assertLess(np.abs(u * s @ vh - wide).max(), 30 * n * tolerance * scale)
            for q in (u, vh):
                self.assertLess(np.abs(q.conj().T @ q - np.eye(n)).max(), 30 * n * tolerance)
            rows = np.take_along_axis(vh, np.abs(vh).argmax(axis=1)[:, None], 1)
            self.assertTrue((rows.real > 0).all() and np.allclose(rows.imag, 0))
            self.assertTrue(np.allclose(vkevd.svdvals(a, hermitian=True), s, atol=1e-4 * scale))
            part = vkevd.svd(a, False, hermitian=True, largest=4)
            self.assertEqual([x.shape for x in part], [(n, 4), (4,), (4, n)])
            self.assertTrue((part.S == s[:4]).all() and (part.Vh == vh[:4]).all())
        a = np.stack([symmetric(7, seed) for seed in range(4)]).reshape(2, 2, 7, 7)
        u, s, vh = vkevd.svd(a, hermitian=True)
        self.assertTrue(np.allclose((u * s[..., None, :]) @ vh, a))
        half = np.tril(a[0, 0]) + np.triu(np.full((7, 7), np.nan), 1)  # numpy, too, reads the lower triangle
        self.assertTrue(np.allclose(vkevd.svdvals(half, hermitian=True), s[0, 0]))
        with self.assertRaises(vkevd.ResultOverflowError) as caught:
            vkevd.svd(np.full((4, 4), -np.finfo(float).max), hermitian=True)
        self.assertEqual(caught.exception.index, (0,))
        self.assertTrue(np.isinf(caught.exception.result.S[0]) and np.isfinite(caught.exception.result.S[1:]).all())

    def test_drivers(self):
        a = random(20, 12)
        want = vkevd.svd(a)
        for driver in ("gesdd", "gesvd"):
            self.assertTrue(all((x == y).all() for x, y in zip(vkevd.svd(a, lapack_driver=driver), want)))

    def test_stacks(self):
        a = np.stack([random(12, 8, seed) for seed in range(4)]).reshape(2, 2, 12, 8)
        u, s, vh = vkevd.svd(a)
        self.assertEqual((u.shape, s.shape, vh.shape), ((2, 2, 12, 12), (2, 2, 8), (2, 2, 8, 8)))
        self.check_svd(a[1, 0], u[1, 0], s[1, 0], vh[1, 0])
        self.assertEqual(vkevd.svdvals(a.astype(np.float32)).dtype, np.float32)

    def test_float32(self):
        for a in (random(30, 20).astype(np.float32), random(20, 30).astype(np.float32).T):
            parts = vkevd.svd(a)
            self.assertEqual([part.dtype for part in parts], [np.float32] * 3)
            self.check_svd(a.astype(float), *parts, tolerance=1e-6)

    def test_complex(self):
        for m, n in ((1, 1), (1, 7), (7, 1), (33, 33), (70, 31), (28, 75)):
            whole = random(m, n) + 1j * random(m, n, 2)
            wide = np.full((m, 80), np.nan + 0j)
            wide[:, :n] = whole
            for a, tolerance in ((whole, 30 * EPS), (np.asfortranarray(whole), 30 * EPS), (wide[:, :n], 30 * EPS),
                                 (whole.conj(), 30 * EPS), (whole.T, 30 * EPS), (whole.astype(np.complex64), 1e-6)):
                for full in (True, False):
                    result, theirs = vkevd.svd(a, full_matrices=full), np.linalg.svd(a, full_matrices=full)
                    self.check_svd(a.astype(complex), *result, tolerance=tolerance)
                    self.assertEqual([x.shape for x in result], [x.shape for x in theirs])
                    self.assertEqual([x.dtype for x in result], [x.dtype for x in theirs])
                top = np.take_along_axis(result.Vh, np.abs(result.Vh).argmax(axis=1)[:, np.newaxis], 1)
                self.assertTrue((np.abs(top.imag) < 1e-6).all() and (top.real > 0).all())
                values = vkevd.svdvals(a)
                self.assertEqual(values.dtype, a.real.dtype)
                self.assertTrue(np.allclose(values, result.S, rtol=0, atol=100 * tolerance))
        a = random(60, 50) + 1j * random(60, 50, 2)
        u, s, vh = vkevd.svd(a, full_matrices=False, largest=4)
        self.assertEqual((u.shape, s.shape, vh.shape), ((60, 4), (4,), (4, 50)))
        self.check_svd(a, u, s, vh)
        u, s, vh = vkevd.svd(np.stack([a, a.conj()]), full_matrices=False)
        self.check_svd(a.conj(), u[1], s[1], vh[1])
        for shape in ((0, 3), (2, 0, 3)):
            ours, theirs = (svd(np.empty(shape, complex)) for svd in (vkevd.svd, np.linalg.svd))
            self.assertEqual([(x.shape, x.dtype) for x in ours], [(x.shape, x.dtype) for x in theirs])
        a[3, 4] = complex(0, np.nan)
        with self.assertRaises(np.linalg.LinAlgError) as raised:
            vkevd.svd(a)
        self.assertEqual((raised.exception.row, raised.exception.column), (3, 4))

    def test_overflow(self):
        for dtype in (np.float64, np.float32):
            a = np.full((7, 4), np.finfo(dtype).max, dtype)
            for matrix, at in ((a, (0,)), (a.T, (0,)), (np.stack([a * 0, a]), (1, 0))):
                for work, part in ((vkevd.svd, lambda x: x.S), (vkevd.svdvals, lambda x: x)):
                    with self.subTest(dtype=dtype, at=at), self.assertRaises(vkevd.ResultOverflowError) as caught:
                        work(matrix)
                    s = part(caught.exception.result)
                    self.assertEqual(caught.exception.index, at)
                    self.assertTrue(np.isinf(s[at]) and np.isinf(s).sum() == 1)
                    self.assertIn("singular value", str(caught.exception))

    def test_empty(self):
        for shape in ((0, 0), (0, 3), (4, 0), (2, 0, 3), (0, 3, 3)):
            for full in (True, False):
                ours, theirs = vkevd.svd(np.empty(shape), full), np.linalg.svd(np.empty(shape), full)
                for x, y in zip(ours, theirs):
                    self.assertEqual(x.shape, y.shape)
            self.assertEqual(vkevd.svdvals(np.empty(shape)).shape, ours.S.shape)

    def test_errors(self):
        a = random(9, 5)
        a[3, 4] = np.nan
        for order in "CF":
            with self.assertRaises(np.linalg.LinAlgError) as raised:
                vkevd.svd(np.array(a, order=order))
            self.assertEqual((raised.exception.row, raised.exception.column), (3, 4))
        with self.assertRaises(np.linalg.LinAlgError):
            vkevd.svd(np.zeros(3))


if __name__ == "__main__":
    unittest.main()
