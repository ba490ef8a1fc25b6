package main

import (
	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/evd"
)

// productsFlags are the flags that say how a solve computes its large matrix products.
type productsFlags struct {
	products string
	moduli   int
}

func (p *productsFlags) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&p.products, "products", evd.ProductsAuto.String(),
		"auto, native or emulated: `HOW` large products are computed, in the\n"+
			"device's double precision or on its integer units")
	f.IntVar(&p.moduli, "moduli", 0,
		"moduli `N` of emulated products for the vectors, 13 to 16 (default: 14);\n"+
			"the reduction has one less, but at least 13")
}

func (p *productsFlags) check(cmd *cobra.Command) error {
	if _, err := evd.ParseProducts(p.products); err != nil {
		return cli.Usage(cmd, "--products: %q is not auto, native or emulated", p.products)
	}
	return nil
}

// chosen returns the value of --products. The method `Check` must have been called before.
func (p *productsFlags) chosen() evd.Products {
	products, _ := evd.ParseProducts(p.products)
	return products
}
