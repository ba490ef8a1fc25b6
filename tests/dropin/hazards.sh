# The script tests what can go wrong with a preloaded library: fork after a solve, several processes
# and threads, a killed process, and many small calls.
. "$here/functions.sh"
LD_PRELOAD=$shim VKEVD_CROSSOVER=40 VKEVD_VERBOSE=1 timeout 300 /usr/bin/python3 "$here/hazards.py" 2>calls
grep -v '^vkevd: ' calls && exit 1
on_device calls 10
