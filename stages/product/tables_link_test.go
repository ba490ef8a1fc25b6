package product_test

import (
	"os"
	"testing"

	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

func TestMain(m *testing.M) {
	family := func(name string) product.Tuning { return tuning.On(vk.Info{Family: name}).Products }
	product.Tables.NVIDIA, product.Tables.CPU, product.Tables.Other = family("nvidia"), family("cpu"), family("other")
	product.Tables.Smallest = tuning.Smallest().Products
	product.Tables.Device = tuning.On(stagetest.Info()).Products
	os.Exit(m.Run())
}
