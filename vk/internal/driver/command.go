package driver

// #include "shim.h"
import "C"

// Command is one entry of a batch. It has the memory layout of vke_command in C. Op tells which of
// the other members are used.
type Command struct {
	Op uint32

	// Word is the value of a fill, or the number of a timestamp.
	Word uint32

	// A and B are handles: the pipeline and its layout, or the destination and the source. Offsets
	// and Size are in bytes.
	A, B             uint64
	OffsetA, OffsetB uint64
	Size             uint64

	// Groups is the grid of a dispatch.
	Groups [3]uint32

	// Push and PushSize are the place and size of a dispatch's push constants among those of the
	// batch, in bytes.
	Push, PushSize uint32

	_ uint32
}

// These are the values of Command.Op.
const (
	OpDispatch  = C.VKE_DISPATCH  // A pipeline, B layout
	OpBarrier   = C.VKE_BARRIER   // full compute and transfer barrier
	OpFill      = C.VKE_FILL      // A buffer at OffsetA, Size bytes of Word
	OpCopy      = C.VKE_COPY      // A at OffsetA from B at OffsetB
	OpTimestamp = C.VKE_TIMESTAMP // into query Word
)

// Raw is the buffer's handle, in the form of Command.A and B.
func (b *Buffer) Raw() uint64 { return uint64(raw(b.handle)) }

// commandSize is the size of vke_command in C. Command must have the same size.
const commandSize = C.sizeof_vke_command
