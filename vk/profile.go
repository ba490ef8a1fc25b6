package vk

import "slices"

// Timing is GPU time summed under one name.
type Timing struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
	Count   int     `json:"count"`
}

// Profile is where a Run's GPU time went. Phases come in the order they were
// begun. Kernels is empty unless Options.Kernels was set.
type Profile struct {
	Phases  []Timing `json:"phases"`
	Kernels []Timing `json:"kernels,omitempty"`
}

// NewProfile is an empty profile.
func NewProfile() *Profile { return &Profile{} }

func (p *Profile) add(m mark, seconds float64) {
	if m.phase != "" {
		tally(&p.Phases, m.phase, seconds, 1)
	}
	if m.kernel != "" {
		tally(&p.Kernels, m.kernel, seconds, 1)
	}
}

// Add puts time that was spent elsewhere, on the host for instance, under a phase.
func (p *Profile) Add(phase string, seconds float64) { tally(&p.Phases, phase, seconds, 1) }

// Merge adds another profile's times to p.
func (p *Profile) Merge(q *Profile) {
	for _, t := range q.Phases {
		tally(&p.Phases, t.Name, t.Seconds, t.Count)
	}
	for _, t := range q.Kernels {
		tally(&p.Kernels, t.Name, t.Seconds, t.Count)
	}
}

// Phase is the time of one phase, 0 if it never ran.
func (p *Profile) Phase(name string) float64 {
	i := slices.IndexFunc(p.Phases, func(t Timing) bool { return t.Name == name })
	if i < 0 {
		return 0
	}
	return p.Phases[i].Seconds
}

// Total is the time of all phases.
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
