# A user runs vkevd in scripts. Exit statuses are documented, files appear completely or not at all,
# and the output is available as JSON.
expect() { # STATUS COMMAND... expects that status, and no output of a failed command on standard output
	want=$1
	shift
	"$@" >out.txt 2>err.txt && got=0 || got=$?
	if [ $got != "$want" ]; then
		cat err.txt
		echo "$*: status $got, want $want"
		exit 1
	fi
	if [ "$want" != 0 ] && { [ -s out.txt ] || [ ! -s err.txt ]; }; then
		echo "$*: output of a failed command, or no message"
		exit 1
	fi
}

printf '2,1\n1,2\n' >good.csv
printf '2,1\n7,2\n' >unsymmetric.csv
printf '2,nan\nnan,2\n' >nan.csv

expect 0 vkevd solve --quiet good.csv
[ "$(wc -l <out.txt)" = 2 ]
[ ! -s err.txt ] # --quiet
expect 0 vkevd solve --quiet --report report.json --out-vectors Q.npy good.csv
grep -q '"device"' report.json
[ -s Q.npy ]

expect 2 vkevd solve --quiet --out-vectors no.npy missing.mtx
expect 2 vkevd solve --quiet --out-vectors no.npy unsymmetric.csv
expect 2 vkevd solve --quiet --out-vectors no.npy nan.csv
expect 2 vkevd solve --quiet --no-such-flag good.csv
expect 2 vkevd solve --quiet --out-vectors no.xyz good.csv
expect 3 env VK_DRIVER_FILES=/nowhere.json VK_ICD_FILENAMES=/nowhere.json vkevd solve --quiet --out-vectors no.npy good.csv
[ ! -e no.npy ]

# vkevd reads standard input, works in a pipe, and reports an output that cannot be written.
vkevd solve --quiet - <good.csv | grep -q '^3'
expect 2 vkevd solve --quiet --out-values /nowhere/values.txt good.csv

# An interruption while vkevd waits for input gives status 1, and no file is written.
mkfifo pipe
vkevd solve --quiet --out-values interrupted.txt pipe >/dev/null 2>err.txt &
program=$!
exec 3>pipe # opens when vkevd reads
kill -TERM $program
wait $program && status=0 || status=$?
exec 3>&-
[ $status = 1 ]
grep -q interrupted err.txt
[ ! -e interrupted.txt ]
