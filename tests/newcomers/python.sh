# A user with Python makes the wheel, installs it into a folder, and runs the examples of the
# READMEs. This script needs the library that `make lib` builds.
python=/usr/bin/python3 # Debian's, whose numpy setup.sh installs
VKEVD_LIBRARY=$REPOSITORY/bin/lib/libvkevd.so.0 "$REPOSITORY/tools/wheel.sh" dist
case $(uname -m) in # the wheel is for older systems, too
x86_64 | aarch64) [ "$(echo dist/vkevd-*.whl | sed 's/.*manylinux_2_\([0-9]*\)_.*/\1/')" -le 28 ] ;;
esac
"$python" -m pip install --quiet --no-index --no-deps --target site dist/vkevd-*.whl
for named in 'Go go1' github.com/goki/vulkan gonum.org/v1/gonum; do
	grep "^== $named" site/vkevd/NOTICES.txt
done
for said in 'Author: The vkevd authors' 'Project-URL: Homepage, https://github.com/vkevd/vkevd' 'Project-URL: Issues, ' 'Classifier: Typing :: Typed'; do
	grep "^$said" site/vkevd-*.dist-info/METADATA
done
test -f site/vkevd/py.typed
test -s site/vkevd/__init__.pyi
export PYTHONPATH=$PWD/site

# The first block of Python in each README is run as a program. The program is in a file, so that
# Python can spawn processes.
for readme in README.md python/README.md; do
	cat >program.py <<'END'
import numpy as np
rng = np.random.default_rng(1)
x = rng.standard_normal((120, 110))
a = x.T @ x
b = a / 110 + np.eye(110)
stack = np.stack([a[:20, :20]] * 3)
d, e = np.diag(a), np.diag(a, 1)
END
	awk '/^```python$/ { inside = 1; next } /^```$/ { if (inside) exit } inside' "$REPOSITORY/$readme" |
		sed 's/vkevd\.install()/vkevd.install(100)/' >>program.py # without a number the CPU driver is not used
	cat >>program.py <<'END'
assert vkevd.__file__.startswith(__import__("os").environ["PYTHONPATH"]), vkevd.__file__
assert s.shape in ((110,), (10,)) and np.allclose(s, np.linalg.svd(x, compute_uv=False)[:len(s)])
END
	grep -q 'vkevd.eigh' program.py
	"$python" program.py
done

# A physicist has Hamiltonians H(k) of some k in a file, and wants the 20 lowest states of the first
# one, and the density of states of all.
cat >write.py <<'END'
import numpy as np
rng = np.random.default_rng(2)
n, ks = 120, np.linspace(-np.pi, np.pi, 6, endpoint=False)
cell = rng.standard_normal((n, n)) + 1j * rng.standard_normal((n, n))
hop = np.exp(1j * ks)[:, None, None] * rng.standard_normal((n, n))
np.save("Hk.npy", cell + cell.conj().T + hop + hop.conj().swapaxes(1, 2))
END
cat >program.py <<'END'
import numpy as np
import vkevd
hk = np.load("Hk.npy")
energies, states = vkevd.eigh(hk[0], subset_by_index=[0, 19])
density, edges = np.histogram(vkevd.eigvalsh(hk), bins=40, density=True)
np.savez("found.npz", energies=energies, states=states, density=density, edges=edges)
END
cat >check.py <<'END'
import numpy as np
hk, found = np.load("Hk.npy"), np.load("found.npz")
energies, states = found["energies"], found["states"]
levels = np.linalg.eigvalsh(hk)
assert energies.dtype == np.float64 and np.allclose(energies, levels[0, :20], rtol=0, atol=1e-10)
assert np.allclose(hk[0] @ states, states * energies, rtol=0, atol=1e-10) # not those of the conjugate
assert np.allclose(states.conj().T @ states, np.eye(20), rtol=0, atol=1e-12)
assert np.allclose(found["edges"], np.histogram_bin_edges(levels, 40), rtol=0, atol=1e-10)
counts = found["density"] * np.diff(found["edges"]) * levels.size
assert np.abs(np.cumsum(counts - np.histogram(levels, 40)[0])).max() < 1.5 # a level may lie on an edge
END
for program in write program check; do
	"$python" $program.py
done
