package stages

import (
	"github.com/vkevd/vkevd/stages/tridiag/dc"
	"github.com/vkevd/vkevd/vk"
)

// tables says where the lists of the second pass lie in one array of words: first some
// for each level, of which none has more than most merges, then those of the result.
type tables struct{ n, levels, most int }

func (s *conquerVectors) tables() tables { return tables{s.n, s.levels, s.tune.mostMerges(s.n)} }

const (
	chainWords  = 3 // merge, first step, end
	columnWords = 4 // first row, end, at
)

// The lists of a level; those of a merge stand from its first column on. Chains and
// merges follow one another, the last merge's behind all others.
func (t tables) row(level int) int    { return level * t.level() }
func (t tables) src(level int) int    { return t.row(level) + t.n }
func (t tables) dst(level int) int    { return t.row(level) + 2*t.n }
func (t tables) chains(level int) int { return t.row(level) + 3*t.n }
func (t tables) merges(level int) int { return t.chains(level) + chainWords*t.n }
func (t tables) level() int           { return (3+chainWords)*t.n + mergeWords*t.most }

// place is, by column of Q, where it stands in the result. Then there are two lists of
// columns and their places: of the last merge what is deflated, counted from its
// first column; and of all other blocks. At last, where each column of Q lies.
func (t tables) place() int           { return t.levels * t.level() }
func (t tables) deflated() (int, int) { return t.place() + t.n, t.place() + 2*t.n }
func (t tables) others() (int, int)   { return t.place() + 3*t.n, t.place() + 4*t.n }
func (t tables) columns() int         { return t.place() + 5*t.n }
func (t tables) length() int          { return t.columns() + columnWords*t.n }

// prepare starts writing the lists of a level.
func (x *conquest) prepare(level int, merges []*dc.Merge) {
	x.writing.Add(1)
	go func() {
		defer x.writing.Done()
		x.levels[level] = x.write(level, merges)
	}()
}

func (x *conquest) write(level int, merges []*dc.Merge) (s levelSizes) {
	l, turns := x.list, x.turns[2*x.n*level:]
	index := uint32(0)
	put := func(m *dc.Merge) {
		for i, r := range m.Row {
			x.words[l.row(level)+m.Lo+i] = uint32(r)
		}
		for i := range m.Src {
			x.words[l.src(level)+m.Lo+i], x.words[l.dst(level)+m.Lo+i] = uint32(m.Src[i]), uint32(m.Dst[i])
		}
		copy(turns[m.Lo:], m.Cos)
		copy(turns[x.n+m.Lo:], m.Sin)
		count := len(m.Chain) - 1
		to := x.words[l.chains(level)+chainWords*(s.chains+s.lastChains):]
		for c := range count {
			to[chainWords*c], to[chainWords*c+1], to[chainWords*c+2] = index, uint32(m.Chain[c]), uint32(m.Chain[c+1])
		}
		index++
		if m.Pair == x.last {
			s.last, s.lastChains = m, count
			return
		}
		s.merges++
		s.chains += count
		s.rows, s.half = max(s.rows, m.N()), max(s.half, m.N1, m.N2)
		s.deflation = max(s.deflation, m.N()-m.K)
	}
	var last *dc.Merge
	for _, m := range merges {
		if m.Pair == x.last {
			last = m
			continue
		}
		put(m)
	}
	if last != nil {
		put(last)
	}
	return s
}

// complete ends the lists, now that it is known what is wanted.
func (x *conquest) complete(levels [][]*dc.Merge, order []int32) {
	x.writing.Wait()
	for level, merges := range levels {
		x.place(level, merges)
	}
	x.result(order)
}

// recordLists sends the lists.
func (x *conquest) recordLists(rec *vk.Recorder, ws *vk.Arena) {
	rec.Concurrently(func() {
		vk.SendFirst(rec, x.conquerVectors.words.In(ws), x.words)
		vk.SendFirst(rec, x.rotations.In(ws), x.turns)
	})
}

// place lays out W and S of a level's merges, and writes their list.
func (x *conquest) place(level int, merges []*dc.Merge) {
	s, work := &x.levels[level], 0
	list := x.words[x.list.merges(level):]
	to := list
	for _, m := range merges {
		if m.Pair == x.last {
			copy(list[mergeWords*s.merges:], mergeRecord(m, x.at[m.Lo], 0))
			continue
		}
		copy(to, mergeRecord(m, x.at[m.Lo], work))
		s.each = append(s.each, placedMerge{m, work})
		to = to[mergeWords:]
		cols := m.To - m.From
		work += m.N1*m.Upper + m.N2*(m.K-m.Lower) + m.N()*(m.N()-m.K) + m.K*cols
		s.cols, s.inner = max(s.cols, cols), max(s.inner, m.Upper, m.K-m.Lower)
		s.flops += mergeFlops(m)
	}
	if work > x.n*x.n {
		panic("stages: W and S of divide and conquer do not fit")
	}
}

// mergeFlops is the cost of a merge's products.
func mergeFlops(m *dc.Merge) float64 {
	return 2 * float64(m.To-m.From) * (float64(m.N1)*float64(m.Upper) + float64(m.N2)*float64(m.K-m.Lower))
}

// result lists where the columns of Q are and go.
func (x *conquest) result(order []int32) {
	l := x.list
	list, place := l.others()
	gone, goneTo := l.deflated()
	lo, hi, poles := x.last.Lo, x.last.Hi(), 0
	for _, s := range x.levels {
		if s.last != nil {
			poles = s.last.K
		}
	}
	for j, c := range order {
		x.words[l.place()+int(c)] = uint32(j)
		switch {
		case int(c) < lo || hi <= int(c):
			x.words[list+x.columns[1]], x.words[place+x.columns[1]] = uint32(c), uint32(j)
			x.columns[1]++
		case int(c)-lo >= poles:
			x.words[gone+x.columns[0]], x.words[goneTo+x.columns[0]] = uint32(int(c)-lo), uint32(j)
			x.columns[0]++
		}
	}
	to := x.words[l.columns():]
	column := func(p dc.Pair) {
		for c := range p.N() {
			at := wide(x.at[p.Lo] + c*p.N())
			copy(to[columnWords*(p.Lo+c):], []uint32{uint32(p.Lo), uint32(p.Hi()), at[0], at[1]})
		}
	}
	for _, p := range x.tree.Leaves {
		column(p)
	}
	for _, level := range x.tree.Levels {
		for _, p := range level {
			column(p) // larger blocks later: the whole ones stay
		}
	}
}

// lists of words and of columns on the device.
func (x *conquest) wordsAt(ws *vk.Arena, at int) vk.Slice[uint32] {
	return x.conquerVectors.words.In(ws).From(at)
}
