// Package farm compiles the kernels with the compilers of GPUs that this machine does not have.
//
// Mesa's driver for AMD (RADV) makes a device for any GPU whose name is in the environment variable
// RADV_FORCE_FAMILY. Such a null device runs nothing. Its compiler (ACO) is the compiler for the
// named GPU. For each kernel the compiler reports registers, shared memory, scratch memory, and
// estimates of time.
//
//	chips_test.go     the GPUs, and a process for each, because a process compiles for only one
//	variants_test.go  the tuning tables for each GPU
//	kernels_test.go   the plans and stages that are built with a table
//	farm_test.go      the limits that each kernel must respect
//	table_test.go     docs/data/amd.csv
//	intel_test.go     a GPU of Intel, with a replacement for the driver in the Linux kernel
//	devices_test.go   the output of commands on a null device
package farm
