// Package trials tests whole solves under faults: driver calls that fail, lost devices, contexts
// that end, many goroutines and processes at the same time, long runs, and inexact divisions. The
// tests use the hooks driver.Fault and driver.Rewrite, and the count of objects driver.Live. Go
// allows only packages below vk to import package driver.
//
// Environment variables select the long form of the tests:
//
//	VKEVD_FAULTS=all   lets each driver call return each possible error, and cancels at each call
//	VKEVD_SOAK=1h      runs random solves for that time
package trials
