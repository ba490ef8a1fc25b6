package vk

import "testing"

func TestStatisticsInDriversWords(t *testing.T) {
	const none = -1
	for name, c := range map[string]struct {
		list                      []Statistic
		registers, spills, shared int
		problem                   string
		memory                    int
	}{
		"nothing": {nil, none, none, none, "", 0},
		"sound": {
			[]Statistic{{Name: "Register Count", Value: 128}, {Name: "Stack Size", Value: 0}, {Name: "Shared Memory Size", Value: 1024 + 4096}, {Name: "Binary Size", Value: 9999}},
			128, 0, 1024 + 4096, "", 0,
		},
		"to memory": {
			[]Statistic{{Name: "VGPRs", Value: 256}, {Name: "Spilled VGPRs", Value: 7}, {Name: "Spilled SGPRs", Value: 1}, {Name: "LDS size", Value: 4096}, {Name: "Scratch size", Value: 0}},
			256, 7, 4096, "spills (7)", 0,
		},
		"scalars to registers": {
			[]Statistic{{Name: "VGPRs", Value: 48}, {Name: "Spilled VGPRs", Value: 0}, {Name: "Spilled SGPRs", Value: 11}, {Name: "LDS size", Value: 0}, {Name: "Scratch size", Value: 0}},
			48, 0, 0, "", 0,
		},
		"halves": {
			[]Statistic{{Name: "Register Count", Value: 227}, {Name: "Local Memory Size", Value: 16 << 32}},
			227, 0, none, "", 0,
		},
		"halves, to memory": {
			[]Statistic{{Name: "Register Count", Value: 255}, {Name: "Local Memory Size", Value: 16<<32 + 112}},
			255, 112, none, "spills (112)", 0,
		},
		"to memory, as was meant": {
			[]Statistic{{Name: "Register Count", Value: 255}, {Name: "Local Memory Size", Value: 512}}, 255, 0, none, "", 512,
		},
		"to memory, more than was meant": {
			[]Statistic{{Name: "Local Memory Size", Value: 520}}, none, 8, none, "spills (8)", 512,
		},
		"to shared memory": {
			[]Statistic{{Name: "Register Count", Value: 255}, {Name: "Local Memory Size", Value: 0}, {Name: "Shared Memory Size", Value: 30000}},
			255, 0, 30000, "takes 30000 bytes of shared memory, declares 4096", 0,
		},
	} {
		k := KernelStatistics{Kernel: "gemm", Declared: 4096, List: c.list, Memory: c.memory}
		for what, got := range map[string]struct {
			want, n int
			ok      bool
		}{"registers": of(c.registers, k.Registers), "spills": of(c.spills, k.Spills), "shared": of(c.shared, k.Shared)} {
			if got.ok != (got.want != none) || got.ok && got.n != got.want {
				t.Errorf("%s: %s %d, %v; want %d", name, what, got.n, got.ok, got.want)
			}
		}
		if k.Problem() != c.problem {
			t.Errorf("%s: %q", name, k.Problem())
		}
	}
}

func of(want int, get func() (int, bool)) (r struct {
	want, n int
	ok      bool
}) {
	r.want = want
	r.n, r.ok = get()
	return r
}
