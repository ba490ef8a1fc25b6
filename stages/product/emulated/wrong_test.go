package emulated_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/stages/product/emulated"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// TestWrongUnitsAreRefused checks a device on which the golden product (the test product with known
// bits) is wrong. The rates are then not measured. Plans that ask for emulated products must be
// refused, by this process and by later ones with the same folder of facts, and a plan that may
// choose must have native products.
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
	end := emulated.ComputesWrongly()
	f, err := emulated.Measured(ctx, dev, tuning.On(dev.Info()).Products)
	end()
	if err != nil || f.Right || f.Fault == "" {
		t.Fatalf("%+v, %v", f, err)
	}
	for _, dev := range []*vk.Device{dev, open()} {
		choice, err := emulated.Force(ctx, dev, tuning.On(dev.Info()).Products)
		refused := (*vk.UnsupportedError)(nil)
		if !errors.As(err, &refused) || !strings.Contains(refused.Have, f.Fault) {
			t.Errorf("forced: %+v, %v", choice, err)
		}
		for name, plan := range map[string]func() error{
			"eigenvalues": func() error {
				_, err := evd.NewPlan[float64](dev, 64, evd.Options{Products: evd.ProductsEmulated})
				return err
			},
			"refinement": func() error {
				_, err := evd.NewRefinePlan(dev, 64, evd.Options{Products: evd.ProductsEmulated})
				return err
			},
			"singular values": func() error {
				_, err := svd.NewPlan[float64](dev, 64, 64, svd.Options{Products: evd.ProductsEmulated})
				return err
			},
		} {
			if err := plan(); !errors.As(err, &refused) {
				t.Errorf("%s: a plan with emulated products: %v", name, err)
			}
		}
		plan, err := evd.NewPlan[float64](dev, evd.AutoOrder, evd.Options{})
		if err != nil || plan.Emulated() {
			t.Errorf("a plan that may choose: emulated, or %v", err)
		}
		plan.Close()
	}
	info := vk.Info{Type: "discrete", Subgroup: 32, FastDots: true, Features: []string{"shaderIntegerDotProduct"}}
	dry := vk.Dry(info)
	f.Keep(dry)
	if c := emulated.Chosen(dry); c.Emulated || !strings.Contains(c.Why, f.Fault) {
		t.Errorf("chosen by stored facts: %v", c)
	}
}
