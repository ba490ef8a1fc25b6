# A user with Python makes the wheel, installs it into a folder, and runs the examples of the
# READMEs. This script needs the library that `make lib` builds.
python=/usr/bin/python3 # Debian's, whose numpy setup.sh installs
VKEVD_LIBRARY=$REPOSITORY/bin/lib/libvkevd.so.0 "$REPOSITORY/tools/wheel.sh" dist
"$python" -m pip install --quiet --no-index --no-deps --target site dist/vkevd-*.whl
for named in 'Go go1' github.com/goki/vulkan gonum.org/v1/gonum; do
	grep "^== $named" site/vkevd/NOTICES.txt
done
export PYTHONPATH=$PWD/site

# The first block of Python in each README is run as a program. The program is in a file, so that
# Python can spawn processes.
for readme in README.md python/README.md; do
	cat >program.py <<'END'
import numpy as np
rng = np.random.default_rng(1)
x = rng.standard_normal((120, 110))
a = x.T @ x
stack = np.stack([a[:20, :20]] * 3)
END
	awk '/^```python$/ { inside = 1; next } /^```$/ { if (inside) exit } inside' "$REPOSITORY/$readme" |
		sed 's/vkevd\.install()/vkevd.install(100)/' >>program.py # the CPU driver is refused without a number
	cat >>program.py <<'END'
assert vkevd.__file__.startswith(__import__("os").environ["PYTHONPATH"]), vkevd.__file__
assert s.shape in ((110,), (10,)) and np.allclose(s, np.linalg.svd(x, compute_uv=False)[:len(s)])
END
	grep -q 'vkevd.eigh' program.py
	"$python" program.py
done
