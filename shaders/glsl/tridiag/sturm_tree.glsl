// This header defines a bisection by teams. A team is 2^LEVELS − 1 invocations. They count at the
// same time, one at each point that the next LEVELS halvings can need. These points form a binary
// tree: the root is node 1, and the children of node k are 2k and 2k+1.
//
// stebz.comp and stebz_narrow.comp include this header, after the declarations of LOCAL_SIZE and
// LEVELS, and after the function middle(lo, hi). The function middle returns the point that divides
// an interval. The header defines TEAM, TEAMS, point and any_.
#ifndef STURM_TREE_GLSL
#define STURM_TREE_GLSL

// TEAM is the number of invocations of a team, and TEAMS the number of teams of a workgroup.
const uint TEAM = (1u << LEVELS) - 1;
const uint TEAMS = LOCAL_SIZE / TEAM;

// `busy` tells whether any team of the workgroup still needs counts.
shared uint busy;
// `counted` has the number of eigenvalues that each invocation has counted, ordered by team and by
// node of the tree.
shared uint counted[LOCAL_SIZE];

// point returns the point of node k of the team's tree of points for the interval [lo, hi], at
// which one invocation counts.
work_t point(uint k, work_t lo, work_t hi) {
	for (int level = findMSB(k) - 1; level >= 0; level--) {
		if ((k >> level & 1) == 0) hi = middle(lo, hi);
		else lo = middle(lo, hi);
	}
	return middle(lo, hi);
}

// any_ returns true to all invocations of the workgroup if `mine` is true in at least one. All
// invocations must call any_, in uniform control flow.
bool any_(bool mine) {
	barrier(); // all invocations have read busy and counted
	if (gl_LocalInvocationIndex == 0) busy = 0;
	barrier();
	if (mine) atomicOr(busy, 1);
	barrier();
	return busy != 0;
}

#endif
