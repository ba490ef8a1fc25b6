package spirv

import (
	"slices"
	"strings"
	"testing"
)

// Opcodes from firstGroupNonUniform to lastGroupNonUniform are operations of subgroups. Those from
// firstAtomic to lastAtomic are atomic operations.
const (
	firstGroupNonUniform, lastGroupNonUniform = 333, 366
	firstAtomic, lastAtomic                   = 227, 242
)

// TestNoImplicitFeatures checks that no kernel needs a feature of Vulkan that SPIR-V has no
// capability for. vk.Build cannot refuse such a kernel, and no device is asked for these features:
//
//	shaderSubgroupExtendedTypes  subgroup operations on integers of 8, 16 or 64 bits, or on halves
//	shaderSharedInt64Atomics     atomic operations on 64-bit integers in shared memory
//
// Doubles in operations of subgroups need only shaderFloat64, which a capability stands for.
func TestNoImplicitFeatures(t *testing.T) {
	groups, atomics := 0, 0
	committed(t, func(t *testing.T, name string, code []byte) {
		_, body, err := decode(code)
		if err != nil {
			t.Fatal(name, err)
		}
		found, g, a := implicit(body)
		groups, atomics = groups+g, atomics+a
		for _, what := range found {
			t.Errorf("%s: %s", name, what)
		}
	})
	if groups == 0 || atomics == 0 {
		t.Errorf("%d operations of subgroups and %d atomic operations: the test sees nothing", groups, atomics)
	}
}

// TestImplicit checks that the test above finds each of the two features in a module that needs it,
// and nothing in a module that does not.
func TestImplicit(t *testing.T) {
	const shuffle, atomicAdd, tLong, tShared, shared, member = 345, 234, 200, 201, 202, 203
	for _, c := range []struct {
		typ     uint32
		storage uint32
		want    []string
	}{
		{tUint, storageWorkgroup, nil},
		{tLong, storageWorkgroup, []string{"a subgroup exchanges uint64", "an atomic operation on uint64 in shared memory"}},
		{tLong, storagePushConstant, []string{"a subgroup exchanges uint64"}},
	} {
		s := shader().types().op(opTypeInt, tLong, 64, 0).op(opTypePointer, tShared, c.storage, c.typ).
			op(opVariable, tShared, shared, c.storage).op(opAccessChain, tShared, member, shared).
			op(shuffle, c.typ, idX, 0, idY, idOne).op(atomicAdd, c.typ, idY, member, 0, 0, idX)
		found, groups, atomics := implicit(*s)
		if !slices.Equal(found, c.want) || groups != 1 || atomics != 1 {
			t.Errorf("%d, storage class %d: %q", c.typ, c.storage, found)
		}
	}
}

// implicit lists the implicit features that a module needs, and counts the operations that it has
// examined.
func implicit(body []instruction) (found []string, groups, atomics int) {
	p := collect(body)
	pointers := map[uint32]uint32{} // the types of pointers, by id
	for _, in := range body {
		switch {
		case in.op == opVariable || in.op == opAccessChain || in.op == opInBoundsAccessChain || in.op == opFunctionParameter:
			pointers[in.arg(1)] = in.arg(0)
		case in.op >= firstGroupNonUniform && in.op <= lastGroupNonUniform:
			groups++
			if k := p.scalar(element(p, in.arg(0))); slices.Contains([]Kind{Half, Int8, Uint8, Int16, Uint16, Int64, Uint64}, k) {
				found = append(found, "a subgroup exchanges "+string(k))
			}
		case in.op >= firstAtomic && in.op <= lastAtomic && in.op != opAtomicStore:
			atomics++
			storage := p.defs[pointers[in.arg(2)]].arg(1)
			if k := p.scalar(in.arg(0)); storage == storageWorkgroup && strings.HasSuffix(string(k), "64") {
				found = append(found, "an atomic operation on "+string(k)+" in shared memory")
			}
		}
	}
	return found, groups, atomics
}

// element returns the type of the components of a vector type, and any other type itself.
func element(p *parsed, typ uint32) uint32 {
	if in := p.defs[typ]; in.op == opTypeVector {
		return in.arg(1)
	}
	return typ
}
