// Package bench, internal to vkevd, measures the solver's stages one by one, on random input, by
// the device's own clock.
//
// A stage at one size is a measurement. Each has its device memory to itself; the
// input is made on the device, and what the stage leaves of it is made again before
// the next time. Measurements take turns: one of each, then again one of each, so
// that a device which slows down slows all of them. Before the first, and for
// a moment before every one, the device is kept busy, since a cold one is slow and
// a rested one is fast.
//
// Rates are nominal: the operations that the stage's Flops declares and the bytes
// that any method must move, by the time it took. They are printed beside what the same
// device reaches when it does nothing but fused multiply-adds, or nothing but copy.
package bench
