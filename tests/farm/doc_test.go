// Package farm compiles the kernels with the compilers of GPUs that this machine does not have.
//
// Mesa's driver for AMD (RADV) makes a device for any GPU whose name is in the environment variable
// RADV_FORCE_FAMILY. Such a null device runs nothing. Its compiler (ACO) is the one for that GPU, and
// tells what it made of each kernel: registers, shared memory, scratch memory, estimates of time.
//
//	chips_test.go     the GPUs; a process for each, as a process compiles for one GPU only
//	variants_test.go  the tables of sizes that each GPU is given
//	kernels_test.go   the plans and stages that are built with a table
//	farm_test.go      what must hold for each kernel
//	table_test.go     docs/amd-static.md
//	intel_test.go     a GPU of Intel, with a stand-in for the kernel's driver
//	devices_test.go   what users see of a null device
package farm
