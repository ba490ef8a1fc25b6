package suite

import (
	"bufio"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

// LargestFile is the largest order of a matrix from a file that tests try.
const LargestFile = 1000

// ReadMatrix reads T from a file: n, then n lines of index, d and e. The index is wrong in some
// files and is not used. The last e is not part of T.
func ReadMatrix(t *testing.T, file string) (d, e []float64) {
	x := ReadNumbers(t, file)
	if len(x) == 0 || len(x) != 1+3*int(x[0]) {
		t.Fatalf("%s: %d numbers", file, len(x))
	}
	for x = x[1:]; len(x) > 0; x = x[3:] {
		d, e = append(d, x[1]), append(e, x[2])
	}
	return d, e[:len(d)-1]
}

// ReadNumbers returns all numbers of a file, or nil if there is no such file. Exponents may begin
// with the letter D, as in Fortran.
func ReadNumbers(t *testing.T, file string) (x []float64) {
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	words := bufio.NewScanner(f)
	words.Split(bufio.ScanWords)
	for words.Scan() {
		v, err := strconv.ParseFloat(strings.NewReplacer("D", "E", "d", "E").Replace(words.Text()), 64)
		if err != nil && !math.IsInf(v, 0) && v != 0 {
			t.Fatalf("%s: %v", file, err)
		}
		x = append(x, v)
	}
	return x
}
