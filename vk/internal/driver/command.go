package driver

// #include "shim.h"
import "C"

// Command is one entry of a batch. It has the memory layout of the C structure vke_command. Op
// determines which of the other members are used.
type Command struct {
	Op   uint32
	Word uint32 // the value of a fill, or the number of a timestamp

	// A and B are handles. In a dispatch they are the pipeline and its layout, otherwise the
	// destination buffer and the source buffer. Offsets and Size are in bytes.
	A, B             uint64
	OffsetA, OffsetB uint64
	Size             uint64

	Groups         [3]uint32 // the grid of a dispatch
	Push, PushSize uint32    // place of its push constants among those of the batch, and size, in bytes
	_              uint32
}

// These are the values of Command.Op. The comments say what the members A, B and Word are.
const (
	OpDispatch  = C.VKE_DISPATCH  // A pipeline, B layout
	OpBarrier   = C.VKE_BARRIER   // barrier between the commands before and after it
	OpFill      = C.VKE_FILL      // writes Word to Size bytes of buffer A from OffsetA on
	OpCopy      = C.VKE_COPY      // copies Size bytes from buffer B at OffsetB to buffer A at OffsetA
	OpTimestamp = C.VKE_TIMESTAMP // writes timestamp number Word
)

func (b *Buffer) Raw() uint64 { return uint64(raw(b.handle)) }

// commandSize is the size of the C structure vke_command, and must be that of the Go type Command.
const commandSize = C.sizeof_vke_command

// MaxGroups is the number of workgroups that every device accepts in one dimension of a grid
// (maxComputeWorkGroupCount). Tests lower it, so that the grids of small problems become
// two-dimensional (vk.Folded).
var MaxGroups = 65535
