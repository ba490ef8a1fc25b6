package stages

import (
	"fmt"

	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// builder builds kernels one after another and keeps the first error.
type builder struct {
	dev *vk.Device
	err error
}

func build[S, P any](b *builder, m spirv.Module[S, P], spec S) *vk.Kernel[S, P] {
	if b.err != nil {
		return nil
	}
	k, err := vk.Build(b.dev, m, spec)
	b.err = err
	return k
}

// InfoError says that a kernel set its stage's INFO word.
type InfoError struct {
	Stage string
	Info  uint32
}

func (e *InfoError) Error() string {
	return fmt.Sprintf("%s failed on the device (INFO = %d)", e.Stage, e.Info)
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
