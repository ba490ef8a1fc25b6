package spirv

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
)

// accesses is a table for tests, made from the SPIR-V specification: instructions that access
// memory. The key is an instruction's opcode. The value lists the indices of the pointers among the
// instruction's words.
var accesses = map[uint32][]int{
	61: {2}, 62: {0}, 63: {0, 1}, 64: {0, 1}, // load, store, copies
	227: {2}, 228: {0}, 229: {2}, 230: {2}, 231: {2}, 232: {2}, 233: {2}, 234: {2}, // atomics
	235: {2}, 236: {2}, 237: {2}, 238: {2}, 239: {2}, 240: {2}, 241: {2}, 242: {2}, 5614: {2}, 5615: {2}, 6035: {2},
	4457: {2}, 4458: {0}, // cooperative matrices
}

// memoryInstructions counts two kinds of accesses by device address. An access is checked if its
// pointer was made from an integer that a function returned. All other accesses are unchecked.
func memoryInstructions(t *testing.T, code []byte) (checked, unchecked int) {
	t.Helper()
	_, body, err := decode(code)
	if err != nil {
		t.Fatal(err)
	}
	buffers, made := map[uint32]bool{}, map[uint32]instruction{}
	for _, in := range body {
		if in.op == opTypePointer && in.arg(1) == storagePhysicalStorageBuffer {
			buffers[in.arg(0)] = true
		} else if buffers[in.arg(0)] {
			made[in.arg(1)] = in
		}
	}
	calls := map[uint32]bool{}
	for _, in := range body {
		if in.op == opFunctionCall {
			calls[in.arg(1)] = true
		}
	}
	for _, in := range body {
		for _, at := range accesses[in.op] {
			pointer, ok := made[in.arg(at)]
			switch {
			case !ok:
			case pointer.op == opConvertUToPtr && calls[pointer.arg(2)]:
				checked++
			default:
				unchecked++
			}
		}
	}
	return checked, unchecked
}

// In every guarded kernel each access goes through the check, no loop requests to be unrolled, all
// other instructions are unchanged, and the module is valid.
func TestGuardCommitted(t *testing.T) {
	when.Skip(t, when.Quick, "it rewrites every shader")
	tool, _ := filepath.Abs("../../tools/glslc.sh")
	validates := exec.Command(tool, "--available").Run() == nil
	dir := t.TempDir()
	total, rolled := 0, 0
	committed(t, func(t *testing.T, name string, code []byte) {
		_, before := memoryInstructions(t, code)
		guarded, known, err := Guard(code, nil, nil, Watch{0x123456789000, 7})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		total += len(known)
		loops := loopsToUnroll(t, code)
		rolled += loops
		if left := loopsToUnroll(t, guarded); left != 0 {
			t.Errorf("%s: %d loops of %d still ask to be unrolled", name, left, loops)
		}
		// `own` is the number of memory accesses in the check function itself: three loads, one
		// compare-and-swap, and five stores.
		const own = 3 + 1 + 5
		if checked, unchecked := memoryInstructions(t, guarded); len(known) != before || checked != before || unchecked != own {
			t.Errorf("%s: %d accesses, %d known, %d checked, %d not", name, before, len(known), checked, unchecked)
		}
		for i, a := range known {
			if a.Bytes <= 0 || a.Function == "" || a.Of == "" {
				t.Errorf("%s: access %d is %+v", name, i, a)
			}
		}
		sameBesides(t, name, code, guarded)
		if validates {
			path := filepath.Join(dir, name)
			os.WriteFile(path, guarded, 0o666)
			if out, err := exec.Command(tool, "--val", path).CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", name, err, out)
			}
		}
	})
	if total < 100 || rolled == 0 {
		t.Errorf("only %d accesses and %d loops to unroll were seen", total, rolled)
	}
	if !validates {
		t.Log("not validated: the pinned tools are not here")
	}
}

// The function `rolled` removes a loop's requests to unroll, and the operands of these requests.
// The other controls of the loop stay.
func TestGuardRollsLoops(t *testing.T) {
	for _, c := range [][2][]uint32{ // the control and its operands, before and after
		{{0}, {0}},
		{{unroll}, {dontUnroll}},
		{{dontUnroll}, {dontUnroll}},
		{{0x4}, {0x4}},
		{{0x10, 7}, {0x10, 7}},
		{{unroll | 0x4 | 0x8, 5}, {dontUnroll | 0x4 | 0x8, 5}},
		{{peelCount, 3}, {dontUnroll}},
		{{unroll | partialCount, 4}, {dontUnroll}},
		{{0x10 | 0x20 | peelCount | partialCount, 1, 9, 3, 4}, {0x10 | 0x20 | dontUnroll, 1, 9}},
		{{partialCount | 0x10000, 4, 2}, {dontUnroll | 0x10000, 2}}, // with a control of a vendor
		{{partialCount}, {dontUnroll}},                              // the operand is missing
	} {
		before := instruction{opLoopMerge, append([]uint32{100, 101}, c[0]...)}
		was := slices.Clone(before.args)
		if have := rolled(before).args[2:]; !slices.Equal(have, c[1]) || !slices.Equal(before.args, was) {
			t.Errorf("%x became %x, not %x", c[0], have, c[1])
		}
	}
	other := instruction{opLoad, []uint32{tDouble, 300, unroll}}
	if !slices.Equal(rolled(other).args, other.args) {
		t.Error("a load was taken for a loop")
	}
}

func loopsToUnroll(t *testing.T, code []byte) (count int) {
	t.Helper()
	_, body, err := decode(code)
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range body {
		if in.op == opLoopMerge && in.arg(2)&unroll != 0 {
			count++
		}
	}
	return count
}

// sameBesides compares the original module with the guarded module without its additions. Both must
// have the same instructions in the same order. Only these may differ: the pointers of accesses,
// the unrolling of loops, and one further variable in the interface of an entry point.
func sameBesides(t *testing.T, name string, code, guarded []byte) {
	t.Helper()
	header, was, _ := decode(code)
	_, is, _ := decode(guarded)
	bound := header[3]
	next := 0
	for _, in := range is {
		if next == len(was) {
			break
		}
		want := was[next]
		same := in.op == want.op && len(in.args) == len(want.args)
		if in.op == opEntryPoint && len(in.args) == len(want.args)+1 {
			in.args, same = in.args[:len(want.args)], true
		}
		if same {
			args := slices.Clone(in.args)
			for _, at := range accesses[in.op] {
				if args[at] >= bound {
					args[at] = want.args[at]
				}
			}
			if in.op == opLoopMerge && want.args[2] == unroll && args[2] == dontUnroll {
				args[2] = unroll
			}
			same = slices.Equal(args, want.args)
		}
		if same {
			next++
		}
	}
	if next != len(was) {
		t.Errorf("%s: instruction %d, opcode %d, is missing or changed", name, next, was[next].op)
	}
}

func guardable(more func(s *stream)) []byte {
	s := &stream{}
	s.op(opCapability, uint32(CapShader)).op(opMemoryModel, 5348, 1)
	s.named(opEntryPoint, "main", executionModelGLCompute, idMain)
	s.named(opString, "a.comp", 200)
	s.named(opName, "Block", tBlock).named(opMemberName, "at", tBlock, 0).named(opName, "f(u1;", idMain)
	s.op(opDecorate, tArray, decorationArrayStride, 8).op(opMemberDecorate, tBlock, 0, decorationOffset, 0)
	s.types().op(opConstant, tUint, idOne, 0).op(opTypeStruct, tBlock, tArray)
	s.op(opTypePointer, tPointer, storagePhysicalStorageBuffer, tBlock)
	s.op(opTypePointer, tPushPointer, storagePhysicalStorageBuffer, tDouble)
	s.op(opFunction, tVec, idMain, 0, tVec).op(opFunctionParameter, tPointer, idX)
	s.op(opLine, 200, 12, 1)
	s.op(opAccessChain, tPushPointer, idY, idX, idOne, idOne)
	more(s)
	return s.code()
}

func TestGuardNamesTheAccess(t *testing.T) {
	code := guardable(func(s *stream) {
		s.op(opLoad, tDouble, 300, idY, 2, 8).op(opNoLine).op(opStore, idY, 300, 2, 8).op(opCopyMemory, idY, idY, 2, 8)
	})
	_, have, err := Guard(code, nil, nil, Watch{1 << 40, 1})
	at := Access{Bytes: 8, Of: "Block.at", Function: "f"}
	want := []Access{at, at, at, at}
	for i, kind := range []string{"load", "store", "store", "load"} {
		want[i].Kind = kind
	}
	want[0].Line = "a.comp:12"
	if err != nil || !slices.Equal(have, want) {
		t.Errorf("have %+v, %v", have, err)
	}
}

func TestGuardRefusesWhatItCannotCheck(t *testing.T) {
	for name, more := range map[string]func(s *stream){
		"a cooperative matrix":   func(s *stream) { s.op(opCooperativeMatrixLoad, tDouble, 300, idY, idOne) },
		"a copy of unknown size": func(s *stream) { s.op(opCopyMemorySized, idY, idY, idOne) },
		"a type of unknown size": func(s *stream) { s.op(opLoad, tBlock, 300, idX, 2, 8) },
	} {
		if _, _, err := Guard(guardable(more), nil, nil, Watch{1 << 40, 1}); err == nil {
			t.Errorf("%s: not refused", name)
		}
	}
	coherent := guardable(func(s *stream) { s.op(opLoad, tDouble, 300, idY, 2, 8) })
	header, body, _ := decode(coherent)
	body = slices.Insert(body, annotationsEnd(body), instruction{opMemberDecorate, []uint32{tBlock, 0, decorationCoherent}})
	if _, _, err := Guard(encode(header, body), nil, nil, Watch{1 << 40, 1}); err == nil {
		t.Error("a coherent member: not refused")
	}
}

func TestGuardLeavesOthersAlone(t *testing.T) {
	code := shader().types().push(tUint).code()
	guarded, accesses, err := Guard(code, nil, nil, Watch{1 << 40, 1})
	if err != nil || accesses != nil || !slices.Equal(guarded, code) {
		t.Errorf("%d accesses, %v", len(accesses), err)
	}
}
