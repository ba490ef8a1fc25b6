# A physicist has the Hamiltonian H(k) of Haldane's model in NumPy, complex Hermitian. They want its
# 20 lowest states and its density of states, by the command, and those for an overlap matrix S.
python=/usr/bin/python3 # Debian's, whose numpy setup.sh installs

cat >write.py <<'END'
import numpy as np
# A cell of 8×8 hexagons, 128 atoms, with hopping 1 to neighbours, and 0.1·e^{±0.7i} to second
# neighbours. The Bloch phases of the wave vector (0.3, 0.8) are on bonds that leave the cell.
cells, k = 8, (0.3, 0.8)
n = 2 * cells**2
h = np.zeros((n, n), complex)
def at(x, y, site):
    return 2 * (x % cells + cells * (y % cells)) + site
def bond(i, x, y, site, t):
    turns = np.exp(1j * (k[0] * (x // cells) + k[1] * (y // cells)))
    j = at(x, y, site)
    h[j, i] += t * turns
    h[i, j] += np.conj(t * turns)
for x in range(cells):
    for y in range(cells):
        for dx, dy in (0, 0), (-1, 0), (0, -1):
            bond(at(x, y, 0), x + dx, y + dy, 1, 1.0)
        for site, turn in (0, 0.7), (1, -0.7):
            for dx, dy in (1, 0), (-1, 1), (0, -1):
                bond(at(x, y, site), x + dx, y + dy, site, 0.1 * np.exp(1j * turn))
assert np.abs(h - h.conj().T).max() < 1e-15 and np.abs(h.imag).max() > 0.05
np.save("Hk.npy", h)
np.save("Hk32.npy", h.astype(np.complex64))
np.save("wrong.npy", np.triu(h))
r = np.random.default_rng(1).standard_normal(h.shape)
np.save("S.npy", np.eye(n) + r @ r.T / n) # an overlap matrix
np.save("symmetric.npy", h.real + 1j * np.abs(h.imag)) # no Hermitian matrix
END
cat >read.py <<'END'
import numpy as np
h = np.load("Hk.npy")
eps = np.finfo(float).eps
want = np.linalg.eigvalsh(h)
scale = len(h) * eps * np.abs(h).sum(axis=0).max()
values, states = np.load("lowest.npy"), np.load("states.npy")
assert values.dtype == np.float64 and states.dtype == np.complex128 and states.shape == (len(h), 20)
assert np.abs(values - want[:20]).max() < scale, "values differ from eigvalsh's"
assert np.abs(h @ states - states * values).max() < scale, "H·Z − Z·Λ is too large"
assert np.abs(states.conj().T @ states - np.eye(20)).max() < len(h) * eps, "the states are not orthonormal"
assert np.abs(np.loadtxt("all.txt") - want).max() < scale, "all values differ from eigvalsh's"
overlap, values, orbitals = np.load("S.npy"), np.load("pair.npy"), np.load("orbitals.npy")
half = np.linalg.inv(np.linalg.cholesky(overlap))
assert np.abs(values - np.linalg.eigvalsh(half @ h @ half.T)[:20]).max() < 10 * scale, "values of the pair"
assert np.abs(orbitals.conj().T @ overlap @ orbitals - np.eye(20)).max() < 10 * scale, "XᴴSX is not I"
narrow = np.load("narrow.npy")
assert narrow.dtype == np.complex64 and narrow.shape == h.shape
END

"$python" write.py
vkevd solve --quiet --smallest 20 --out-values lowest.npy --out-vectors states.npy Hk.npy >/dev/null
vkevd check --host Hk.npy lowest.npy states.npy
vkevd solve --quiet --values-only --out-values all.txt Hk.npy >/dev/null
vkevd plot density --out density.png all.txt
[ -s density.png ]
vkevd solve --quiet --out-vectors narrow.npy Hk32.npy >/dev/null
vkevd solve --quiet --smallest 20 --b S.npy --out-values pair.npy --out-vectors orbitals.npy Hk.npy >/dev/null
vkevd check --b S.npy Hk.npy pair.npy orbitals.npy
"$python" read.py

# One triangle is enough, but only if the user says so. A matrix that is not Hermitian is refused.
vkevd solve --quiet wrong.npy 2>err.txt && exit 1
grep -q 'matrix is not Hermitian.*--symmetrize.*--uplo' err.txt
vkevd solve --quiet symmetric.npy 2>err.txt && exit 1
grep -q 'complex symmetric, not Hermitian' err.txt
vkevd solve --quiet --uplo upper wrong.npy >upper.txt
vkevd solve --quiet Hk.npy >whole.txt
cmp upper.txt whole.txt
# The singular values are the magnitudes of the eigenvalues.
vkevd svd --quiet Hk.npy >singular.txt
"$python" -c 'import numpy as np
want = np.linalg.svd(np.load("Hk.npy"), compute_uv=False)
assert np.abs(np.loadtxt("singular.txt") - want).max() < 1e-12'
