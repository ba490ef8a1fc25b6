package product

import (
	"github.com/vkevd/vkevd/stages/roomtest/tables"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// Tables has the sizes of products from the tables of package tuning. Device has those of the
// device on which the tests run.
var Tables = struct {
	NVIDIA, CPU, Other, Smallest, Device Tuning
}{
	productsFor("nvidia"), productsFor("cpu"), productsFor("other"), productsFor("smallest"),
	tables.On[struct{ Products Tuning }](stagetest.Info()).Products,
}

func productsFor(family string) Tuning {
	return tables.On[struct{ Products Tuning }](vk.Info{Family: family}).Products
}
