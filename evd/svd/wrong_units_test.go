package svd_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/stages/product/emulated"
	"github.com/vkevd/vkevd/vk"
)

// TestPlansRefuseWrongUnits checks plans on a device whose stored facts say that its integer units
// compute wrongly. Plans that ask for emulated products must be refused, by this process and by
// later ones with the same folder of facts, and a plan that may choose must have native products.
// TestWrongUnitsAreRefused of package emulated checks how such facts arise.
func TestPlansRefuseWrongUnits(t *testing.T) {
	folder := t.TempDir()
	open := func() *vk.Device {
		dev, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE"), CacheDir: folder})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { dev.Close() })
		return dev
	}
	dev := open()
	wrong := emulated.Facts{}
	wrong.Keep(dev)
	for _, dev := range []*vk.Device{dev, open()} {
		for name, plan := range map[string]func() error{
			"eigenvalues": func() error {
				_, err := evd.NewPlan[float64](dev, 64, evd.Options{Products: evd.ProductsEmulated})
				return err
			},
			"refinement": func() error {
				_, err := evd.NewRefinePlan[float64](dev, 64, evd.Options{Products: evd.ProductsEmulated})
				return err
			},
			"singular values": func() error {
				_, err := svd.NewPlan[float64](dev, 64, 64, svd.Options{Products: evd.ProductsEmulated})
				return err
			},
		} {
			refused := (*vk.UnsupportedError)(nil)
			if err := plan(); !errors.As(err, &refused) || !strings.Contains(refused.Have, "wrong") {
				t.Errorf("%s: a plan with emulated products: %v", name, err)
			}
		}
		plan, err := evd.NewPlan[float64](dev, evd.AutoOrder, evd.Options{})
		if err != nil || plan.Emulated() {
			t.Fatalf("a plan that may choose: emulated, or %v", err)
		}
		plan.Close()
	}
}
