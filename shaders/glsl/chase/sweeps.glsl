// This header lets workgroups claim the sweeps of a bulge chasing, and lets sweeps wait for each
// other. Each sweep is run by one workgroup.
//
// The kernels whose sweeps wait for each other include it, after flags.glsl, after the constant
// LEAD, and after their push block p. p must have n, first, last, polls, flags, ticket, info and
// abort_word.
#ifndef SWEEPS_GLSL
#define SWEEPS_GLSL

// sweep is the sweep that the workgroup runs.
shared uint sweep;
// go[j % 2] tells whether step j can begin.
shared bool go[2];

// seen is the value of the flag of sweep s−1 that the waiting invocation saw last.
uint seen;

// reaches waits until the flag of sweep s−1 is at least need, and returns false if the wait was
// given up.
//
// No wait lasts for ever, for this reason. A sweep waits only for the one before it. That one
// either ended in an earlier dispatch, or was claimed earlier by a workgroup that is therefore
// running. By induction that workgroup comes to its end, because the oldest sweep waits for none.
// This needs a device on which started workgroups make progress.
bool reaches(uint s, uint need) {
	if (seen < need) seen = await(p.flags, s - 1, need, p.info, p.abort_word, p.polls);
	return seen >= need;
}

// claim takes the next sweep of this dispatch for the workgroup, and waits until its first x can be
// read. It sets sweep to p.last if no sweep is left, or if the wait was given up. One invocation
// calls it.
void claim() {
	uint s = stopped(p.info, p.abort_word) ? p.last
		: p.first + atomicAdd(p.ticket.at[0], 1, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
	seen = s == p.first ? FLAG_END : 0;
	sweep = s < p.last && reaches(s, LEAD) ? s : p.last;
}
#endif
