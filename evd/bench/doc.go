// Package bench, internal to vkevd, measures the solver's stages one by one, on random input, by
// the device's own clock.
//
// A measurement is one stage at one size. It has device memory of its own. Its input is made on the
// device, anew before each run. The runs of all measurements alternate, so that a device that
// becomes slower slows all of them. The device is kept busy before the first run, and for a moment
// before each run, because it is slow when it is cold and fast after a pause.
//
// Rates are nominal: the operations that the stage's Flops declares, and the bytes that any method
// must move, divided by the time. Each row also has the device's peaks, measured in the same
// process: the rate of fused multiply-adds alone, and that of copying alone.
//
//	bench.go        Options, Bench, Measure, Profile
//	load.go         one measurement: memory, input, recording, check of the result
//	turns.go        the order of runs
//	row.go          what is reported
//	peaks.go        the device's peaks
//	products.go … solver.go   the stages
//	kernels.go      what the driver's compiler says about kernels
package bench
