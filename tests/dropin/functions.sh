# Functions for the scripts of this folder. shellcheck shell=sh

# on_device FILE LEAST [ROUTINE...] prints how many calls of each routine were solved on a device. FILE
# has the lines that VKEVD_VERBOSE=1 prints. on_device fails if the number of all such calls is less
# than LEAST, or if a device solved no call of a ROUTINE.
on_device() {
	file=$1 least=$2
	shift 2
	awk -v least="$least" -v routines="$*" '
		/^vkevd: / && !/→ next library/ { solved++; by[$2]++ }
		/^vkevd: / && /→ next library/ { next_library++; sub(/.*→ /, ""); why[$0]++ }
		END {
			for (r in by) print by[r], r
			for (w in why) print why[w], w
			for (n = split(routines, needed, " "); n > 0; n--)
				if (!by[needed[n]]) { print "no call on the device: " needed[n]; missing = 1 }
			print solved + 0 " calls on the device, " next_library + 0 " in the next library"
			exit missing || solved < least
		}' "$file"
}

# all_routines lists the LAPACK routines that the drop-in library replaces. LAPACK's test programs
# call all of them.
all_routines=$(for r in syev syevd syevr syevx syev_2stage syevd_2stage stevd stevr gesvd gesdd; do
	printf 'd%s s%s ' "$r" "$r"
done)

# one_block_size FILE prints an input of LAPACK's test programs, changed so that the tests run with
# one block size instead of five. A device does not use the block size.
one_block_size() {
	awk '
		/^5 / { print "1 value"; short = 1; next }
		/^50/ { short = 0 }
		short { print $1; next }
		{ print }' "$1"
}

# same INPUT COMMAND... runs one of LAPACK's test programs twice: without the drop-in library, and
# with the library solving all orders on the device. It fails unless both runs print the same lines,
# with all tests passed. LD_PRELOAD is set only for the second run.
same() {
	input=$1
	shift
	VKEVD_CROSSOVER=off "$@" <"$input" >want 2>/dev/null
	LD_PRELOAD=${preload:-} VKEVD_CROSSOVER=0 VKEVD_VERBOSE=1 "$@" <"$input" >got 2>>calls
	sed -i '/Total time/d' want got
	grep -q 'passed the threshold' want
	diff want got
}

# in_both FUNCTION calls a function with the argument d (double precision) and with s (single
# precision) at the same time, each in a folder of its own. It fails if one of them fails. At the
# end it joins their lists of calls.
in_both() {
	mkdir d s
	(
		cd d
		"$1" d
	) &
	double=$!
	(
		cd s
		"$1" s
	) &
	single=$! failed=0
	wait $double || failed=1
	wait $single || failed=1
	cat d/calls s/calls >calls
	[ $failed = 0 ]
}
