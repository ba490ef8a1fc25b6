// Package bench, internal to vkevd, measures the solver's stages one by one, on random input, by
// the device's own clock.
//
// A measurement is one stage with one set of sizes. It has device memory of its own. Input on the
// device is made again before each run. Tridiagonal stages and whole solves have their input on the
// host, the same in each run. The runs of all measurements alternate, so that a device that becomes
// slower with time slows all measurements. The device is kept busy before the first run, and for a
// moment before each run, because the clock rate of an idle device differs from that of a busy one.
//
// Rates are nominal: the operations that the stage's Flops declares, and the bytes that any method
// must move, divided by the time. Each row also has the device's peak rates, measured in the same
// process: the rate of fused multiply-adds alone, and the rate of copying alone.
//
//	bench.go        Options, Bench, Measure, Profile; Row, the result of a measurement
//	load.go         the table of the stages; load, one measurement: memory, input, run, check of the
//	                result; the order of the runs
//	peaks.go        the device's peak rates
//	random.go       random input on the device
//	products.go, factors.go, transformations.go, tridiagonal.go, solver.go   the measurements of the stages
//	kernels.go      the statistics of the driver's compiler about kernels
package bench
