package vk

import "fmt"

// OutOfRangeError is the first access of a Run that touched memory which is in no region of an open
// arena. Only a device with Options.DebugShaders looks for them. Where several
// invocations go astray at once, it is one of the first.
type OutOfRangeError struct {
	Kernel     string
	Access     string // "load", "store" or "atomic"
	Bytes      int
	Of         string    // what the shader calls it, "MatrixIn.at"
	Function   string    // of the shader, where it stands
	Line       string    // "file:line" where the shader was compiled with lines, else ""
	Invocation [3]uint32 // gl_GlobalInvocationID
	Address    uint64

	Region string // the nearest one; "" if there is none
	Size   uint64 // of the region, in bytes
	Offset int64  // of the access from the region's beginning, in bytes
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

// place is where the access is in respect of the nearest region.
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
		return fmt.Sprintf("the last %d of them behind the end of region %q", uint64(end)-e.Size, e.Region)
	}
	return fmt.Sprintf("%d bytes behind the end of region %q", uint64(e.Offset)-e.Size, e.Region)
}

// nullBytes is how far an address counts as one that was never set.
const nullBytes = 1 << 16

// locate finds the nearest region.
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
