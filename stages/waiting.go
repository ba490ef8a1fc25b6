package stages

// Waiting tells a stage whether its workgroups may wait for each other, and which memory barriers a
// waiting kernel uses. It combines facts about the device (machine.Machine.MayWait) with the
// choices of the tuning and of the caller. tuning.Tuning.Waiting computes it once for each plan.
type Waiting struct {
	// Allowed permits workgroups to wait for each other. If Allowed is false, each stage takes a
	// form without such waits: the bulge chasing has one dispatch for each set of independent steps
	// (a wave), ApplyQ2 has waits only inside a workgroup, and panels have a dispatch for each
	// column.
	Allowed bool

	// If WideFence is true, every invocation issues the memory barrier (fence). Otherwise one
	// invocation issues it for its workgroup. See flags.glsl.
	WideFence bool

	// Crowded says that the device does not run all workgroups of a panel at the same time,
	// although it has a compute unit for each of them (machine.Machine.MayMeet). Then no workgroup
	// may wait for all other workgroups: panels have a dispatch for each column, and no matrix is
	// reduced by Tridiagonalisation.
	Crowded bool
}

// Span is a range [first, last) of items of a stage that one dispatch processes, with their cost in
// flops.
type Span struct {
	First, Last int
	Cost        float64
}

func (s Span) Len() int { return s.Last - s.First }

// Spans divides items 0 … n−1 into spans, one for each dispatch. A span has at most `most` items,
// and ends with the item at which its cost reaches `limit`. For n = 0 there is no span.
func Spans(n, most int, limit float64, cost func(item int) float64) []Span {
	var all []Span
	part := Span{}
	for i := range n {
		part.Cost += cost(i)
		part.Last = i + 1
		if part.Cost >= limit || part.Len() >= most || part.Last == n {
			all = append(all, part)
			part = Span{First: part.Last}
		}
	}
	return all
}
