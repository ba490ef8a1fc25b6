// Package plan has what all plans of packages evd, svd, pencil and batch have in common, whatever
// problem they solve: device memory and its lock, the call in flight, another attempt after a
// failed wait (retry.go), certificates, progress, and work on several devices. The files are:
//
//	base.go         Base: device, order, memory, lock
//	call.go         Call, one call in flight: recordings, INFO words, profile
//	host.go         work of a call on the host
//	retry.go        further attempts after a wait has failed, or products have refused a matrix
//	replaceable.go  stages that such an attempt replaces
//	verify.go       results with certificates: the second solve on the safe path, ratios
//	progress.go     progress of recordings → operations done in the whole solve; forecasts
//	memory.go       host memory for results, allocated while the device computes
//	devices.go      several devices: the option, names in errors, a problem that they solve together
//	parallel.go     work of several devices at the same time
//	scan.go         entries that are not finite
//	overflow.go     values that are too large for the result
//	dense.go        matrices of callers: evd.Dense
//	parts.go        complex numbers as twice as many real ones
//	open.go         the best device, for functions that solve one matrix
//	pairs.go        errors about one matrix of a pair
//	errors.go       errors that plans have in common
package plan
