package emulated_test

import (
	"os"
	"testing"

	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/product/emulated"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

func TestMain(m *testing.M) {
	emulated.Tables = map[string]product.Emulation{"smallest": tuning.Smallest().Products.Emulated}
	for _, family := range []string{"nvidia", "cpu", "other"} {
		emulated.Tables[family] = tuning.On(vk.Info{Family: family}).Products.Emulated
	}
	os.Exit(m.Run())
}
