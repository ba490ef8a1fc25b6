package main

import (
	"math"

	"github.com/vkevd/vkevd/vk"
)

// orders are the smallest orders of problems that are solved on the device: orders[0] without
// vectors, and orders[1] with vectors.
type orders [2]int

// never, as the smallest order for the device, means that no problem is solved on the device. It is
// larger than the order of any problem.
const never = math.MaxInt32

// crossovers holds, by vk.Info.Family and by kind of problem, the orders from which a device is
// faster than LAPACK, including copies to and from the device. The orders of the entry "" were not
// measured. CPU devices are never faster.
var crossovers = map[string][3]orders{
	"":    {{2048, 2048}, {never, 4096}, {2048, 1024}},
	"cpu": {{never, never}, {never, never}, {never, never}},
}

// h200 was measured on an H200, in comparison with OpenBLAS 0.3.34 on 16 CPU cores of the same
// machine. From the orders of h200 on, the device is faster even for a single problem, which needs
// a new plan. With an existing plan the device is faster from orders between 256 and 512 on.
// docs/drop-in.md has the times. They do not hold for a GH200, whose CPU is another one.
var h200 = [3]orders{{512, 512}, {768, 768}, {512, 512}}

// crossoverFor returns the smallest orders of problems that are solved on a device. The index is
// the kind of problem.
// A device without double precision is used only for dense symmetric matrices. It could find singular
// values in single precision, too, but no such device has been measured.
func crossoverFor(info vk.Info) [3]orders {
	of := measured(info)
	if !info.Float64() {
		of[1], of[2] = orders{never, never}, orders{never, never}
	}
	return of
}

// neverBecause completes the sentence that begins with the name of the device: why it solves no
// problem of this kind, if the smallest order is `never`.
func neverBecause(info vk.Info, of kind) string {
	switch {
	case info.Family == "cpu":
		return "is a CPU"
	case of != symmetric && !info.Float64():
		return "has no double precision"
	}
	return "is not faster for this problem"
}

// measured returns the orders of the tables.
func measured(info vk.Info) [3]orders {
	if info.Named("H200") {
		return h200
	}
	if c, known := crossovers[info.Family]; known {
		return c
	}
	return crossovers[""]
}
