package plan

import (
	"errors"
	"testing"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/tridiag/stedc"
)

// TestNoConvergenceNamesRows checks the text of a stage's error about a block of the tridiagonal
// matrix. The text must name rows, not indices of eigenvalues.
func TestNoConvergenceNamesRows(t *testing.T) {
	err := NotConverged(&stedc.NoConvergenceError{Lo: 2, Hi: 4}, stages.PhaseTridiagonal)
	var failed *NoConvergenceError
	if !errors.As(err, &failed) || *failed != (NoConvergenceError{Stage: stages.PhaseTridiagonal, Index: 2, End: 4}) {
		t.Fatal(err)
	}
	bidiagonal := &NoConvergenceError{Stage: stages.PhaseBidiagonal, Index: 2, End: 4}
	if want := "bidiagonal solve: QR iteration did not converge on rows [2, 4) of the bidiagonal"; bidiagonal.Error() != want {
		t.Errorf("%q, want %q", bidiagonal, want)
	}
	if want := "tridiagonal solve: QL iteration did not converge on rows [2, 4) of the tridiagonal"; err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
}
