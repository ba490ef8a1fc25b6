"""arrays.py LAPACK DROP_IN [wide] compares what the drop-in writes with what LAPACK writes.

The same call goes to both libraries. Each argument, also a number, lies between guard words, in
memory of the least size that LAPACK's manual allows. The drop-in may change no word that LAPACK
leaves unchanged, and it must change each word of a result. Values and the factor of B must be
LAPACK's, and vectors up to their sign, or up to their phase if they are complex. Calls that the
drop-in passes on must leave the same bits everywhere: queries, wrong arguments, NaN, a B that is
not positive definite, orders 0 and 1. `wide` is for a LAPACK with 64-bit integers."""
import collections
import ctypes
import itertools
import sys

import numpy as np

LISTS = {  # the arguments, in LAPACK's order
    "syev": "jobz uplo n a lda w work lwork info",
    "syevd": "jobz uplo n a lda w work lwork iwork liwork info",
    "syevr": "jobz range uplo n a lda vl vu il iu abstol m w z ldz isuppz work lwork iwork liwork"
    " info",
    "syevx": "jobz range uplo n a lda vl vu il iu abstol m w z ldz work lwork iwork ifail info",
    "syev_2stage": "jobz uplo n a lda w work lwork info",
    "syevd_2stage": "jobz uplo n a lda w work lwork iwork liwork info",
    "heev": "jobz uplo n a lda w work lwork rwork info",
    "heevd": "jobz uplo n a lda w work lwork rwork lrwork iwork liwork info",
    "heevr": "jobz range uplo n a lda vl vu il iu abstol m w z ldz isuppz work lwork rwork lrwork"
    " iwork liwork info",
    "heevx": "jobz range uplo n a lda vl vu il iu abstol m w z ldz work lwork rwork iwork ifail"
    " info",
    "heev_2stage": "jobz uplo n a lda w work lwork rwork info",
    "heevd_2stage": "jobz uplo n a lda w work lwork rwork lrwork iwork liwork info",
    "sygv": "itype jobz uplo n a lda b ldb w work lwork info",
    "sygvd": "itype jobz uplo n a lda b ldb w work lwork iwork liwork info",
    "sygvx": "itype jobz range uplo n a lda b ldb vl vu il iu abstol m w z ldz work lwork iwork"
    " ifail info",
    "sygv_2stage": "itype jobz uplo n a lda b ldb w work lwork info",
    "hegv": "itype jobz uplo n a lda b ldb w work lwork rwork info",
    "hegvd": "itype jobz uplo n a lda b ldb w work lwork rwork lrwork iwork liwork info",
    "hegvx": "itype jobz range uplo n a lda b ldb vl vu il iu abstol m w z ldz work lwork rwork"
    " iwork ifail info",
    "hegv_2stage": "itype jobz uplo n a lda b ldb w work lwork rwork info",
    "stevd": "jobz n d e z ldz work lwork iwork liwork info",
    "stevr": "jobz range n d e vl vu il iu abstol m w z ldz isuppz work lwork iwork liwork info",
    "gesvd": "jobu jobvt m n a lda s u ldu vt ldvt work lwork info",
    "gesdd": "jobz m n a lda s u ldu vt ldvt work lwork iwork info",
    "complex_gesvd": "jobu jobvt m n a lda s u ldu vt ldvt work lwork rwork info",
    "complex_gesdd": "jobz m n a lda s u ldu vt ldvt work lwork rwork iwork info",
}
SHAPES = (0, 0), (0, 2), (2, 0), (1, 1), (2, 1), (2, 2), (40, 1), (1, 40)
SHAPES += (40, 40), (40, 7), (7, 40), (40, 30), (30, 40)
UNSET = 12345  # a word that nobody has written
GUARD = 100  # number of guard words before and behind each argument
integer = np.int64 if sys.argv[3:] == ["wide"] else np.int32
lapack, dropin = (ctypes.CDLL(path) for path in sys.argv[1:3])

# A call of a LAPACK routine. The field driver is the name of the routine without the letter of the
# precision, and arguments are its arguments. found is the number of values that it returns. For
# each argument k with vectors, vectors[k] is a function that takes the memory of this argument and
# returns the matrix whose columns are the vectors. For a pair of matrices A and B, vectors["b"] is
# such a function for the Cholesky factor of B. Then metric is the matrix M with XᴴMX = I for the
# vectors X.
Call = collections.namedtuple("Call", "driver arguments found vectors metric", defaults=[None])


class Memory:
    """An argument between guard words: a letter, a number or an array."""

    def __init__(self, value, real):
        if isinstance(value, str):
            value = np.frombuffer(value.encode(), np.uint8)
        value = np.atleast_1d(value)
        kinds = {"f": real, "c": np.result_type(real, np.complex64), "i": integer, "u": np.uint8}
        kind = kinds[value.dtype.kind]
        self.all = np.full(value.size + 2 * GUARD, UNSET % 256, kind)
        self.inside = self.all[GUARD : GUARD + value.size]
        self.inside[:] = value.ravel("F")
        self.before = self.all.copy()
        self.address = ctypes.c_void_p(self.all.ctypes.data + GUARD * self.all.itemsize)

    def changed(self):
        """Tells for each word inside whether it changed. Guard words must not have changed."""
        changed = self.all.view(np.uint8) != self.before.view(np.uint8)
        words = changed.reshape(self.all.size, -1).any(axis=1)
        behind = GUARD + self.inside.size
        assert not words[:GUARD].any() and not words[behind:].any(), "a guard word was written"
        return words[GUARD:behind]


def run(library, c, real):
    """Makes a call and returns the memory of its arguments afterwards."""
    memory = {k: Memory(c.arguments[k], real) for k in LISTS[c.driver].split()}
    letters = "zc" if is_complex(c.driver) else "ds"
    routine = getattr(library, letters[real is np.float32] + bare(c.driver) + "_")
    lengths = [ctypes.c_size_t(1)] * 3  # of the strings, as Fortran passes them
    routine(*(m.address for m in memory.values()), *lengths)
    return memory


def check_passed_on(c, real):
    want, got = run(lapack, c, real), run(dropin, c, real)
    for k, m in got.items():
        m.changed()
        assert m.all.tobytes() == want[k].all.tobytes(), f"{k} {m.inside}, not {want[k].inside}"


def check_solved(c, real):
    want, got = run(lapack, c, real), run(dropin, c, real)
    for k, m in got.items():
        mine, theirs = m.changed(), want[k].changed()
        more = np.flatnonzero(mine & ~theirs)
        less = np.flatnonzero(theirs & ~mine & is_result(c, k, m.inside.size))
        assert more.size == 0, f"{k}: LAPACK does not write the words {more}"
        assert less.size == 0, f"{k}: LAPACK writes the words {less}, too"
    for k in {"m", "info", "ifail", "work", "rwork", "iwork"} & set(got):
        results = is_result(c, k, got[k].inside.size)
        x, y = got[k].inside[results], want[k].inside[results]
        assert (x == y).all(), f"{k} is {x}, not {y}"
    compare_numbers(c, want, got, 4e-11 if real is np.float64 else 8e-3)


def is_result(c, k, size):
    """Tells for each word of argument k whether LAPACK's manual promises a result there."""
    if k in c.vectors:
        return np.isin(np.arange(size), c.vectors[k](np.arange(size)))
    if k == "w" or k == "d" and c.driver == "stevd":
        return np.arange(size) < c.found
    if k in ("work", "rwork", "iwork"):  # the size of the workspace, where one can ask for it
        return np.arange(size) < ("l" + k in LISTS[c.driver].split())
    return np.full(size, k in ("m", "s", "isuppz", "ifail", "info"))


def compare_numbers(c, want, got, tolerance):
    """Compares values and vectors. Values are about 1 apart, so vectors have their errors."""

    def near(x, y):
        return np.allclose(x, y, rtol=0, atol=tolerance)

    values = {"stevd": "d", "gesvd": "s", "gesdd": "s"}.get(bare(c.driver), "w")
    w = got[values].inside[: c.found]
    assert near(w, want[values].inside[: c.found]), f"values {w}"
    signs = []
    for k, matrix in c.vectors.items():
        if k == "b":
            assert near(matrix(got[k].inside), matrix(want[k].inside)), "the factor of B"
            continue
        x, y = matrix(got[k].inside), matrix(want[k].inside)
        x = x.conj().T.astype(np.result_type(x, float))
        products = x @ y if c.metric is None else x @ c.metric @ y
        one, others = products[: c.found, : c.found], products[c.found :, c.found :]
        assert near(np.abs(one), np.eye(len(one))), f"vectors in {k}"
        # Vectors of no value are another basis of the same space.
        assert near(others @ others.conj().T, np.eye(len(others))), f"further vectors in {k}"
        signs.append(np.diag(one))  # or phases
    assert len(signs) < 2 or near(signs[0] * signs[1], 1), "signs of left and right vectors"
    if "isuppz" in got and got["isuppz"].changed().any():
        z = c.vectors["z"](got["z"].inside)
        for (low, high), x in zip(got["isuppz"].inside.reshape(-1, 2), z.T):
            assert 1 <= low <= high <= len(x) and not x[: low - 1].any() and not x[high:].any()


def is_complex(driver):
    return driver.startswith(("he", "complex_"))


def bare(driver):
    """The name without complex_, which tells drivers with the same name apart."""
    return driver.replace("complex_", "")


def unset(count, kind=float):
    return np.full(count, UNSET, kind)


def embedded(matrix, ld):
    """A matrix in memory with a leading dimension."""
    a = unset((ld, matrix.shape[1]), matrix.dtype)
    a[: len(matrix)] = matrix
    return a


def part_of(rows, columns, ld):
    """A function from memory to the rows×columns matrix in it."""
    return lambda x: x[: ld * columns].reshape(ld, columns, order="F")[:rows]


def triangle_of(n, ld, uplo):
    """A function from memory to the elements of a triangle of the n×n matrix in it."""
    part, stored = part_of(n, n, ld), (np.triu if uplo == "U" else np.tril)(np.ones((n, n))) > 0
    return lambda x: part(x)[stored]


def transpose_of(rows, columns, ld):
    return lambda x: part_of(rows, columns, ld)(x).T


def with_values(values, rows, columns):
    """A matrix with these singular values, or a symmetric matrix with these eigenvalues."""
    r = np.random.default_rng(rows + 100 * columns)
    u = np.linalg.qr(r.standard_normal((rows, rows)))[0][:, : len(values)]
    v = np.linalg.qr(r.standard_normal((columns, columns)))[0][:, : len(values)]
    return (u * values) @ (u.T if rows == columns else v.T)


def hermitian_with_values(values):
    """A complex matrix with these eigenvalues. The imaginary part of its diagonal must not be
    read."""
    n = len(values)
    r = np.random.default_rng(n)
    u = np.linalg.qr(r.standard_normal((n, n)) + 1j * r.standard_normal((n, n)))[0]
    return (u * values) @ u.conj().T + UNSET * 1j * np.eye(n)


def paired(itype, c):
    """Matrices A and B whose pair of this type has the eigenvalues of c, and the metric."""
    n = len(c)
    r = np.random.default_rng(n)
    l = np.tril(r.standard_normal((n, n)) * (1 if np.isrealobj(c) else 1 + 0.5j), -1)
    l = np.eye(n) + 0.3 * l / np.sqrt(max(n, 1))
    b = l @ l.conj().T
    if itype == 1:
        return l @ c @ l.conj().T, b, b
    inverse = np.linalg.inv(l)
    return inverse.conj().T @ c @ inverse, b, b if itype == 2 else np.linalg.inv(b)


def complete(driver, arguments, found, vectors, least, more, metric=None):
    """Adds workspaces to a call. Their sizes are `least`, or with `more` what a query says."""
    names = [k for k in LISTS[driver].split() if k in ("lwork", "lrwork", "liwork")]
    sizes = dict(zip(names, least))
    kind = complex if is_complex(driver) else float
    common = {"m": UNSET, "abstol": 0.0, "info": UNSET, "iwork": unset(1, int)}
    arguments = {**common, **arguments}
    c = Call(driver, arguments, found, vectors, metric)
    if more or driver.endswith("2stage"):
        query = {**arguments, "work": unset(1, kind), "rwork": unset(1), **dict.fromkeys(names, -1)}
        asked = run(lapack, c._replace(arguments=query), np.float64)
        sizes = {k: int(asked[k[1:]].inside[0].real) for k in sizes}
    arguments.update(sizes, work=unset(sizes["lwork"], kind))
    if "lrwork" in sizes:
        arguments["rwork"] = unset(sizes["lrwork"])
    if "liwork" in sizes:
        arguments["iwork"] = unset(sizes["liwork"], int)
    return c


def spectra(driver, values):
    """Parts of the spectrum to ask for: range, il, iu, vl, vu, and how many values they have."""
    n = len(values)
    parts = [("A", 0, 0, 0.0, 0.0, n)]
    if "range" in LISTS[driver].split():
        parts += [("I", 1, n, 0.0, 0.0, n), ("V", 0, 0, -np.inf, np.inf, n)]
        parts += [("V", 0, 0, 99.0, 100.0, 0)]
        if n > 1:
            first, last = n // 2 + 1, n // 2 + max(1, n // 8)
            parts += [("i", first, last, 0.0, 0.0, last - first + 1)]
            parts += [("v", 0, 0, values[0] - 0.4, values[n // 2] - 0.4, n // 2)]
    return parts


def least_workspace(driver, n, vectors):
    small = {"syevd": (1, 1), "syevx": (1,), "heevd": (1, 1, 1), "heevx": (1,), "stevd": (1, 1)}
    small.update({"sygvd": (1, 1), "hegvd": (1, 1, 1)})
    return small[driver] if n < 2 and driver in small else {
        "syev": (max(1, 3 * n - 1),),
        "syevd": (1 + 6 * n + 2 * n * n, 3 + 5 * n) if vectors else (2 * n + 1, 1),
        "syevr": (max(1, 26 * n), max(1, 10 * n)),
        "syevx": (max(1, 8 * n),),
        "syev_2stage": (0,),  # only a query tells them
        "syevd_2stage": (0, 0),
        "heev": (max(1, 2 * n - 1),),
        "heevd": (2 * n + n * n, 1 + 5 * n + 2 * n * n, 3 + 5 * n) if vectors else (n + 1, n, 1),
        "heevr": (max(1, 2 * n), max(1, 24 * n), max(1, 10 * n)),
        "heevx": (max(1, 2 * n),),
        "heev_2stage": (0,),
        "heevd_2stage": (0, 0, 0),
        "stevd": (1 + 4 * n + n * n, 3 + 5 * n) if vectors else (1, 1),
        "stevr": (max(1, 20 * n), max(1, 10 * n)),
    }[driver.replace("gv", "ev")]


def eigenproblems(driver):
    """Yields calls of a driver for eigenvalues, and whether the drop-in passes them on."""
    dense, names = driver.startswith(("sy", "he")), LISTS[driver].split()
    kind = complex if is_complex(driver) else float
    jobs = "n" if driver.endswith("2stage") else "Nv"  # there are no vectors
    triangles = "Ul" if dense else "U"
    itypes = itertools.cycle((1, 2, 3))
    for n, jobz, uplo, more in itertools.product((0, 1, 2, 40), jobs, triangles, (13, 0)):
        values, vectors = np.arange(n) - n // 3 + 1.0, jobz == "v"
        known = {"jobz": jobz, "uplo": uplo, "n": n, "lda": max(1, n + more), "w": unset(n)}
        if dense:
            stored = (np.triu if uplo == "U" else np.tril)(np.ones((n, n)))
            whole = hermitian_with_values(values) if is_complex(driver) else with_values(values, n, n)
            known["a"] = embedded(np.where(stored, whole, UNSET), n + more)
            beside_diagonal = UNSET * 1j * np.eye(n) if is_complex(driver) else 0
        else:
            known["d"] = d = values + 0.3 * np.sin(values)
            known["e"] = e = 0.2 + 0.1 * np.cos(values[1:])
            values = np.linalg.eigvalsh(np.diag(d) + np.diag(e, 1) + np.diag(e, -1))
        for span, il, iu, vl, vu, found in spectra(driver, values):
            metric = None
            if "itype" in names:
                known["itype"], known["ldb"] = next(itypes), max(1, n + more + 1)
                a, b, metric = paired(known["itype"], whole - beside_diagonal)
                a, b = (np.where(stored, x + beside_diagonal, UNSET) for x in (a, b))
                known["a"], known["b"] = embedded(a, n + more), embedded(b, n + more + 1)
            count, ldz = (max(1, found), max(1, n + more)) if vectors else (0, 1)
            of = {"b": triangle_of(n, n + more + 1, uplo)} if "b" in names else {}
            if vectors and "z" in names:
                of["z"] = part_of(n, found, ldz)
            elif vectors:
                of["a"] = part_of(n, n, n + more)
            known.update(range=span, il=il, iu=iu, vl=vl, vu=vu, ldz=ldz, z=unset(ldz * count, kind))
            known.update(isuppz=unset(2 * count, int), ifail=unset(n if vectors else 0, int))
            known["rwork"] = unset(7 * n if driver in ("heevx", "hegvx") else max(1, 3 * n - 2))
            if driver.endswith("vx"):
                known["iwork"] = unset(5 * n, int)
            least = least_workspace(driver, n, vectors)
            yield complete(driver, known, found, of, least, more, metric), n < 2


def singular_values(driver):
    """Yields calls of a driver for singular values, and whether the drop-in passes them on."""
    jobs, kind = [(j, j) for j in "nsoa"], complex if is_complex(driver) else float
    if bare(driver) == "gesvd":
        jobs = [j for j in itertools.product("NSOA", repeat=2) if j != ("O", "O")]
    for (m, n), (jobu, jobvt), more in itertools.product(SHAPES, jobs, (13, 0)):
        few, many, lda = min(m, n), max(m, n), max(1, m + more)
        a = with_values(few - np.arange(few) + 0.5, m, n)
        if is_complex(driver):
            a = np.exp(1j * np.arange(m))[:, np.newaxis] * a * np.exp(2j * np.arange(n))
        a = embedded(a, m + more)
        left, right = jobu.upper(), jobvt.upper()
        if jobu == "o":  # gesdd: one side replaces A, the other one has memory
            left, right = ("O", "A") if m >= n else ("A", "O")
        columns, rows = {"S": few, "A": m}.get(left, 0), {"S": few, "A": n}.get(right, 0)
        ldu, ldvt = m + more if columns else 1, rows + more if rows else 1
        of = {}
        if left == "O":
            of["a"] = part_of(m, few, lda)
        elif columns:
            of["u"] = part_of(m, columns, ldu)
        if right == "O":
            of["a"] = transpose_of(few, n, lda)
        elif rows:
            of["vt"] = transpose_of(rows, n, ldvt)
        known = {"jobz": jobu, "jobu": jobu, "jobvt": jobvt, "m": m, "n": n, "a": a, "lda": lda}
        known.update(s=unset(few), u=unset(ldu * columns, kind), vt=unset(ldvt * n if rows else 0, kind))
        known.update(rwork=unset(max(1, 7 * few * few + 7 * few + 2 * few * many)))
        known.update(ldu=max(1, ldu), ldvt=max(1, ldvt), iwork=unset(8 * few, int))
        least = {
            "n": 3 * few + max(many, 7 * few),
            "s": 4 * few * few + 7 * few,
            "o": 3 * few + max(many, 5 * few * few + 4 * few),
            "a": 4 * few * few + 6 * few + many,
        }.get(jobu, max(3 * few + many, 5 * few))
        if is_complex(driver):
            least = complex_least(jobu, few, many)
        yield complete(driver, known, few, of, (max(1, least),), more), few == 0


def complex_least(job, few, many):
    """The least workspace of zgesdd for a job, or of zgesvd for a job in capitals."""
    if job.isupper() or many < int(few * 17 / 9):
        return 2 * few + many + (few * few if job == "o" else 0)
    return {
        "n": 3 * few,
        "s": few * few + 3 * few,
        "o": 2 * few * few + 3 * few,
        "a": few * few + max(3 * few, few + many),
    }[job]


def refused(c):
    """Returns changes of a call: LAPACK refuses it, or only answers a query, or finds NaN, or that
    B is not positive definite."""
    names, of = LISTS[c.driver].split(), c.arguments
    changes = [{k: "X"} for k in ("jobz", "range", "uplo", "jobu", "jobvt")]
    changes += [{k: -1} for k in ("n", "lwork", "lrwork", "liwork")] + [{"m": -1}] * bare(c.driver).startswith("ge")
    sizes = ("lda", "ldb", "ldz", "ldu", "ldvt", "lrwork", "liwork")
    changes += [{k: of[k] - 1} for k in sizes if k in names]
    changes += [{"lwork": 1 if bare(c.driver) == "gesdd" else of["lwork"] - 1}]
    changes += [{"range": "I", "il": il, "iu": iu} for il, iu in ((0, 3), (3, 2), (1, of["n"] + 1))]
    changes += [{"range": "V", "vl": 1.0, "vu": 1.0}, {"jobu": "O", "jobvt": "O"}]
    changes += [{"itype": 0}, {"itype": 4}]
    if "b" in names:
        changes += [{"b": np.where(of["b"] == of["b"][1, 1], x, of["b"])} for x in (-1.0, np.nan)]
    if "a" in names:
        changes += [{"a": np.where(of["a"] == of["a"][1, 1], np.nan, of["a"])}]
        if is_complex(c.driver):
            changes += [{"a": np.where(of["a"] == of["a"][2, 1], complex(1, np.nan), of["a"])}]
    return [change for change in changes if change.keys() <= set(names)]


def main():
    failed = count = 0
    for driver, real in itertools.product(LISTS, (np.float64, np.float32)):
        cases = list((singular_values if bare(driver).startswith("ge") else eigenproblems)(driver))
        last = cases[-1][0]
        cases += [(last._replace(arguments={**last.arguments, **x}), True) for x in refused(last)]
        for c, passed_on in cases:
            count += 1
            try:
                (check_passed_on if passed_on else check_solved)(c, real)
            except AssertionError as error:
                failed += 1
                numbers = {k: v for k, v in c.arguments.items() if not isinstance(v, np.ndarray)}
                print(real.__name__, driver, numbers, error)
    print(count, "calls,", failed, "failed")
    sys.exit(failed > 0)


main()
