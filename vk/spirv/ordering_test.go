package spirv

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestOrdering compares the barriers, fences and atomic operations of all kernels with a golden
// file. The file has the order of these instructions in each function, the loops and selections
// that contain them, their scopes and their semantics.
//
// CPU drivers run the invocations of a workgroup in an order that hides most missing barriers.
// Fences that are too weak cause errors only on GPUs, and rarely. No other test finds such errors,
// but a change of a barrier or fence changes the golden file.
func TestOrdering(t *testing.T) {
	var b strings.Builder
	committed(t, func(t *testing.T, name string, code []byte) {
		text, err := ordering(code)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if text != "" {
			fmt.Fprintf(&b, "%s\n%s", strings.TrimSuffix(name, ".spv"), text)
		}
	})
	golden := filepath.Join("testdata", "ordering.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	have, old := strings.Split(b.String(), "\n"), strings.Split(string(want), "\n")
	kernel := ""
	for i, line := range have {
		if line != "" && line[0] != '\t' {
			kernel = line
		}
		if i >= len(old) || line != old[i] {
			t.Fatalf("%s differs from %s, line %d (go test -update, then look at the difference):\n%s",
				kernel, golden, i+1, line)
		}
	}
	if len(old) > len(have) {
		t.Errorf("%s has more lines", golden)
	}
}

// ordering lists, function by function, the instructions that order memory or execution. It also
// lists calls of functions that contain such instructions.
func ordering(code []byte) (string, error) {
	_, body, err := decode(code)
	if err != nil {
		return "", err
	}
	names := collect(body).names
	o := orderings{values: constants(body), text: map[uint32]string{}}
	var order []uint32
	for i, in := range body {
		if in.op == opFunction {
			o.text[in.arg(1)] = ""
			order = append(order, in.arg(1))
			end := i + slices.IndexFunc(body[i:], func(in instruction) bool { return in.op == opFunctionEnd })
			o.bodies = append(o.bodies, body[i:end])
		}
	}
	// The loop makes the list of instructions of every function. The list of a function depends on
	// the lists of the functions that it calls, which may come later. So the loop repeats until no
	// list changes.
	for changed := true; changed; {
		changed = false
		for i, f := range order {
			if text := o.function(o.bodies[i], names); text != o.text[f] {
				o.text[f], changed = text, true
			}
		}
	}
	var b strings.Builder
	for _, f := range order {
		if o.text[f] != "" {
			fmt.Fprintf(&b, "\t%s\n%s", functionName(names[f]), o.text[f])
		}
	}
	return b.String(), nil
}

// functionName returns a function's name in GLSL. glslang appends the types of the parameters to
// the name, and functionName removes them.
func functionName(name string) string {
	name, _, _ = strings.Cut(name, "(")
	return name
}

type orderings struct {
	values map[uint32]uint32
	bodies [][]instruction
	text   map[uint32]string // lists by function; "" if the function orders nothing
}

// function returns the list of one function, one entry per line. Entries inside of loops and
// selections are indented. Loops that contain no entry are left out. For the other loops, the list
// also shows each continue and break inside a selection. Such a jump must be taken by all
// invocations of a workgroup or by none: otherwise some invocations wait at a barrier that the
// others never reach.
func (o *orderings) function(body []instruction, names map[uint32]string) string {
	type block struct {
		end, next uint32 // labels after the block and, for a loop, of its continue target; 0 for a selection
		opens     string
		entries   string
		orders    bool // entries has more than jumps
	}
	stack := []block{{}}
	add := func(format string, a ...any) {
		indent := strings.Repeat("\t", 1+len(stack))
		stack[len(stack)-1].entries += indent + fmt.Sprintf(format, a...) + "\n"
	}
	entry := func(format string, a ...any) {
		add(format, a...)
		stack[len(stack)-1].orders = true
	}
	pop := func() {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if top.orders || top.next == 0 && top.entries != "" {
			add("%s", top.opens)
			stack[len(stack)-1].entries += top.entries
			stack[len(stack)-1].orders = stack[len(stack)-1].orders || top.orders
		}
	}
	// jump adds an entry for a continue or break inside a selection.
	jump := func(to uint32) {
		i := len(stack) - 1
		for i > 0 && stack[i].next == 0 {
			i--
		}
		switch {
		case i == len(stack)-1: // the regular end of a round
		case to == stack[i].next:
			add("continue")
		case to == stack[i].end:
			add("break")
		}
	}
	for _, in := range body {
		switch in.op {
		case opLabel:
			for len(stack) > 1 && stack[len(stack)-1].end == in.arg(0) {
				pop()
			}
		case opLoopMerge:
			stack = append(stack, block{end: in.arg(0), next: in.arg(1), opens: "loop"})
		case opSelectionMerge:
			stack = append(stack, block{end: in.arg(0), opens: "if"})
		case opBranch:
			jump(in.arg(0))
		case opFunctionCall:
			if o.text[in.arg(2)] != "" {
				entry("%s()", functionName(names[in.arg(2)]))
			}
		case opControlBarrier:
			entry("barrier of the %s: %s", o.scope(in.arg(0)), o.memory(in.arg(1), in.arg(2)))
		case opMemoryBarrier:
			entry("fence: %s", o.memory(in.arg(0), in.arg(1)))
		case opAtomicStore:
			entry("atomic store: %s", o.memory(in.arg(1), in.arg(2)))
		default:
			if name := atomics[in.op]; name != "" {
				entry("atomic %s: %s", name, o.memory(in.arg(3), in.arg(4)))
			}
		}
	}
	for len(stack) > 1 {
		pop()
	}
	if !stack[0].orders {
		return ""
	}
	return stack[0].entries
}

var atomics = map[uint32]string{
	opAtomicLoad: "load", opAtomicExchange: "exchange", opAtomicCompareExchange: "compare-exchange",
	232: "increment", 233: "decrement", 234: "add", 235: "subtract", 236: "min", 237: "umin", 238: "max", 239: "umax",
	240: "and", 241: "or", opAtomicXor: "xor", opAtomicFMin: "fmin", opAtomicFMax: "fmax", opAtomicFAdd: "fadd",
}

func (o *orderings) scope(id uint32) string {
	value, found := o.values[id]
	names := []string{"crossdevice", "device", "workgroup", "subgroup", "invocation", "queuefamily"}
	if found && int(value) < len(names) {
		return names[value]
	}
	return "scope?"
}

// memory describes a scope and semantics as text. `scope` and `semantics` are ids of constants.
func (o *orderings) memory(scope, semantics uint32) string {
	const sequential, buffers = 0x10, 0x40
	value, found := o.values[semantics]
	if !found {
		return "semantics?"
	}
	text := o.scope(scope)
	if value&(semanticsAcquire|semanticsRelease|semanticsAcquireRelease|sequential) == 0 {
		text += " relaxed"
	}
	for _, bit := range []struct {
		mask uint32
		name string
	}{
		{semanticsAcquire, "acquire"}, {semanticsRelease, "release"}, {semanticsAcquireRelease, "acquire-release"},
		{sequential, "sequentially-consistent"}, {buffers, "buffers"}, {semanticsWorkgroupMemory, "shared"},
		{semanticsMakeAvailable, "available"}, {semanticsMakeVisible, "visible"},
	} {
		if value&bit.mask != 0 {
			text += " " + bit.name
			value &^= bit.mask
		}
	}
	if value != 0 {
		text += fmt.Sprintf(" %#x", value)
	}
	return text
}
