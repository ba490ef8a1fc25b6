package stages

// Waiting tells a stage whether its workgroups may wait for each other, and which memory barriers
// they then use. It combines facts about the machine (machine.MayWait, machine.WideFence) with the
// choices of the tuning and of the caller. tuning.Tuning.Waiting makes it, once for a plan.
type Waiting struct {
	// Allowed permits workgroups to wait for each other. If false, each stage takes a form in which
	// none waits: the bulge chasing has a dispatch for each wave of steps, ApplyQ2 lets only the
	// invocations of one workgroup wait for each other, and panels have a dispatch for each column.
	Allowed bool

	// WideFence makes every invocation issue the memory barrier (fence). Otherwise one invocation
	// issues it for its workgroup. See flags.glsl.
	WideFence bool
}

// span is a range of items [first, last) of a stage that one dispatch processes, with their cost in
// flops.
type span struct {
	first, last int
	cost        float64
}

// len is the number of items in the span.
func (s span) len() int { return s.last - s.first }

// spans splits items 0 … n−1 into dispatches, one span each. A span ends with the item at which its
// cost reaches limit, or at most items; it has at least one item. The spans follow one another and
// cover all items. For n = 0 there is none.
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
