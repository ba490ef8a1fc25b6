package stages

// These constants name the phases of a solve. Recordings (vk.Recorder.Phase), profiles, progress
// reports and cost forecasts use the same names, so that a program can match their entries. The
// part of a phase that runs on the host has the name of the phase, followed by the constant OnHost.
const (
	PhaseLoad               = "scale"                 // σ·A, both triangles
	PhaseQR                 = "QR factorisation"      // A → R
	PhaseCholesky           = "Cholesky factor"       // B → L
	PhaseStandardForm       = "standard form"         // A, L → C
	PhaseBandReduction      = "band reduction"        // A → B
	PhaseTridiagonalisation = "tridiagonalisation"    // A → T in one stage
	PhaseBandNarrowing      = "band narrowing"        // B → a narrower B
	PhaseBulgeChasing       = "bulge chasing"         // B → T
	PhaseTridiagonal        = "tridiagonal solve"     // T → Λ, S by divide and conquer, MRRR or QR iteration
	PhaseBidiagonal         = "bidiagonal solve"      // C → Σ, S, W by divide and conquer
	PhaseBisection          = "bisection"             // T → Λ by bisection
	PhaseDqds               = "dqds"                  // C → Σ, for devices without double precision
	PhaseCounts             = "Sturm counts"          // of an interval's ends and of certificates
	PhaseNarrow             = "vectors to float32"    // S in the precision of A
	PhasePromote            = "vectors to complex"    // S as complex numbers
	PhaseApplyQ2            = "back transformation 2" // Q2·S
	PhaseApplyQ1            = "back transformation 1" // Q1·(Q2·S)
	PhaseApplyP2            = "back transformation 2, right"
	PhaseApplyP1            = "back transformation 1, right"
	PhaseApplyQ0            = "back transformation 0" // of a QR factorisation
	PhaseProjection         = "projection"            // V, A → VᴴAV, and V, Z → V·Z
	PhasePairVectors        = "triangular solve"      // L, Z → X
	PhaseTranspose          = "transpose"             // Qᵀ → Q, with signs fixed
	PhaseCheck              = "check"                 // residual and orthogonality
	PhaseMove               = "copies to other devices"
	PhaseBatch              = "batch" // small matrices, from A to Λ and Q

	PhaseRefineProducts = "refinement, products" // S = XᵀAX, XᵀX
	PhaseRefineUpdate   = "refinement, update"   // X·(I + E)
	PhaseRitz           = "refinement, clusters" // small eigenproblems

	// PhaseGivenUp is the name of the whole first attempt of a solve, if a wait between workgroups
	// failed in this attempt. The other phases of the profile belong to the second attempt.
	PhaseGivenUp = "first attempt, a wait failed"

	// A solve with matrix products on integer units can refuse a matrix. PhaseEmulated is the name
	// of these products, and PhaseRefused is the whole first attempt that refused the matrix.
	PhaseEmulated = "emulated products"
	PhaseRefused  = "first attempt, emulated products refused"

	OnHost = ", on host"
)
