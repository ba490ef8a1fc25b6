package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/internal/when"
)

// TestSVDStorage solves a matrix in each storage format on the device of the tests, as a band and
// as a whole matrix. The values must have the errors of the format, and the measures of --check
// must be small, in its units.
func TestSVDStorage(t *testing.T) {
	when.Skip(t, when.Quick, "single precision in storage")
	t.Run("band", func(t *testing.T) { testSVDStorage(t, 40, 7, "--banded") })
	t.Run("whole", func(t *testing.T) { testSVDStorage(t, 40, 90) })
}

func testSVDStorage(t *testing.T, n, rows int, flags ...string) {
	t.Setenv("VKEVD_CACHE", "")
	s := newFixture(t)
	var file strings.Builder
	for i := range rows {
		for j := range n {
			fmt.Fprintf(&file, "%.17g ", math.Sin(float64((i*n+j)*(i+j)+1)*1.7))
		}
		file.WriteString("\n")
	}
	s.file("matrix.txt", file.String())
	values := func(storage string) (sigma []float64, stderr string) {
		line := []string{"svd", "--check", "--verbose", "--device", os.Getenv("VKEVD_DEVICE"), "matrix.txt"}
		line = append(line, flags...)
		if storage != "" {
			line = append(line, "--storage", storage)
		}
		stdout, stderr, status := s.real(line...)
		if status != cli.StatusSuccess || !strings.Contains(stderr, "squares") {
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
	for i, word := range cli.PrecisionWords {
		of := svd.Storage(i)
		got, stderr := values(word)
		far := 0.0
		for k, x := range got {
			far = math.Hypot(far, x-want[k])
		}
		if far /= norm; !(far <= 2*of.Ulp()) || of != svd.Double && !(far > of.Ulp()/100) {
			t.Errorf("%s: error %g", word, far)
		}
		told := strings.Contains(stderr, "ε of the storage") && strings.Contains(stderr, "storage in "+of.String()+" precision")
		if told != (of != svd.Double) {
			t.Errorf("%s: %s", word, stderr)
		}
	}
}

// TestPlanStorage checks that vkevd plan makes the plan of svd --storage. With f32 and f16 it needs
// less memory on the device than in double precision, and more on the host. It refuses what svd
// refuses. The matrix is so large that little of the memory is for tiles, whose sizes depend on the
// device.
func TestPlanStorage(t *testing.T) {
	t.Setenv("VKEVD_CACHE", "")
	s := newFixture(t)
	bytes := map[string]uint64{}
	for _, word := range append([]string{""}, cli.PrecisionWords...) {
		line := []string{"plan", "--json", "-", "--svd", "-n", "3000", "-m", "4000", "--device", os.Getenv("VKEVD_DEVICE")}
		if word != "" {
			line = append(line, "--storage", word)
		}
		stdout, stderr, status := s.real(line...)
		var r planReport
		if err := json.Unmarshal([]byte(stdout), &r); err != nil || status != cli.StatusSuccess {
			t.Fatalf("%s: status %d, %v, %s", word, status, err, stderr)
		}
		bytes[word] = r.Bytes
		if half := strings.Contains(stdout, "band, half"); half != (word == "f16") || r.Precision != precisionName[float64]() {
			t.Errorf("%s: %s", word, stdout)
		}
		numbers := uint64(8 * 3000 * 4000) // on the host
		if word == "f32" || word == "f16" {
			numbers += numbers / 2
		}
		if r.Host != numbers {
			t.Errorf("%s: %d bytes on the host, want %d", word, r.Host, numbers)
		}
	}
	if b := bytes; b[""] != b["f64"] || !(b["f32"] < b["f64"]*2/3 && b["f16"] < b["f64"]*2/3) {
		t.Errorf("bytes: %v", b)
	}
	for line, want := range map[string]string{
		"plan -n 30 --storage f16":                                        "--storage needs --svd",
		"plan --svd -n 30 --storage f16 --vectors":                        "--storage is for singular values alone",
		"plan --svd -n 30 --storage half":                                 `--storage: "half" is none of f64, f32, f16`,
		"plan --svd -n 30 --storage f64 --precision f32":                  "--storage f64 stores no more digits",
		"plan --svd -n 30 --storage f16 --products emulated":              "--products emulated cannot be combined with --storage f16",
		"svd --storage f16 --out-values v.npy --full --out-u u.npy A.npy": "--storage is for singular values alone",
	} {
		if _, stderr, status := s.run(strings.Fields(line)...); status != cli.StatusInput || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d, %q", line, status, stderr)
		}
	}
}
