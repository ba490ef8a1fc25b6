package vk

import "fmt"

// OutOfRangeError describes the first access of a Run to memory outside of all regions of open
// arenas. Only a device with Options.DebugShaders finds such accesses. If several invocations make
// such accesses at the same time, the error describes one of them.
type OutOfRangeError struct {
	// Kernel is the name of the kernel.
	Kernel string

	// Access is the kind of access: "load", "store" or "atomic". Bytes is its size.
	Access string
	Bytes  int

	// Of is the name of the accessed memory in the shader, such as "MatrixIn.at". Function is the
	// function of the shader that contains the access. Line is "file:line" if the shader was
	// compiled with line numbers, otherwise "".
	Of, Function, Line string

	// Invocation is the gl_GlobalInvocationID of the invocation that made the access.
	Invocation [3]uint32

	// Address is the device address of the access.
	Address uint64

	// Region is the name of the region that is nearest to the access, or "" if there are no
	// regions. Size is the size of the region. Offset is the distance of the access from the
	// beginning of the region. Size and Offset are in bytes.
	Region string
	Size   uint64
	Offset int64
}

func (e *OutOfRangeError) Error() string {
	s := fmt.Sprintf("%s of %d bytes", e.Access, e.Bytes)
	if e.Of != "" {
		s += " of " + e.Of
	}
	if e.Function != "" {
		s += " in " + e.Function
	}
	if e.Line != "" {
		s += " (" + e.Line + ")"
	}
	i := e.Invocation
	return fmt.Sprintf("%s, %s (invocation %d,%d,%d)", s, e.place(), i[0], i[1], i[2])
}

func (e *OutOfRangeError) place() string {
	end := e.Offset + int64(e.Bytes)
	switch {
	case e.Address < nullBytes:
		return fmt.Sprintf("%d bytes from the null address", e.Address)
	case e.Region == "":
		return fmt.Sprintf("at %#x, and there is no region", e.Address)
	case e.Offset < 0:
		return fmt.Sprintf("%d bytes before the beginning of region %q", -e.Offset, e.Region)
	case uint64(e.Offset) < e.Size:
		return fmt.Sprintf("the last %d of them past the end of region %q", uint64(end)-e.Size, e.Region)
	}
	return fmt.Sprintf("%d bytes past the end of region %q", uint64(e.Offset)-e.Size, e.Region)
}

// nullBytes is the end of the addresses that are reported as addresses that were never set.
const nullBytes = 1 << 16

func (e *OutOfRangeError) locate(arenas []*Arena) {
	nearest := ^uint64(0)
	for _, a := range arenas {
		for _, r := range a.names {
			from, to := r.addr, r.addr+r.Bytes
			far := uint64(0)
			if e.Address < from {
				far = from - e.Address
			} else if e.Address >= to {
				far = e.Address - to
			}
			if far < nearest {
				nearest = far
				e.Region, e.Size, e.Offset = r.Name, r.Bytes, int64(e.Address-from)
			}
		}
	}
}
