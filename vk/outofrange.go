package vk

import "fmt"

// OutOfRangeError is the first access of a Run to memory outside of all regions of open arenas.
// Only a device with Options.DebugShaders looks for such accesses. Where several invocations make
// one at the same time, it is one of the first.
type OutOfRangeError struct {
	// Kernel is its name.
	Kernel string

	// Access is "load", "store" or "atomic"; Bytes is its size.
	Access string
	Bytes  int

	// Of is the shader's name of what is accessed, "MatrixIn.at". Function is the function of the
	// shader with the access. Line is "file:line" if the shader was compiled with lines, else "".
	Of, Function, Line string

	// Invocation is gl_GlobalInvocationID.
	Invocation [3]uint32

	// Address is the device address.
	Address uint64

	// Region is the nearest region, "" if there is none. Size is its size, and Offset is that of
	// the access from its beginning, in bytes.
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

// place says where the access is relative to the nearest region.
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

// nullBytes is the number of addresses that count as one that was never set.
const nullBytes = 1 << 16

// locate finds the nearest region among those of the arenas.
func (e *OutOfRangeError) locate(arenas []*Arena) {
	nearest := ^uint64(0)
	for _, a := range arenas {
		for _, r := range a.names {
			from := a.address(r.Offset)
			to := from + r.Bytes
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
