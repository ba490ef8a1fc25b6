//go:build !linux || !(amd64 || arm64)

package matio

import "errors"

func forget(string) error { return errors.ErrUnsupported }
