package stages

// Placeholders; each goes when the stage that owns the type arrives.
type (
	ApplyQ2Tuning struct{}
)
