package trials

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/product/emulated"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/internal/driver"
)

// TestEveryKernelMayBeRefused makes plans of all kinds on Dry devices. For each plan, one kernel
// after another is refused, as by a device that cannot run it. The constructor must return this
// error: a plan without one of its kernels would fail in its first call.
func TestEveryKernelMayBeRefused(t *testing.T) {
	when.Skip(t, when.Slow, "no device")
	info := device(t, vk.Options{}).Info()
	without := info
	without.Features = slices.DeleteFunc(slices.Clone(info.Features), func(f string) bool { return f == "shaderFloat64" })
	all, refused := plans(), errors.New("refused")
	defer func() { driver.Refuse = nil }()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		info := info
		if all[name].withoutFloat64 {
			info = without
		}
		first, second := card(info), card(info)
		var built []string
		refuse := -1
		driver.Refuse = func(kernel string) error {
			built = append(built, kernel)
			if len(built)-1 == refuse {
				return refused
			}
			return nil
		}
		p, err := all[name].make(first, second)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		p.Close()
		kernels := built
		if len(kernels) < 3 {
			t.Errorf("%s has %d kernels", name, len(kernels))
		}
		for k := range kernels {
			built, refuse = nil, k
			if _, err := all[name].make(first, second); !errors.Is(err, refused) {
				t.Errorf("%s: kernel %d of %d, %s, was refused: %v", name, k, len(kernels), kernels[k], err)
			}
		}
	}
}

// card returns a Dry device on which emulated products are right and fast.
func card(info vk.Info) *vk.Device {
	d := vk.Dry(info)
	emulated.Facts{Native: 1e12, Emulated: 15e12, Bytes: 2e14, Right: true}.Keep(d)
	return d
}
