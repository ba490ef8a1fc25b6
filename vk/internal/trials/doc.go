// Package trials holds tests of whole solves under faults: driver calls
// that fail, devices that are lost, contexts that end, many users at once, long runs. It
// stands beside the driver because it needs what nobody else may see, the
// driver's Fault hook and its count of objects.
//
// Environment variables make the tests longer than a suite has time for:
//
//	VKEVD_FAULTS=all   every driver call with every result, every cancellation
//	VKEVD_SOAK=1h      random solves for that long
package trials
