package emulated

import (
	"fmt"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/product/moduli"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// kernels holds the compiled kernels for one number of moduli on one device.
type kernels[T Double] struct {
	tuning product.Emulation
	units  Units
	scheme
	moduli *moduli.System

	// A tile of the result has tileM×tileN elements. A plane holds the residues of a factor modulo
	// one modulus. Its number of rows is padded to a multiple of padRows, and the inner dimension
	// to a multiple of padInner.
	tileM, tileN      uint32
	padRows, padInner int

	norms, symmetricNorms  *normsKernel
	farNorms               *normsKernel // for far factors (rows.isFar)
	shifts                 *vk.Kernel[shaders.EmulatedShiftsSpec, shaders.EmulatedShiftsPush]
	left, right, symmetric *vk.Kernel[shaders.EmulatedPlanesSpec, shaders.EmulatedPlanesPush]
	update                 *vk.Kernel[shaders.EmulatedUpdateSpec, shaders.EmulatedUpdatePush]

	// multiply records the product of the residues of two factors. The integer units compute it.
	multiply func(rec *vk.Recorder, grid vk.Groups, push shaders.EmulatedProductDotPush, touch ...vk.Touch)
}

// Double is the type of the elements of matrices: real or complex numbers in double precision.
type Double interface{ float64 | complex128 }

// scheme has the moduli and the modules of the kernels for one type of numbers.
type scheme struct {
	// doubles is the number of doubles of an element.
	doubles int
	system  func(count int) *moduli.System

	normsModule                func() spirv.Module[shaders.EmulatedNormsSpec, shaders.EmulatedNormsPush]
	planesModule               func() spirv.Module[shaders.EmulatedPlanesSpec, shaders.EmulatedPlanesPush]
	dotModule                  func() spirv.Module[shaders.EmulatedProductDotSpec, shaders.EmulatedProductDotPush]
	matrixModule, narrowModule func() spirv.Module[shaders.EmulatedProductMatrixSpec, shaders.EmulatedProductMatrixPush]
	updateModule               func() spirv.Module[shaders.EmulatedUpdateSpec, shaders.EmulatedUpdatePush]
}

func isComplex[T Double]() bool { return spirv.KindOf[T]().IsComplex() }

func schemeOf[T Double]() scheme {
	if isComplex[T]() {
		return scheme{
			2, moduli.NewComplex, shaders.EmulatedNormsComplex, shaders.EmulatedPlanesComplex, shaders.EmulatedProductDotComplex,
			shaders.EmulatedProductMatrixComplex, shaders.EmulatedProductMatrixComplexNarrow, shaders.EmulatedUpdateComplex,
		}
	}
	return scheme{
		1, moduli.New, shaders.EmulatedNorms, shaders.EmulatedPlanes, shaders.EmulatedProductDot,
		shaders.EmulatedProductMatrix, shaders.EmulatedProductMatrixNarrow, shaders.EmulatedUpdate,
	}
}

type normsKernel = vk.Kernel[shaders.EmulatedNormsSpec, shaders.EmulatedNormsPush]

// newKernels builds the kernels for `count` moduli. The error is a *vk.UnsupportedError, or names
// sizes of the tuning that contradict each other.
func newKernels[T Double](dev *vk.Device, t product.Emulation, u Units, count int) (*kernels[T], error) {
	k := &kernels[T]{tuning: t, units: u, scheme: schemeOf[T]()}
	k.moduli = k.system(count)
	step := uint32(0)
	if u.Matrix() {
		k.tileM, k.tileN, step = t.Tile.M, t.Tile.N, t.Tile.Step
	} else {
		k.tileM, k.tileN, step = t.Dots.M, t.Dots.N, u.inner()
	}
	large, small := max(k.tileM, k.tileN), min(k.tileM, k.tileN)
	fragM, fragN := u.fragment()
	if small == 0 || large%small != 0 || k.tileM%fragM != 0 || k.tileN%fragN != 0 || step == 0 || step%u.inner() != 0 ||
		t.Panel <= 0 || t.Panel%16 != 0 || t.Spacing < 0 || t.Spacing%16 != 0 ||
		t.Panel%int(large) != 0 && u.Matrix() || max(int(large), t.Panel)%min(int(large), t.Panel) != 0 {
		return nil, fmt.Errorf("product: emulated tiles of %d×%d×%d, panels of %d rows, %d bytes apart, for %v",
			k.tileM, k.tileN, step, t.Panel, t.Spacing, u)
	}
	k.padRows, k.padInner = max(int(large), t.Panel), int(step)
	if err := k.buildProduct(dev); err != nil {
		return nil, err
	}
	return k, k.buildOthers(dev)
}

// buildOthers builds all kernels except the one that multiplies residues.
func (k *kernels[T]) buildOthers(dev *vk.Device) (err error) {
	limit := func(threads int) uint32 {
		for dev.Info().MaxLocal > 0 && threads > dev.Info().MaxLocal {
			threads /= 2
		}
		return uint32(threads)
	}
	panel, depth, count := uint32(k.tuning.Panel), k.units.depth(), uint32(k.moduli.N)
	norms := shaders.EmulatedNormsSpec{LocalSize: limit(normThreads)}
	if k.norms, err = vk.Build(dev, k.normsModule(), norms); err != nil {
		return err
	}
	far := shaders.EmulatedNormsSpec{LocalSize: limit(farThreads)}
	if k.farNorms, err = vk.Build(dev, k.normsModule(), far); err != nil {
		return err
	}
	norms.Symmetric = spirv.BoolOf(true)
	if k.symmetricNorms, err = vk.Build(dev, k.normsModule(), norms); err != nil {
		return err
	}
	k.shifts, err = vk.Build(dev, shaders.EmulatedShifts(), shaders.EmulatedShiftsSpec{LocalSize: shiftThreads})
	if err != nil {
		return err
	}
	spec := shaders.EmulatedPlanesSpec{LocalSize: planeThreads, Panel: panel, Depth: depth, ModuliCount: count, Part: min(depth, planePart)}
	if k.left, err = vk.Build(dev, k.planesModule(), spec); err != nil {
		return err
	}
	spec.Right = spirv.BoolOf(true)
	if k.right, err = vk.Build(dev, k.planesModule(), spec); err != nil {
		return err
	}
	spec.Right, spec.Symmetric = spirv.BoolOf(false), spirv.BoolOf(true)
	if k.symmetric, err = vk.Build(dev, k.planesModule(), spec); err != nil {
		return err
	}
	fragM, fragN := k.units.fragment()
	k.update, err = vk.Build(dev, k.updateModule(), shaders.EmulatedUpdateSpec{
		LocalSize: min(updateThreads, k.tileM*k.tileN/4), ModuliCount: count, Order: k.units.Order,
		TileM: k.tileM, TileN: k.tileN, FragM: fragM, FragN: fragN, Swath: k.swath(),
	})
	return err
}

const updateThreads = 128

// swath returns the number of neighbouring rows of tiles whose tiles the workgroups process column
// by column, before they continue with the next rows.
func (k *kernels[T]) swath() uint32 {
	if k.units.Matrix() {
		return k.tuning.Tile.Swath
	}
	return k.tuning.Dots.Swath
}

func (k *kernels[T]) buildProduct(dev *vk.Device) error {
	fragM, fragN := k.units.fragment()
	panel, depth := uint32(k.tuning.Panel), k.units.depth()
	if !k.units.Matrix() {
		dot, err := vk.Build(dev, k.dotModule(), shaders.EmulatedProductDotSpec{
			LocalSize: k.tileM / 8 * (k.tileN / 8), Panel: panel, Depth: depth,
			TileM: k.tileM, TileN: k.tileN, FragM: fragM, FragN: fragN, Swath: k.swath(),
		})
		k.multiply = func(rec *vk.Recorder, grid vk.Groups, push shaders.EmulatedProductDotPush, touch ...vk.Touch) {
			dot.Dispatch(rec, grid, push, touch...)
		}
		return err
	}
	t, lanes := k.tuning.Tile, uint32(dev.Info().Subgroup)
	if t.SubM == 0 || t.SubN == 0 || t.M%(t.SubM*fragM) != 0 || t.N%(t.SubN*fragN) != 0 ||
		t.Pitch < t.Step || t.Pitch%depth != 0 || t.Swath == 0 || t.Turns == 0 {
		return fmt.Errorf("product: %v for %v", t, k.units)
	}
	spec := shaders.EmulatedProductMatrixSpec{
		LocalSize: t.M / (t.SubM * fragM) * (t.N / (t.SubN * fragN)) * lanes, Panel: panel, Depth: depth,
		TileM: t.M, TileN: t.N, FragM: fragM, FragN: fragN, Swath: t.Swath, FragK: uint32(k.units.Shape.K),
		SubM: t.SubM, SubN: t.SubN, Step: t.Step, Pitch: t.Pitch, Lanes: lanes, Turns: t.Turns,
	}
	module := k.matrixModule
	if depth < 16 {
		module = k.narrowModule
	}
	bytes, err := product.SharedBytes(module, spec)
	if err != nil {
		return err
	}
	if info := dev.Info(); bytes > info.SharedBytes {
		return &vk.UnsupportedError{Device: info.Name, Feature: "bytes of shared memory", Need: fmt.Sprint(bytes), Have: fmt.Sprint(info.SharedBytes)}
	}
	matrix, err := vk.Build(dev, module(), spec)
	k.multiply = func(rec *vk.Recorder, grid vk.Groups, push shaders.EmulatedProductDotPush, touch ...vk.Touch) {
		matrix.Dispatch(rec, grid, shaders.EmulatedProductMatrixPush(push), touch...)
	}
	return err
}
