package vk

import "slices"

// Timing is the sum of the GPU times that were measured under one name.
type Timing struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
	Count   int     `json:"count"` // number of times that were summed
}

type Profile struct {
	// Phases are in the order in which they began.
	Phases []Timing `json:"phases"`

	// Kernels holds the times of kernels, fills and copies. It is empty unless Options.Kernels was
	// set.
	Kernels []Timing `json:"kernels,omitempty"`
}

func NewProfile() *Profile { return &Profile{} }

func (p *Profile) add(m mark, seconds float64) {
	if m.phase != "" {
		tally(&p.Phases, m.phase, seconds, 1)
	}
	if m.kernel != "" {
		tally(&p.Kernels, m.kernel, seconds, 1)
	}
}

// Add adds a time to a phase, in seconds. It is for time that no Run has measured, such as time on
// the host.
func (p *Profile) Add(phase string, seconds float64) { tally(&p.Phases, phase, seconds, 1) }

func (p *Profile) Merge(q *Profile) {
	for _, t := range q.Phases {
		tally(&p.Phases, t.Name, t.Seconds, t.Count)
	}
	for _, t := range q.Kernels {
		tally(&p.Kernels, t.Name, t.Seconds, t.Count)
	}
}

func (p *Profile) Phase(name string) float64 {
	i := slices.IndexFunc(p.Phases, func(t Timing) bool { return t.Name == name })
	if i < 0 {
		return 0
	}
	return p.Phases[i].Seconds
}

func (p *Profile) Total() float64 {
	sum := 0.0
	for _, t := range p.Phases {
		sum += t.Seconds
	}
	return sum
}

func tally(list *[]Timing, name string, seconds float64, count int) {
	for i := range *list {
		if (*list)[i].Name == name {
			(*list)[i].Seconds += seconds
			(*list)[i].Count += count
			return
		}
	}
	*list = append(*list, Timing{name, seconds, count})
}
