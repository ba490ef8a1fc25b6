package plan

import (
	"errors"
	"testing"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// verified stands for a result of a plan.
type verified struct {
	passed, safe, vectors bool
	profile               *vk.Profile
	retried               *stages.InfoError
}

// TestVerifiedJoinsBothSolves checks what Verified makes of a first result that does not pass, that
// overflows or that is missing, and of a second one.
func TestVerifiedJoinsBothSolves(t *testing.T) {
	parts := func(r *verified) Verifiable {
		return Verifiable{r.passed, &r.safe, r.profile, &r.retried, func() { r.vectors = false }}
	}
	failed, wrong, overflow := &stages.InfoError{Stage: "chase"}, errors.New("wrong twice"), &OverflowError{}
	result := func(passed bool, seconds float64) *verified {
		r := &verified{passed: passed, vectors: true, profile: vk.NewProfile()}
		r.profile.Add("phase", seconds)
		return r
	}
	for _, c := range []struct {
		name          string
		first, second *verified
		err, again    error // errors of the first and of the second solve
		seconds       float64
		want          error
	}{
		{"first passes", result(true, 1), nil, nil, nil, 1, nil},
		{"second passes", result(false, 1), result(true, 2), nil, nil, 3, nil},
		{"none passes", result(false, 1), result(false, 2), nil, nil, 0, wrong},
		{"method failed", nil, result(true, 2), failed, nil, 2, nil},
		{"other error", nil, nil, vk.ErrClosed, nil, 0, vk.ErrClosed},
		{"second fails", result(false, 1), nil, nil, vk.ErrClosed, 0, vk.ErrClosed},
		{"both overflow", result(false, 1), result(false, 2), overflow, overflow, 3, overflow},
	} {
		if c.first != nil {
			c.first.retried = failed
		}
		asked := false // whether Verified has called the function for the second solve
		got, err := Verified(
			func() (*verified, error) { return c.first, c.err },
			func() (*verified, error) {
				asked = true
				if c.first != nil && c.first.vectors {
					t.Errorf("%s: the second solve runs while the first result has its vectors", c.name)
				}
				return c.second, c.again
			},
			parts,
			func(first, safe *verified) error {
				if first != c.first || safe != c.second {
					t.Errorf("%s: the error is about other results", c.name)
				}
				return wrong
			})
		if !errors.Is(err, c.want) || (got != nil) != (c.seconds > 0) {
			t.Errorf("%s: %v, %v", c.name, got, err)
			continue
		}
		if got == nil {
			continue
		}
		if s := got.profile.Total(); s != c.seconds || got.safe != asked || !got.vectors || (got.retried != nil) != (c.first != nil) {
			t.Errorf("%s: %g seconds, %+v", c.name, s, got)
		}
	}
}
