package spirv

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
)

// In every translated kernel each access uses an address that the function translate has returned,
// and no access can lie in two pages. This holds for a table in the push block and for a table at a
// constant address, and also for guarded kernels. The modules that are not guarded and have their
// table in the push block are validated. Of the others, those of two kernels are validated.
func TestTranslateCommitted(t *testing.T) {
	when.Skip(t, when.Quick, "it rewrites every shader")
	tool, _ := filepath.Abs("../../tools/glslc.sh")
	validates := exec.Command(tool, "--available").Run() == nil
	if !validates {
		t.Log("not validated: the pinned tools are not here")
	}
	dir := t.TempDir()
	total := 0
	committed(t, func(t *testing.T, name string, code []byte) {
		guarded, _, err := Guard(code, nil, nil, Watch{0x123456789000, 7})
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range []struct {
			code  []byte
			table PageTable
		}{{code, PageTable{Shift: 20, Push: 256}}, {code, PageTable{Shift: 20, Address: 1 << 40}}, {guarded, PageTable{Shift: 20, Push: 256}}} {
			_, before := memoryInstructions(t, c.code)
			translated, err := TranslateAddresses(c.code, nil, nil, c.table)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				return
			}
			if before == 0 {
				continue
			}
			// The function translate itself loads from the table.
			checked, unchecked := memoryInstructions(t, translated)
			if checked < before || unchecked != 1 {
				t.Errorf("%s, %d: %d accesses, %d translated, %d not", name, i, before, checked, unchecked)
			}
			total += checked
			aligned(t, name, translated)
			if validates && (i == 0 || name == "gemm.spv" || name == "stedc_deflate.spv") {
				path := filepath.Join(dir, name)
				os.WriteFile(path, translated, 0o666)
				if out, err := exec.Command(tool, "--val", path).CombinedOutput(); err != nil {
					t.Errorf("%s, %d: %v\n%s", name, i, err, out)
				}
			}
		}
	})
	if total < 300 {
		t.Errorf("only %d accesses were seen", total)
	}
}

// aligned checks that no load or store by device address has more bytes than its alignment.
func aligned(t *testing.T, name string, code []byte) {
	t.Helper()
	header, body, err := decode(code)
	if err != nil {
		t.Fatal(err)
	}
	a := followAddresses(header, body, nil, nil)
	for _, in := range body {
		a.follow(in)
		if in.op != opLoad && in.op != opStore {
			continue
		}
		for _, touch := range a.operands(in) {
			bytes, err := a.extent(a.pointee(in.arg(touch.pointer)), 0)
			how := memoryOperands(in)
			if err != nil || len(how) < 2 || how[0]&memoryAligned == 0 || bytes > int(how[1]) {
				t.Errorf("%s: opcode %d of %d bytes, operands %v, %v", name, in.op, bytes, how, err)
			}
		}
	}
}

// pageable returns a module with a push block, a pointer idX to a block and a pointer idY to one
// number of the block. `more` appends instructions to its function.
func pageable(more func(s *stream)) []byte {
	return guardable(func(s *stream) {
		// The push block must be declared before the function, which guardable has begun.
		at := slices.IndexFunc(*s, func(in instruction) bool { return in.op == opFunction })
		rest := slices.Clone((*s)[at:])
		*s = (*s)[:at]
		s.op(opTypeStruct, tPush, tUint).op(opMemberDecorate, tPush, 0, decorationOffset, 0)
		s.op(opTypePointer, 300, storagePushConstant, tPush).op(opVariable, 300, idPush, storagePushConstant)
		*s = append(*s, rest...)
		more(s)
	})
}

// The load of a vector of two doubles, aligned to 8 bytes, becomes two loads and a construction
// with the id of the vector. The store becomes two extractions and two stores. All keep the
// other memory operands. Accesses that are aligned to their size are not split.
func TestTranslateSplits(t *testing.T) {
	const pair, nonprivate = 301, 0x20
	for _, c := range []struct {
		align                                   uint32
		loads, stores, constructions, extracted int
	}{{8, 2, 2, 1, 2}, {16, 1, 1, 0, 0}, {32, 1, 1, 0, 0}} {
		code := pageable(func(s *stream) {
			s.op(opTypePointer, 400, storagePhysicalStorageBuffer, tVec)
			s.op(opConvertUToPtr, 400, 302, idOne)
			s.op(opLoad, tVec, pair, 302, memoryAligned|nonprivate, c.align)
			s.op(opStore, 302, pair, memoryAligned|nonprivate, c.align)
		})
		// The type of the pointer must be declared before the function.
		header, body, _ := decode(code)
		at := slices.IndexFunc(body, func(in instruction) bool { return in.op == opTypePointer && in.arg(0) == 400 })
		typ := body[at]
		body = slices.Insert(slices.Delete(body, at, at+1), slices.IndexFunc(body, func(in instruction) bool { return in.op == opFunction }), typ)
		translated, err := TranslateAddresses(encode(header, body), nil, nil, PageTable{Shift: 16, Push: 8})
		if err != nil {
			t.Fatal(err)
		}
		_, is, _ := decode(translated)
		have := map[uint32]int{}
		for _, in := range is {
			how := memoryOperands(in)
			switch {
			case in.op == opLoad && len(how) > 0 && how[0]&nonprivate != 0, in.op == opStore:
				have[in.op]++
				if how[0] != memoryAligned|nonprivate || how[1] != c.align {
					t.Errorf("alignment %d: operands %v", c.align, how)
				}
			case in.op == opCompositeExtract, in.op == opCompositeConstruct && in.arg(1) == pair:
				have[in.op]++
			}
		}
		if have[opLoad] != c.loads || have[opStore] != c.stores || have[opCompositeConstruct] != c.constructions || have[opCompositeExtract] != c.extracted {
			t.Errorf("alignment %d: %v", c.align, have)
		}
	}
}

func TestTranslateRefuses(t *testing.T) {
	table := PageTable{Shift: 16, Push: 8}
	load := func(operands ...uint32) func(s *stream) {
		return func(s *stream) { s.op(opLoad, append([]uint32{tDouble, 300, idY}, operands...)...) }
	}
	if _, err := TranslateAddresses(pageable(load(2, 8)), nil, nil, table); err != nil {
		t.Errorf("a load: %v", err)
	}
	for name, more := range map[string]func(s *stream){
		"a cooperative matrix":   func(s *stream) { s.op(opCooperativeMatrixLoad, tDouble, 300, idY, idOne) },
		"a copy of unknown size": func(s *stream) { s.op(opCopyMemorySized, idY, idY, idOne) },
		"a type of unknown size": func(s *stream) { s.op(opLoad, tBlock, 300, idX, 2, 8) },
		"no alignment":           load(),
		"half an alignment":      load(2, 4),
	} {
		if _, err := TranslateAddresses(pageable(more), nil, nil, table); err == nil {
			t.Errorf("%s: not refused", name)
		}
	}
	header, body, _ := decode(pageable(load(2, 8)))
	body = slices.Insert(body, annotationsEnd(body), instruction{opMemberDecorate, []uint32{tBlock, 0, decorationCoherent}})
	if _, err := TranslateAddresses(encode(header, body), nil, nil, table); err == nil {
		t.Error("a coherent member: not refused")
	}
	for _, wrong := range []PageTable{{Shift: 16}, {Shift: 16, Push: 12}} {
		if _, err := TranslateAddresses(pageable(load(2, 8)), nil, nil, wrong); err == nil {
			t.Errorf("a table at %d of the push block: not refused", wrong.Push)
		}
	}
	if _, err := TranslateAddresses(guardable(load(2, 8)), nil, nil, table); err == nil {
		t.Error("no push block: not refused")
	}
	plain := shader().types().push(tUint).code()
	if same, err := TranslateAddresses(plain, nil, nil, table); err != nil || !slices.Equal(same, plain) {
		t.Errorf("a module without accesses: %v", err)
	}
}

// Addresses of a device are not virtual: addresses of 48 and of 57 bits, sign-extended to 64 bits
// or not.
func TestVirtual(t *testing.T) {
	for address, want := range map[uint64]bool{
		0: false, 256: false, 1<<47 - 1: false, 1<<57 - 1: false, 0xffff800000000000: false, ^uint64(0): false,
		VirtualBase: true, VirtualBase + 1<<50: true, VirtualBase - 1: false, 1 << 63: false,
	} {
		if Virtual(address) != want {
			t.Errorf("%#x: %v", address, !want)
		}
	}
}
