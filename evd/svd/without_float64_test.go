package svd

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/vk"
)

// TestWithoutFloat64 checks that plans for singular values name the missing feature, in both
// precisions, and what works instead.
func TestWithoutFloat64(t *testing.T) {
	d, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE"), Without: []string{"shaderFloat64"}})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for name, made := range map[string]func() error{
		"float64":    func() error { _, err := NewPlan[float64](d, 20, 10, Options{}); return err },
		"float32":    func() error { _, err := NewPlan[float32](d, 20, 10, Options{}); return err },
		"band":       func() error { _, err := NewBandPlan[float32](d, 20, 4, BandOptions{}); return err },
		"bidiagonal": func() error { _, err := NewBidiagonalPlan[float32](d, 20, Options{}); return err },
	} {
		var unsupported *vk.UnsupportedError
		if err := made(); !errors.As(err, &unsupported) || unsupported.Feature != "shaderFloat64" || !strings.Contains(err.Error(), "eigenvalues in float32") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
