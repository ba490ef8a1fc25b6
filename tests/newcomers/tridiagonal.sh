# A user has a tridiagonal matrix in a text file. The matrix of order n has the rows −1, 2, −1, and
# the eigenvalues 2 − 2·cos(kπ/(n+1)), k = 1, …, n.
n=1000
awk -v n=$n 'BEGIN { for (i = 1; i <= n; i++) print 2, -1 }' >T.txt

close_to_formula() { # FIRST FILE: one value per line, the first of them number FIRST from 1
	awk -v n=$n -v first="$1" 'BEGIN { pi = atan2(0, -1) }
		{ want = 2 - 2*cos((first + NR - 1)*pi/(n + 1)); d = $1 - want; if (d < 0) d = -d
		  if (!(d < 1e-12)) { print "value", NR, "is", $1, "and not", want; exit 1 } }' "$2"
}

vkevd solve --quiet --tridiagonal --values-only T.txt >values.txt
[ "$(wc -l <values.txt)" = $n ]
close_to_formula 1 values.txt

for solver in dc bisection mrrr qr; do
	vkevd solve --quiet --tridiagonal --values-only --solver $solver --index 990: T.txt >top.txt && status=0 || status=$?
	[ $status = 0 ] || [ $status = 2 ] # 2: this method has no values without vectors, and says so
	[ $status = 2 ] || { [ "$(wc -l <top.txt)" = 10 ] && close_to_formula 991 top.txt; }
done

# The five smallest eigenvalues are computed with vectors, and checked. The first line of the file
# says which part of the spectrum the file contains.
vkevd solve --tridiagonal --check --index :5 --out-values five.txt --out-vectors five.npy T.txt >/dev/null
[ "$(head -n1 five.txt)" = "# eigenvalues 0:5 of $n" ]
grep -v '^#' five.txt >bare.txt
[ "$(wc -l <bare.txt)" = 5 ]
close_to_formula 1 bare.txt
