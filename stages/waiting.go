package stages

// Waiting tells a stage whether its workgroups may wait for each other, and which memory barriers
// they then use. It joins a fact about the machine (machine.MayWait, machine.WideFence) with what
// the tuning and the caller ask for; tuning.Tuning.Waiting makes it, once for a plan.
type Waiting struct {
	// Allowed: workgroups may wait for each other. If false, each stage takes a form in which none
	// waits: the bulge chasing a dispatch for each wave, ApplyQ2 teams within a workgroup, panels a
	// dispatch for each column.
	Allowed bool

	// WideFence: every invocation issues the memory barrier (fence), instead of one invocation for
	// its workgroup. See flags.glsl.
	WideFence bool
}

// span is the items [first, last) of a stage that one dispatch does, and their cost in flops.
type span struct {
	first, last int
	cost        float64
}

// len is the number of items.
func (s span) len() int { return s.last - s.first }

// spans cuts items 0 … n−1 into dispatches. Each one ends with the item at which its cost reaches
// limit, or its number of items most; it has one item at least. The spans follow one another and
// cover all items. n = 0 gives none.
func spans(n, most int, limit float64, cost func(item int) float64) []span {
	var all []span
	part := span{}
	for i := range n {
		part.cost += cost(i)
		part.last = i + 1
		if part.cost >= limit || part.len() >= most || part.last == n {
			all = append(all, part)
			part = span{first: part.last}
		}
	}
	return all
}
