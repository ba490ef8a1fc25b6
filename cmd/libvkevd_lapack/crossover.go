package main

import (
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// crossoverFor returns the smallest orders of problems that are solved on a device. The index is
// the kind of problem. A pair has the orders of a symmetric matrix, because pairs were not measured. A
// device without double precision is used only for dense symmetric matrices and pairs of them.
// It could find singular values in single precision, too, but no such device has been measured.
func crossoverFor(info vk.Info) [4]tuning.Orders {
	of, never := tuning.HostOn(info).LAPACK, tuning.Orders{Values: tuning.Never, Vectors: tuning.Never}
	if !info.Float64() {
		of.Tridiagonal, of.Singular = never, never
	}
	return [4]tuning.Orders{symmetric: of.Symmetric, tridiagonal: of.Tridiagonal, singular: of.Singular, pair: of.Symmetric}
}

// neverBecause completes the sentence that begins with the name of the device: why it solves no
// problem of this kind, if the smallest order is tuning.Never.
func neverBecause(info vk.Info, of kind) string {
	switch {
	case info.Family == "cpu":
		return "is a CPU"
	case of != symmetric && of != pair && !info.Float64():
		return "has no double precision"
	}
	return "is not faster for this problem"
}
