# Four processes use one device, and each process solves 20 matrices. No process may wait forever.
. "$here/functions.sh"
all=
for i in 1 2 3 4; do
	LD_PRELOAD=$shim VKEVD_CROSSOVER=300 VKEVD_VERBOSE=1 timeout 500 /usr/bin/python3 "$here/processes.py" >fine.$i 2>calls.$i &
	all="$all $!"
done
failed=0
for process in $all; do
	wait "$process" || failed=1
done
cat calls.? >calls
grep -v '^vkevd: ' calls && exit 1
[ $failed = 0 ]
grep -c fine fine.?
on_device calls 80 dsyevd
