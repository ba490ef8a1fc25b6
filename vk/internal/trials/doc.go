// Package trials has tests of whole solves under faults: driver calls that fail, devices that are
// lost, contexts that end, many goroutines and processes at the same time, long runs. They use the
// driver's Fault hook and its count of objects, which only packages below vk can see.
//
// Environment variables select the long form of the tests:
//
//	VKEVD_FAULTS=all   tries each driver call with each result, and a cancellation at each call
//	VKEVD_SOAK=1h      runs random solves for that time
package trials
