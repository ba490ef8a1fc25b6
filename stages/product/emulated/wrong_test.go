package emulated_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/product/emulated"
	"github.com/vkevd/vkevd/stages/roomtest/tables"
	"github.com/vkevd/vkevd/vk"
)

// TestWrongUnitsAreRefused checks a device on which the golden product (the test product with known
// bits) is wrong. The rates are then not measured, and emulated products must be refused, by this
// process and by later ones with the same folder of facts. TestPlansRefuseWrongUnits of package svd
// checks the plans on such a device.
func TestWrongUnitsAreRefused(t *testing.T) {
	folder, ctx := t.TempDir(), context.Background()
	open := func() *vk.Device {
		dev, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE"), CacheDir: folder})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { dev.Close() })
		return dev
	}
	dev := open()
	sizes := tables.On[struct{ Products product.Tuning }](dev.Info()).Products
	end := emulated.ComputesWrongly()
	f, err := emulated.Measured[float64](ctx, dev, sizes)
	end()
	if err != nil || f.Right || f.Fault == "" {
		t.Fatalf("%+v, %v", f, err)
	}
	for _, dev := range []*vk.Device{dev, open()} {
		choice, err := emulated.Force[float64](ctx, dev, sizes)
		refused := (*vk.UnsupportedError)(nil)
		if !errors.As(err, &refused) || !strings.Contains(refused.Have, f.Fault) {
			t.Errorf("forced: %+v, %v", choice, err)
		}
	}
	info := vk.Info{Type: "discrete", Subgroup: 32, FastDots: true, Features: []string{"shaderIntegerDotProduct"}}
	dry := vk.Dry(info)
	f.Keep(dry)
	if c := emulated.Chosen[float64](dry); c.Emulated || !strings.Contains(c.Why, f.Fault) {
		t.Errorf("chosen by stored facts: %v", c)
	}
}
