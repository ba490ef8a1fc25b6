package pencil

// Band returns the half-bandwidth of the reduction of C, as evd.Plan.Band does.
func (p *Plan[T]) Band() int {
	if s := p.stages.Current(); s != nil {
		return s.Tune.Band
	}
	return 1
}

// Block returns the rank of the updates in the reduction of C, as evd.Plan.Block does.
func (p *Plan[T]) Block() int {
	if s := p.stages.Current(); s != nil {
		return s.Tune.Block
	}
	return 1
}
