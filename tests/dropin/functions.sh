# Functions for the scripts of this folder. shellcheck shell=sh

# on_device FILE LEAST [ROUTINE...] prints how many calls of each routine were solved on a device.
# FILE has the lines that VKEVD_VERBOSE=1 prints. on_device fails if the number of all such calls is
# less than LEAST, or if a device solved no call of a ROUTINE.
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
all_routines=$(for r in syev syevd syevr syevx syev_2stage syevd_2stage sygv sygvd sygvx sygv_2stage stevd stevr gesvd gesdd; do
	printf 'd%s s%s ' "$r" "$r"
done
for r in heev heevd heevr heevx heev_2stage heevd_2stage hegv hegvd hegvx hegv_2stage gesvd gesdd; do
	printf 'z%s c%s ' "$r" "$r"
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

# pairs LETTER prints the input dsg.in, ssg.in, zsg.in or csg.in of LAPACK's test programs, changed so
# that all pairs have order 16.
pairs() { sed -e '2s/^7/1/' -e '3s/^[0-9 ]*/16 /' "$lapack/$1sg.in"; }

# same INPUT COMMAND... runs one of LAPACK's test programs twice: without the device, and with the
# drop-in library solving all orders on the device. It fails unless both runs print the same lines,
# and a line says that tests passed. LD_PRELOAD is set only for the second run.
same() {
	input=$1
	shift
	VKEVD_CROSSOVER=off "$@" <"$input" >want 2>/dev/null
	LD_PRELOAD=${preload:-} VKEVD_CROSSOVER=0 VKEVD_VERBOSE=1 "$@" <"$input" >got 2>>calls
	sed -i '/Total time/d' want got
	grep -q 'passed the threshold' want
	diff want got
}

# in_each FUNCTION calls a function with each of the arguments d, s (real numbers in double and in
# single precision), z and c (complex numbers), each in a folder of its own. Two calls run at a
# time. in_each fails if one of the calls fails. At the end it joins their lists of calls.
in_each() {
	in_both "$1" d s
	in_both "$1" z c
	cat d/calls s/calls z/calls c/calls >calls
}

in_both() {
	mkdir "$2" "$3"
	(
		cd "$2"
		"$1" "$2"
	) &
	double=$!
	(
		cd "$3"
		"$1" "$3"
	) &
	single=$! failed=0
	wait $double || failed=1
	wait $single || failed=1
	[ $failed = 0 ]
}
