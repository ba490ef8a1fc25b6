# A user with matrices in NumPy writes .npy and .npz files, solves, reads the results, and compares
# them with eigh.
python=/usr/bin/python3 # Debian's, whose numpy setup.sh installs
"$python" -c 'import numpy; print("numpy", numpy.__version__)'

cat >write.py <<'END'
import numpy as np
rng = np.random.default_rng(1)
x = rng.standard_normal((120, 120))
a = x + x.T
np.save("c.npy", a)
np.save("fortran.npy", np.asfortranarray(a))
np.savez("a.npz", A=a)
np.savez_compressed("compressed.npz", A=a)
np.savetxt("a.csv", a, delimiter=",")
corr = np.corrcoef(rng.standard_normal((80, 200))) # symmetric up to rounding errors
np.save("corr.npy", corr)
np.save("corr-values.npy", np.linalg.eigvalsh(corr))
values, vectors = np.linalg.eigh(a)
np.save("numpy-values.npy", values)
np.save("numpy-vectors.npy", vectors)
END
cat >read.py <<'END'
import numpy as np, sys
a, want = np.load("c.npy"), np.load("numpy-values.npy")
eps = np.finfo(float).eps
scale = len(a) * eps * np.abs(a).sum(axis=0).max()
values, vectors = np.load("values.npy"), np.load("vectors.npy")
assert values.dtype == np.float64 and values.shape == want.shape, (values.dtype, values.shape)
assert np.abs(values - want).max() < scale, "values differ from eigh's"
assert np.abs(a @ vectors - vectors * values).max() < scale, "A·Q − Q·Λ is too large"
assert np.abs(vectors.T @ vectors - np.eye(len(a))).max() < len(a) * eps, "Q is not orthogonal"
text = np.loadtxt("values.txt")
assert (text == values).all(), "text and .npy have different bits"
END

"$python" write.py
for file in c.npy fortran.npy a.npz compressed.npz a.csv; do
	rm -f values.npy vectors.npy
	vkevd solve --quiet --out-values values.npy --out-vectors vectors.npy "$file" >values.txt
	"$python" read.py
done
vkevd check c.npy numpy-values.npy numpy-vectors.npy

# The eigenpairs with the indices 0 to 9 are the ten smallest ones.
vkevd solve --quiet --index :10 --out-values ten.npy --out-vectors ten-vectors.npy c.npy >/dev/null
"$python" -c '
import numpy as np
ten, all = np.load("ten.npy"), np.load("numpy-values.npy")
assert ten.shape == (10,) and np.abs(ten - all[:10]).max() < 1e-12 * np.abs(all).max()
assert np.load("ten-vectors.npy").shape == (120, 10)'

# A correlation matrix is symmetric only up to rounding errors.
vkevd solve --quiet --out-values corr-found.npy corr.npy >/dev/null
"$python" -c '
import numpy as np
assert np.abs(np.load("corr-found.npy") - np.load("corr-values.npy")).max() < 1e-12'

# With the flag --uplo one triangle of the matrix is enough. Without this flag, a matrix that is not
# symmetric is refused.
"$python" -c 'import numpy as np; np.save("lower.npy", np.tril(np.load("c.npy")))'
vkevd solve --quiet lower.npy && exit 1
vkevd solve --quiet --uplo lower --out-values lower-values.npy lower.npy >/dev/null
"$python" -c '
import numpy as np
want = np.load("numpy-values.npy")
assert np.abs(np.load("lower-values.npy") - want).max() < 1e-12 * np.abs(want).max()'
