// Package draw makes the pictures of vkevd plot. Its functions take values and return pictures.
//
// It reads no files and does not depend on commands. Names and titles must be given as the text to
// show, without control characters.
package draw
