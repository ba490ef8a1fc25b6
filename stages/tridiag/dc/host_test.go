package dc

import (
	"errors"
	"math"
	"sync"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/tridiag/suite"
)

func TestHostStops(t *testing.T) {
	d, e := suite.Random(300) // S has more columns than one panel
	suite.Stops(t, 8, func(stop func() error) error {
		host := NewHost(len(d))
		host.Stop = stop
		_, err := SolveWith(host, d, e, Options{})
		return err
	})
}

func TestHostProgress(t *testing.T) {
	when.Pick(t, when.Race)
	for _, to := range []int{300, 7} {
		d, e := suite.Random(300)
		host := NewHost(len(d))
		var lock sync.Mutex
		sum, calls := 0.0, 0
		host.Progress = func(part float64) {
			lock.Lock()
			defer lock.Unlock()
			if !(part > 0) {
				t.Errorf("a part of %g", part)
			}
			sum, calls = sum+part, calls+1
		}
		if _, err := SolveWith(host, d, e, Options{From: 0, To: to}); err != nil {
			t.Fatal(err)
		}
		if !(math.Abs(sum-1) <= 1e-9) || calls < 3 {
			t.Errorf("%d vectors: %d parts of sum %g", to, calls, sum)
		}
	}
}

// TestHostStopsWithinAMerge makes Stop fail when the last merge has formed all columns except those
// of its last panel. The merge must then form no further columns: it reports no further part of the
// work.
func TestHostStopsWithinAMerge(t *testing.T) {
	d, e := suite.Random(400)
	for i := range e { // with such elements few columns deflate, and the last merge has several panels
		d[i], e[i] = d[i]/10, 1
	}
	enough := errors.New("enough")
	var lock sync.Mutex
	limit := 2.0 // Stop fails when the sum of the reported parts is larger than this number
	solve := func() (parts []float64, err error) {
		host, sum := NewHost(len(d)), 0.0
		host.Stop = func() error {
			lock.Lock()
			defer lock.Unlock()
			if sum > limit {
				return enough
			}
			return nil
		}
		host.Progress = func(part float64) {
			lock.Lock()
			defer lock.Unlock()
			sum += part
			parts = append(parts, part)
		}
		_, err = SolveWith(host, d, e, Options{})
		return parts, err
	}
	parts, err := solve()
	if err != nil {
		t.Fatal(err)
	}
	all := len(parts) // the last parts are those of the last merge, which runs alone
	limit = 1 - parts[all-1] - parts[all-2]/2
	if parts, err = solve(); err != enough || len(parts) != all-1 {
		t.Errorf("%v after %d of %d parts", err, len(parts), all)
	}
}
