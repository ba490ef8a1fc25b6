// Command libvkevd is the C library: vkevd.h documents its functions. The command to build it is
//
//	make lib        go build -buildmode=c-shared
//
// A call of the library goes through these files:
//
//	vkevd.h        types, functions, documentation
//	entry.c        the functions of vkevd.h: check that no fork() has happened, and call Go
//	handles.go     handles: numbers that stand for devices, plans and tokens
//	errors.go      Go's errors become codes and texts; a panic becomes an error
//	memory.go      the caller's arrays as Go slices, and copies between arrays
//	call.go        progress, tokens, one solve at a time
//	device.go symmetric.go pencil.go svd.go batch.go
//
// Go code keeps no address of C memory after a call, and C code gets no address of Go memory.
package main

// main is never called. Go requires this function in every command.
func main() {}
