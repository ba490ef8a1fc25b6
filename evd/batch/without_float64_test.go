package batch_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/evd/batch"
	"github.com/vkevd/vkevd/vk"
)

// TestWithoutFloat64 checks that a plan for batches of float64 or complex128 names the missing
// feature, and the type that the device has.
func TestWithoutFloat64(t *testing.T) {
	d, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE"), Without: []string{"shaderFloat64"}})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var unsupported *vk.UnsupportedError
	if _, err := batch.NewPlan[float64](d, 10, 3, batch.Options{}); !errors.As(err, &unsupported) || unsupported.Feature != "shaderFloat64" {
		t.Error(err)
	} else if want := d.Info().Name + ": shaderFloat64: needs yes, has no: this device computes in single precision only; solve the batch in float32 there"; err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
	if _, err := batch.NewPlan[complex128](d, 10, 3, batch.Options{}); !errors.As(err, &unsupported) || !strings.HasSuffix(err.Error(), "; solve the batch in complex64 there") {
		t.Error(err)
	}
}
