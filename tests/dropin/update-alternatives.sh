# The script runs the lines of docs/drop-in.md that install the library for the whole system by
# update-alternatives. It uses its own view of the file system, in which all folders that change are
# copies.
. "$here/functions.sh"
group=liblapack.so.3-x86_64-linux-gnu
state() {
	update-alternatives --query $group
	readlink "/etc/alternatives/$group" "$(dirname "$lapack")/liblapack.so.3"
}
eigh() {
	VKEVD_CROSSOVER=0 VKEVD_VERBOSE=1 /usr/bin/python3 -c '
import numpy as np
a = np.eye(60) + 1
w, v = np.linalg.eigh(a)
assert np.allclose(a @ v, v * w)'
}
if [ -z "${apart:-}" ]; then
	state >before
	apart=1 unshare --mount --map-root-user sh -eu "$0"
	state >after
	diff before after
	exit
fi
mkdir -p copies/alternatives copies/dpkg copies/log copies/local
cp -a /etc/alternatives/. copies/alternatives
cp -a /var/lib/dpkg/alternatives/. copies/dpkg
mount --bind copies/alternatives /etc/alternatives
mount --bind copies/dpkg /var/lib/dpkg/alternatives
mount --bind copies/log /var/log
mount --bind copies/local /usr/local/lib

# The script runs the commands of the manual without sudo, one per line, and leaves out those with
# make. The last command removes the library.
sed -n '/^## A whole /,/^## R,/s/^    //p' "$repository/docs/drop-in.md" |
	sed -e ':join' -e '/\\$/{N;s/\\\n *//;b join' -e '}' -e '/^make /d' -e 's/^sudo //' >lines
grep -v -e --remove lines >install
grep -e --remove lines >remove
(cd "$repository" && sh -eux "$OLDPWD/install")
state | grep 'Value: /usr/local/lib/vkevd/liblapack.so.3'
eigh 2>calls
one_block_size "$lapack/se2.in" >se2.in
same se2.in "$lapack/xeigtstd" # it finds the system's library
VKEVD_CROSSOVER=0 VKEVD_VERBOSE=1 Rscript --vanilla -e 'stopifnot(all.equal(eigen(diag(7:1))$values, 7:1 + 0))' 2>>calls
VKEVD_CROSSOVER=0 VKEVD_VERBOSE=1 octave-cli --norc --eval 'assert(svd(diag(7:-1:1)), (7:-1:1)'"'"', 1e-14)' 2>octave # Octave prints other lines, too
sh -eux remove
state >after
diff before after
eigh 2>silent
[ ! -s silent ]
grep -v '^vkevd: ' calls && exit 1
grep '^vkevd: ' octave >>calls
on_device calls 1500 dsyevd dsyevr dgesvd
