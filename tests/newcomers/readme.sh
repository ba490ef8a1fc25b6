# A user follows the README. Every command that the README shows must work.
cp "$REPOSITORY/tests/testdata/matrices/bcsstk03.mtx" A.mtx
vkevd solve --quiet --out-vectors Q.npy A.mtx >values.txt
cat >matrix.py <<'END'
import numpy as np
n, a = None, None
for line in open("A.mtx"):
    if line.startswith("%"):
        continue
    words = line.split()
    if a is None:
        n = int(words[0])
        a = np.zeros((n, n))
        continue
    i, j, v = int(words[0]) - 1, int(words[1]) - 1, float(words[2])
    a[i, j] = a[j, i] = v
np.save("A.npy", a)
np.save("A1.npy", a * (1 + 1e-7))  # near A, for --start
np.save("stack.npy", np.stack([a[:40, :40], a[40:80, 40:80]]))
h = a[:60, :60] + 1j * (np.tril(a[:60, :60]) - np.triu(a[:60, :60]))
np.save("Hk.npy", h)
np.save("H.npy", h)
np.save("S.npy", np.eye(60) + 0.5)
np.savetxt("A.csv", a[:, :70], delimiter=",")  # of another shape, for svd
END
/usr/bin/python3 matrix.py
awk 'BEGIN { for (i = 0; i < 50; i++) print i, 0.5 }' >T.txt

commands=0
sed -n 's/^    \(vkevd .*\)$/\1/p' "$REPOSITORY/README.md" | sed 's/   *.*//' >commands.txt
while read -r command; do
	commands=$((commands + 1))
	echo "\$ $command"
	case $command in
	*' | '*) # several commands; of commands that measure for minutes, only --help is run
		for word in $(echo "${command#vkevd }" | tr -d '|'); do
			case $word in
			devices | doctor | selftest) vkevd "$word" ;;
			*) vkevd "$word" --help ;;
			esac
		done
		;;
	'vkevd plan '*) # status 3: the matrix does not fit into this device
		sh -euc "$command" || [ $? = 3 ]
		;;
	*) sh -euc "$command" ;;
	esac
done <commands.txt
[ $commands -ge 10 ]
[ -s dos.png ]
/usr/bin/python3 -c '
import numpy as np
s, want = np.loadtxt("sigma.txt"), np.linalg.svd(np.loadtxt("A.csv", delimiter=","), compute_uv=False)
assert np.allclose(s, want, rtol=0, atol=1e-11 * want[0]), abs(s - want).max()
a, u, v = np.loadtxt("A.csv", delimiter=","), np.load("U.npy"), np.load("V.npy")
assert np.allclose(a @ v, u * s, rtol=0, atol=1e-11 * s[0]) and np.allclose(v.T @ v, np.eye(len(s)), atol=1e-11)
for m, z in zip(np.load("stack.npy"), np.load("Qs.npy"), strict=True):
    assert np.allclose(m @ z, z * np.diag(z.T @ m @ z), rtol=0, atol=1e-11 * np.linalg.norm(m))
h, z = np.load("Hk.npy"), np.load("Z.npy")
assert z.shape == (60, 20) and np.iscomplexobj(z)
assert np.allclose(h @ z, z * np.linalg.eigvalsh(h)[:20], rtol=0, atol=1e-11 * np.linalg.norm(h))
c = np.load("C.npy")
assert c.shape == (60, 60) and np.allclose(c.conj().T @ np.load("S.npy") @ c, np.eye(60), rtol=0, atol=1e-11)'
