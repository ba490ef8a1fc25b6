package spirv

import "slices"

// SharedAtBarriers rewrites the memory operands for shared memory. In the result, barriers make
// shared memory available and visible, and single accesses do not.
//
// In GLSL shared variables are coherent within the workgroup. Under the Vulkan memory model glslang
// writes this coherence at every load and store. Drivers then put a fence at each access, keep no
// value in a register, and do not combine loads. No kernel of package shaders needs such fences,
// because an invocation reads data of another invocation only after a barrier. SharedAtBarriers
// therefore moves availability and visibility to the barriers that order shared memory. The
// accesses stay non-private.
//
// A module without the Vulkan memory model is returned unchanged. A module that SharedAtBarriers
// has already rewritten is returned unchanged, too.
func SharedAtBarriers(code []byte) ([]byte, error) {
	header, body, err := decode(code)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(collect(body).capabilities, CapVulkanMemoryModel) {
		return code, nil
	}
	shared, values := sharedPointers(body), constants(body)
	add := addTo(header, body)
	for i, in := range body {
		switch in.op {
		case opLoad:
			if shared[in.arg(2)] {
				body[i].args = without(in.args, 3, memoryMakePointerVisible)
			}
		case opStore:
			if shared[in.arg(0)] {
				body[i].args = without(in.args, 2, memoryMakePointerAvailable)
			}
		case opControlBarrier, opMemoryBarrier:
			last := len(in.args) - 1
			if have := values[in.arg(last)]; have&semanticsWorkgroupMemory != 0 {
				body[i].args[last] = add.word(have | available(have))
			}
		}
	}
	return add.encode(header, body), nil
}

// available returns the bits that a barrier needs in addition: a release makes memory available,
// and an acquire makes it visible.
func available(semantics uint32) (more uint32) {
	if semantics&(semanticsRelease|semanticsAcquireRelease) != 0 {
		more |= semanticsMakeAvailable
	}
	if semantics&(semanticsAcquire|semanticsAcquireRelease) != 0 {
		more |= semanticsMakeVisible
	}
	return more
}

// without removes the memory operand `bit` from the arguments `args` of an access. The mask of
// memory operands is args[at]. Each bit of the mask may have one operand, and the operands follow
// the mask in the order of the bits.
func without(args []uint32, at int, bit uint32) []uint32 {
	if len(args) <= at || args[at]&bit == 0 {
		return args
	}
	scope := at + 1
	if args[at]&memoryAligned != 0 {
		scope++
	}
	args = slices.Clone(args)
	args[at] &^= bit
	return slices.Delete(args, scope, scope+1)
}

func sharedPointers(body []instruction) map[uint32]bool {
	types, pointers := map[uint32]bool{}, map[uint32]bool{}
	for _, in := range body {
		switch in.op {
		case opTypePointer:
			types[in.arg(0)] = in.arg(1) == storageWorkgroup
		case opVariable, opAccessChain, opInBoundsAccessChain, opFunctionParameter, opCopyObject:
			pointers[in.arg(1)] = types[in.arg(0)]
		}
	}
	return pointers
}

// constants returns the values of 32-bit constants that are no specialization constants, by id.
func constants(body []instruction) map[uint32]uint32 {
	values := map[uint32]uint32{}
	for _, in := range body {
		if in.op == opConstant {
			values[in.arg(1)] = in.arg(2)
		}
	}
	return values
}
