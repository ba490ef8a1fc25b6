package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/evd"
)

// options are the solver's, as flags of solve and of plan.
type options struct {
	valuesOnly  bool
	band, block int
}

func (o *options) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.valuesOnly, "values-only", false, "no eigenvectors: less time, less memory")
	f.IntVar(&o.band, "band", 0, "half-bandwidth `B` of the first stage (default: the device's tuning)")
	f.IntVar(&o.block, "block", 0, "rank `K` of its updates, a multiple of the half-bandwidth\n(default: the device's tuning)")
}

func (o *options) evd() evd.Options {
	return evd.Options{Vectors: !o.valuesOnly, Band: o.band, Block: o.block}
}

// aboutOption says in terms of flags what the library says in terms of fields, of
// which there may be several: "Band, Block".
func aboutOption(err *evd.OptionError) error {
	flags := strings.ReplaceAll(strings.ToLower(err.Option), ", ", ", --")
	return fmt.Errorf("--%s: %s", flags, err.Reason)
}
