package main

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/evd/svd"
)

// TestSVDStorage solves a band in each storage format on the device of the tests. The values must have
// the errors of the format, and the measures of --check must be small, in its units.
func TestSVDStorage(t *testing.T) {
	t.Setenv("VKEVD_CACHE", "")
	s := newFixture(t)
	const n, b = 40, 6
	var file strings.Builder
	for i := range b + 1 {
		for j := range n {
			fmt.Fprintf(&file, "%.17g ", math.Sin(float64(i*n+j+1)*1.7))
		}
		file.WriteString("\n")
	}
	s.file("band.txt", file.String())
	values := func(storage string) (sigma []float64, stderr string) {
		line := []string{"svd", "--check", "--device", os.Getenv("VKEVD_DEVICE"), "--banded", "band.txt"}
		if storage != "" {
			line = append(line, "--storage", storage)
		}
		stdout, stderr, status := s.real(line...)
		if status != statusSuccess || !strings.Contains(stderr, "squares") {
			t.Fatalf("%s: status %d, %s", storage, status, stderr)
		}
		for _, text := range strings.Fields(stdout) {
			var x float64
			fmt.Sscan(text, &x)
			sigma = append(sigma, x)
		}
		if len(sigma) != n {
			t.Fatalf("%s: %d values", storage, len(sigma))
		}
		return sigma, stderr
	}
	want, _ := values("")
	norm := 0.0
	for _, x := range want {
		norm = math.Hypot(norm, x)
	}
	for i, word := range precisionWords {
		of := svd.Storage(i)
		got, stderr := values(word)
		far := 0.0
		for k, x := range got {
			far = math.Hypot(far, x-want[k])
		}
		if far /= norm; !(far <= 2*of.Ulp()) || of != svd.Double && !(far > of.Ulp()/100) {
			t.Errorf("%s: error %g", word, far)
		}
		if told := strings.Contains(stderr, "ε of the storage"); told != (of != svd.Double) {
			t.Errorf("%s: %s", word, stderr)
		}
	}
}
