// Package trials tests whole solves under faults: driver calls that fail, lost devices, contexts
// that end, many goroutines and processes at the same time, and long runs. The tests use the hook
// driver.Fault and the count of objects driver.Live. Go allows only packages below vk to import
// package driver.
//
// Environment variables select the long form of the tests:
//
//	VKEVD_FAULTS=all   lets each driver call return each possible error, and cancels at each call
//	VKEVD_SOAK=1h      runs random solves for that time
package trials
