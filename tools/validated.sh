#!/bin/sh
# validated.sh COMMAND... runs tests with the Vulkan validation layers. It fails if a test fails,
# and also if the layers print a message, because a message of the layers does not make a test fail.
# go test prints the output of a passing test only with -v, so COMMAND must have this flag.
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
