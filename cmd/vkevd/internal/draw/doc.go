// Package draw makes the pictures of vkevd plot: values in, picture out.
//
// It reads no files and knows no command. Names and titles come in as the text that is to
// be shown; the caller makes them printable.
package draw
