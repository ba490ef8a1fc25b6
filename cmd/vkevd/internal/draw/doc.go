// Package draw makes the pictures of vkevd plot. Its functions take values and return pictures.
//
// The package reads no files and does not depend on commands. The caller must pass names and titles
// as the text to show, without control characters.
package draw
