package spirv

import (
	"bytes"
	"reflect"
	"testing"
)

// sharing returns a test module with shared memory and one function. The argument `more` appends
// instructions to this function. The type tPointer points to a shared array, tPushPointer to one
// double of this array, and tBlock to a double in a buffer. The ids 401 to 405 are the constants
// below; constant 401 is a scope.
func sharing(capability Capability, more func(s *stream)) *stream {
	s := &stream{}
	s.op(opCapability, uint32(capability)).op(opMemoryModel, 5348, memoryModelVulkan)
	s.named(opEntryPoint, "main", executionModelGLCompute, idMain)
	s.types().op(opTypePointer, tPointer, storageWorkgroup, tArray).op(opTypePointer, tPushPointer, storageWorkgroup, tDouble)
	s.op(opTypePointer, tBlock, storagePhysicalStorageBuffer, tDouble)
	for i, value := range []uint32{2, 0x108, 0x48, 0x104, 0x102} {
		s.op(opConstant, tUint, 401+uint32(i), value)
	}
	s.op(opVariable, tPointer, idX, storageWorkgroup)
	s.op(opFunction, tVec, idMain, 0, tVec).op(opFunctionParameter, tBlock, 500)
	s.op(opAccessChain, tPushPointer, idY, idX, idOne)
	more(s)
	return s
}

func TestSharedAtBarriers(t *testing.T) {
	const aligned, visible, available, nonPrivate = memoryAligned, memoryMakePointerVisible, memoryMakePointerAvailable, 0x20
	code, err := SharedAtBarriers(sharing(CapVulkanMemoryModel, func(s *stream) {
		s.op(opLoad, tDouble, 300, idY, visible|nonPrivate, 401).op(opLoad, tDouble, 301, idY, aligned|visible|nonPrivate, 8, 401)
		s.op(opStore, idY, 300, available|nonPrivate, 401).op(opStore, idY, 300, aligned|available|nonPrivate, 8, 401)
		s.op(opStore, idX, 300).op(opLoad, tDouble, 302, idX)
		s.op(opLoad, tDouble, 303, 500, aligned|visible|nonPrivate, 8, 401).op(opStore, 500, 303, aligned|available|nonPrivate, 8, 401)
		s.op(opControlBarrier, 401, 401, 402).op(opControlBarrier, 401, 401, 403).op(opMemoryBarrier, 401, 404).op(opMemoryBarrier, 401, 405)
	}).code())
	if err != nil {
		t.Fatal(err)
	}
	const new = 1000 // first unused id
	want := sharing(CapVulkanMemoryModel, func(s *stream) {
		s.op(opLoad, tDouble, 300, idY, nonPrivate).op(opLoad, tDouble, 301, idY, aligned|nonPrivate, 8)
		s.op(opStore, idY, 300, nonPrivate).op(opStore, idY, 300, aligned|nonPrivate, 8)
		s.op(opStore, idX, 300).op(opLoad, tDouble, 302, idX)
		s.op(opLoad, tDouble, 303, 500, aligned|visible|nonPrivate, 8, 401).op(opStore, 500, 303, aligned|available|nonPrivate, 8, 401)
		s.op(opControlBarrier, 401, 401, new).op(opControlBarrier, 401, 401, 403).op(opMemoryBarrier, 401, new+1).op(opMemoryBarrier, 401, new+2)
	})
	header, have, err := decode(code)
	if err != nil || header[3] != new+3 {
		t.Fatalf("bound %d, %v", header[3], err)
	}
	at := indexOf(*want, opFunction)
	for i, value := range []uint32{0x6108, 0x2104, 0x4102} {
		if made := (instruction{opConstant, []uint32{tUint, new + uint32(i), value}}); !reflect.DeepEqual(have[at+i], made) {
			t.Errorf("%v where %v should be", have[at+i], made)
		}
	}
	if got := have[at+3:]; !reflect.DeepEqual(got, []instruction((*want)[at:])) {
		t.Errorf("the function became\n%v, not\n%v", got, (*want)[at:])
	}
}

func indexOf(s stream, op uint32) int {
	for i, in := range s {
		if in.op == op {
			return i
		}
	}
	return len(s)
}

// Modules without the Vulkan memory model have no memory operands for availability and visibility,
// and SharedAtBarriers returns them unchanged.
func TestSharedAtBarriersOfOtherModels(t *testing.T) {
	code := sharing(CapShader, func(s *stream) { s.op(opControlBarrier, 401, 401, 402) }).code()
	if got, err := SharedAtBarriers(code); err != nil || !bytes.Equal(got, code) {
		t.Errorf("changed, or %v", err)
	}
}

// In the kernels of the repository, no single access makes shared memory available or visible.
func TestCommittedShareAtBarriers(t *testing.T) {
	committed(t, func(t *testing.T, name string, code []byte) {
		again, err := SharedAtBarriers(code)
		if err != nil || !bytes.Equal(again, code) {
			t.Errorf("%s: committed without the pass, or the pass is not idempotent (%v)", name, err)
		}
	})
}
