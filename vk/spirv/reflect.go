package spirv

import (
	"fmt"
	"maps"
	"slices"
)

type Info struct {
	EntryPoint   string         // name of the entry point
	LocalSize    [3]Dimension   // invocations of a workgroup in x, y and z
	Spec         []SpecConstant // by id
	Push         []PushField    // by offset; names as in GLSL
	Structs      []Struct       // elements of the buffers that Push points to, by name
	Capabilities []Capability   // in order of their numbers
}

type SpecConstant struct {
	Name    string // as in GLSL
	ID      uint32 // constant_id
	Kind    Kind   // type
	Default uint64 // bits of the shader's own value, in the low Kind.Size() bytes
}

// Reflect reads a module with one compute entry point.
//
// The push block may have scalars of 32 or 64 bits and buffer references. The block of a reference
// must be one array of structs, or consist of one kind of number, in arrays, vectors or structs.
// Reflect refuses all other push blocks. It also refuses specialization constants of other sizes,
// two names for one constant_id, and constants without names, except those of local_size_x_id,
// local_size_y_id and local_size_z_id.
func Reflect(code []byte) (*Info, error) {
	_, body, err := decode(code)
	if err != nil {
		return nil, err
	}
	p := collect(body)
	info := &Info{EntryPoint: p.entry}
	if p.entry == "" || p.entries != 1 {
		return nil, fmt.Errorf("spirv: %d entry points, want one of a compute shader", p.entries)
	}
	info.Capabilities = p.capabilities
	slices.Sort(info.Capabilities)
	info.LocalSize = p.localSize()
	if info.Spec, err = p.specConstants(info.LocalSize); err != nil {
		return nil, fmt.Errorf("spirv: %w", err)
	}
	if info.Push, err = p.pushBlock(); err != nil {
		return nil, fmt.Errorf("spirv: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(p.structs)) {
		info.Structs = append(info.Structs, p.structs[name])
	}
	return info, nil
}

// localSize returns the size of a workgroup. A constant WorkgroupSize, which glslang writes for
// local_size_x_id, takes precedence over the execution mode, as in drivers.
func (p *parsed) localSize() (size [3]Dimension) {
	if workgroup, found := p.workgroupSize(); found {
		for i := range size {
			size[i] = p.dimension(workgroup.arg(2 + i))
		}
		return size
	}
	for i := range size {
		if p.modeOp == opExecutionModeId {
			size[i] = p.dimension(p.mode[i])
		} else {
			size[i].Fixed = p.mode[i]
		}
	}
	return size
}

func (p *parsed) dimension(id uint32) Dimension {
	if specID, ok := p.decoration(id, decorationSpecId); ok {
		return Dimension{Specialised: true, ID: specID}
	}
	return Dimension{Fixed: p.defs[id].arg(2)}
}

// specConstants returns the constants with a SpecId in the order of their SpecIds. For
// local_size_x_id glslang makes an unnamed constant. If a named constant has the same SpecId,
// specConstants returns only the named constant. Otherwise it gives the unnamed constant the name
// LOCAL_SIZE_X.
func (p *parsed) specConstants(local [3]Dimension) ([]SpecConstant, error) {
	byID := map[uint32]SpecConstant{}
	for _, id := range p.order {
		specID, ok := p.decoration(id, decorationSpecId)
		if !ok {
			continue
		}
		c := SpecConstant{Name: p.names[id], ID: specID}
		in := p.defs[id]
		switch in.op {
		case opSpecConstantTrue:
			c.Kind, c.Default = Boolean, uint64(True)
		case opSpecConstantFalse:
			c.Kind, c.Default = Boolean, uint64(False)
		case opSpecConstant:
			c.Kind, c.Default = p.scalar(in.arg(0)), uint64(in.arg(2))|uint64(in.arg(3))<<32
		}
		if c.Kind == "" || c.Kind.Size() < 4 {
			return nil, fmt.Errorf("specialization constant %d %q: only bool and scalars of 32 or 64 bits",
				specID, c.Name)
		}
		old, twice := byID[specID]
		switch {
		case twice && old.Name != "" && c.Name != "":
			return nil, fmt.Errorf("specialization constants %s and %s share id %d", old.Name, c.Name, specID)
		case twice && old.Kind != c.Kind:
			return nil, fmt.Errorf("specialization constant %d is both %s and %s", specID, old.Kind, c.Kind)
		case !twice || old.Name == "":
			byID[specID] = c
		}
	}
	var all []SpecConstant
	for specID, c := range byID {
		for i, axis := range []string{"X", "Y", "Z"} {
			if c.Name == "" && local[i] == (Dimension{Specialised: true, ID: specID}) {
				c.Name = "LOCAL_SIZE_" + axis
			}
		}
		if c.Name == "" {
			return nil, fmt.Errorf("specialization constant %d has no name", specID)
		}
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b SpecConstant) int { return int(a.ID) - int(b.ID) })
	return all, nil
}
