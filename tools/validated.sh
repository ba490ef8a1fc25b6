#!/bin/sh
# validated.sh COMMAND... runs tests under the Vulkan validation layers. It fails if a test fails, and
# also if the layers complain: they only print and continue. go test shows the output of a passing
# test only with -v, so COMMAND must have that flag.
set -u
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$@" >"$log" 2>&1
status=$?
complaint='VUID-|UNASSIGNED-|SYNC-HAZARD|Validation (Error|Warning|Performance)'
if [ $status != 0 ]; then
	cat "$log"
elif grep -Eq "$complaint" "$log"; then
	grep -E "^=== RUN|$complaint" "$log" | grep -E -B 1 "$complaint" | head -n 200
	echo "validated: the validation layers complain" >&2
	status=1
else
	grep -E '^(ok|\?|---.*SKIP)' "$log"
fi
exit $status
