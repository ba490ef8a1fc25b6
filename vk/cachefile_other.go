//go:build !unix

package vk

import "io/fs"

// trusted tells whether only the user can have written a cache file. On systems other than Unix it
// always returns true: file permissions do not say who may write, and the cache lies in the user's
// own folder.
func trusted(fs.FileInfo) bool { return true }

// locked calls `do`. On systems other than Unix it locks nothing.
func locked(_ string, do func() error) error { return do() }
