// This header does bisection by teams of 2^LEVELS − 1 invocations. A team counts at the same time
// at every point that the next LEVELS halvings can come to. These points are a binary tree: the
// root is node 1, and the nodes below node k are 2k and 2k+1.
//
// stebz.comp and stebz_narrow.comp include it, after the declarations of LOCAL_SIZE and LEVELS. It
// defines TEAM, TEAMS, middle, point and any_.
#ifndef STURM_TREE_GLSL
#define STURM_TREE_GLSL

// TEAM is the number of invocations of a team, TEAMS the number of teams of a workgroup.
const uint TEAM = (1u << LEVELS) - 1;
const uint TEAMS = LOCAL_SIZE / TEAM;

// busy tells whether a team still needs counts.
shared uint busy;
// counted has the number of eigenvalues that each invocation has counted, by team and node of the
// tree.
shared uint counted[LOCAL_SIZE];

// middle returns the point that halves [lo, hi].
work_t middle(work_t lo, work_t hi) { return work_t(0.5) * (lo + hi); }

// point returns the number at which node k of the tree over [lo, hi] counts.
work_t point(uint k, work_t lo, work_t hi) {
	for (int level = findMSB(k) - 1; level >= 0; level--) {
		if ((k >> level & 1) == 0) hi = middle(lo, hi);
		else lo = middle(lo, hi);
	}
	return middle(lo, hi);
}

// any_ returns true to all invocations of the workgroup if mine is true in at least one of them.
// All must call it, in uniform control flow.
bool any_(bool mine) {
	barrier(); // all have read busy and counted
	if (gl_LocalInvocationIndex == 0) busy = 0;
	barrier();
	if (mine) atomicOr(busy, 1);
	barrier();
	return busy != 0;
}

#endif
