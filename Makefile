# make demo        solve the matrix that comes with the repository, and check the result
# make build       bin/vkevd
# make lib         bin/lib/libvkevd.so, the C library; make install puts it under PREFIX
# make wheel       dist/vkevd-….whl, the Python package, which contains the C library
# make drop-in     bin/lib/libvkevd_lapack.so, LAPACK's functions for LD_PRELOAD: see docs/drop-in.md;
#                  make install-drop-in puts it under PREFIX
# make test-quick  the tests that find most defects: two minutes on two cores, the first run five
# make test        all tests that CI runs: about 20 minutes on two cores; each target test-NAME is a part
# make test-long   longer tests, to run before each release, also with GPU=1: more sizes, validation
#                  layers and race detector on more packages, every fault at every driver call, 20
#                  bulge chasings (GPU=1: 1000), fuzzing, ten minutes of random solves
# make soak        an hour of random solves, each checked (SOAK=10m: ten minutes; GPU=1: on the GPU)
# make shaders     recompile the shaders that changed (make shaders ALL=-all: all shaders)

# Each test says in its first lines whether some runs leave it out, and why: see internal/when. The
# variable VKEVD_TESTS says to the tests what kind of run this is; tools/picked.sh finds the tests that
# are picked for a run. Here stand the packages of each run, and why these packages are enough.
#
# Packages of stages and evd whose tests need a device. Four packages of evd only use the others.
found         = $(patsubst %/,./%,$(sort $(dir $(shell grep -rlE --include='*_test.go' $(1)))))
DEVICE_STAGES := $(call found,'/stages/(stagetest|roomtest)"' stages) ./stages/tuning
DEVICE_EVD    := $(filter-out ./evd/accuracy ./evd/bench ./evd/gonumlapack ./evd/tune,$(call found,'vk[.]Open' evd))
ROOMS         = $(filter-out ./stages/product% ./stages/machine ./stages/tuning,$(DEVICE_STAGES))
# Packages of vk with a device. vk/spirv has no device and no goroutines.
DEVICE_VK     = ./vk ./vk/internal/...

# Only vk/internal/driver uses the Go binding, and the tests of vk make its calls. test-modes runs
# whole solves with the other binding.
VULKANGO_PACKAGES = ./vk ./vk/internal/driver
# Code on the host with several goroutines: vk and reading of files. The packages RACE_SOME start few
# goroutines themselves, and the tests that use them are picked. evd/gonumlapack and the C libraries
# share plans between goroutines by evd/plancache.
RACE_PACKAGES     = $(DEVICE_VK) ./evd/matio/... ./evd/spectrum
RACE_SOME         := $(call found,'when[.]Pick.*[.]Race' stages evd)
# The validation layers check each driver call, so every kernel and every copy must be recorded once.
VALIDATION_PACKAGES = $(DEVICE_VK) $(DEVICE_STAGES) $(DEVICE_EVD)
# Instrumented shaders compile slowly, so only test-long does this, with tests that are picked: the
# solves of the test SameBits use most shaders. In make test, DebugShaders checks the memory accesses of
# kernels.
GPUAV_PACKAGES    := $(call found,'when[.]Pick.*[.]GPUAV' vk stages evd)
# Packages with kernels whose invocations exchange numbers within a subgroup: their SPIR-V has the
# capability GroupNonUniform. Package vk tells them the size. test-long tests all stages.
WIDTH_PACKAGES    = ./vk ./stages ./stages/back ./stages/batch ./stages/chase ./stages/machine ./stages/product/emulated ./stages/reduce

# Vector widths of the CPU driver in bits, in addition to its default 256. Subgroups then have 4
# invocations, and 16 in test-long.
WIDTHS = 128

# The quick tests: kernels and stages, whole solves in double precision by one device, files, and the
# command. They leave out collections of matrices, injected faults, and packages that use the others:
# benchmarks, tuning, gonum's interface and the C libraries.
QUICK_PACKAGES = ./tests ./cmd/vkevd ./evd/matio/... $(DEVICE_EVD) ./shaders/... $(ROOMS) ./stages/product/... ./stages/tridiag ./stages/tridiag/dc ./stages/tridiag/mrrr ./stages/tridiag/ql ./stages/tridiag/sturm ./stages/tuning ./vk ./vk/spirv ./vk/internal/driver

GO      ?= go
# With these flags the compiler makes the same code as with those of tools/lib.sh, so the standard
# library and the packages are compiled once for both. Without debug information (-w) the linker
# takes half the time.
export GOFLAGS ?= -trimpath -buildmode=pie -ldflags=-w
PREFIX  ?= /usr/local
TIMEOUT ?= 20m
SOAK    ?= 1h
# The time for which each fuzz target runs in make test-long.
FUZZ    ?= 1m

# Tests see only the CPU driver, even if the machine has GPUs. With GPU=1 they see only the GPUs. All
# test binaries share a cache, so each shader is compiled once. Tests get an empty standard input,
# because the standard input of make may be closed.
DRIVER = $(if $(GPU),,VK_DRIVER_FILES="$$(ls /usr/share/vulkan/icd.d/lvp_icd*.json | head -n 1)")
TEST = </dev/null env $(DRIVER) MESA_SHADER_CACHE_DIR="$(CURDIR)/.cache/mesa" VKEVD_TESTS=
# Go cannot detect that the environment of a driver changes test results, so Go must not cache them.
# The target vet has checked all packages, so the tests need not do so again.
AGAIN = -count=1 -vet=off -timeout $(TIMEOUT)

RACE = $(TEST)race GOFLAGS="-trimpath -ldflags=-w" GOEXPERIMENT=cgocheck2 $(GO) test $(AGAIN) -race
LAYER = VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation
SYNC = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT:VALIDATION_CHECK_ENABLE_SYNCHRONIZATION_VALIDATION_QUEUE_SUBMIT
GPUAV = VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_EXT:VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_RESERVE_BINDING_SLOT_EXT

.PHONY: demo build lib install install-drop-in wheel drop-in test test-quick test-long soak shaders vet setup compiler clean \
	test-drop-in test-drop-in-long test-newest test-unit test-single test-newcomers test-python test-cluster test-vulkango test-race test-validation test-gpuav test-widths \
	test-cgo test-kernels test-modes test-inexact test-second test-farm test-faults test-chases test-tridiagonals test-gonum test-speed test-fuzz
# The parts of a test share two cores and one GPU, so they run one after another.
.NOTPARALLEL:

demo: setup build
	@tools/demo.sh

build:
	$(GO) build -o bin/vkevd ./cmd/vkevd

lib:
	GO="$(GO)" tools/lib.sh

wheel:
	@tools/setup.sh python3-pip python3-setuptools python3-wheel
	GO="$(GO)" tools/wheel.sh

# With LAPACK=/path/to/liblapack.so.3 this also builds bin/lib/alternative/liblapack.so.3, a complete
# LAPACK.
drop-in:
	GO="$(GO)" tools/drop-in.sh $(LAPACK)

install: lib
	DESTDIR="$(DESTDIR)" PREFIX="$(PREFIX)" tools/install-lib.sh

install-drop-in: drop-in
	DROP_IN=1 DESTDIR="$(DESTDIR)" PREFIX="$(PREFIX)" tools/install-lib.sh

test: setup compiler vet test-unit test-single test-newcomers test-python test-drop-in test-cluster test-vulkango test-race test-validation test-widths

# go test itself runs the most important checks of go vet.
test-quick: setup compiler
	@echo "test-quick: $(words $(QUICK_PACKAGES)) packages: two minutes on two idle cores, about five if they must be compiled;"
	@echo "test-quick: a busy machine takes longer; go test PACKAGE tests what you changed in less time"
	$(TEST)quick $(GO) test -timeout $(TIMEOUT) $(QUICK_PACKAGES)

test-long: setup compiler test-cgo test-drop-in-long test-newest test-kernels test-gpuav test-modes test-inexact test-second test-farm test-faults test-chases test-tridiagonals test-gonum test-speed test-fuzz
	$(MAKE) soak SOAK=10m

setup:
	@tools/setup.sh

compiler:
	@tools/glslc.sh --fetch

shaders: compiler
	$(GO) run ./shaders/gen $(ALL)

# The check cgocall reads the source files whose paths are in the build cache. With -trimpath, two
# checkouts share the entries of the cache, so these paths can be those of a checkout that is gone.
# Therefore test-cgo does this check, without -trimpath.
vet:
	$(GO) vet -cgocall=false ./...
	$(GO) vet -cgocall=false -tags vulkango ./vk/... # only these packages depend on the tag

test-cgo:
	GOFLAGS= $(GO) vet -cgocall ./...
	GOFLAGS= $(GO) vet -cgocall -tags vulkango ./vk/...

# Lavapipe computes with threads of its own. In the tests of kernels and of evd, workgroups run at the
# same time. Elsewhere ALONE leaves the threads out: a whole solve has many short dispatches, and the
# wake-ups of the threads take half of its processor time. Kernels and bits are the same.
ALONE = LP_NUM_THREADS=0
ALONE_PACKAGES = /(cmd|examples)/|/evd/(batch|bench|gonumlapack|pencil|plancache|probe|svd|tune)$$
test-unit:
	$(TEST) $(GO) test -vet=off -timeout $(TIMEOUT) $$($(GO) list ./... | grep -vE '$(ALONE_PACKAGES)')
	$(TEST) $(ALONE) $(GO) test -vet=off -timeout $(TIMEOUT) $$($(GO) list ./... | grep -E '$(ALONE_PACKAGES)')

# The device seems to have no double precision and no 64-bit atomic operations.
SINGLE_PACKAGES := $(call found,'when[.]Pick.*[.]Single' stages evd)
test-single:
	$(TEST) VKEVD_WITHOUT=shaderFloat64,shaderBufferInt64Atomics \
		$(GO) test $(AGAIN) -run "$$(tools/picked.sh Single $(SINGLE_PACKAGES))" $(SINGLE_PACKAGES)

# Scripts that do what new users do first: see tests/newcomers.
test-newcomers: build lib
	@tools/setup.sh python3-numpy python3-pip python3-setuptools python3-wheel
	$(TEST) $(ALONE) tests/newcomers/run.sh

# The tests use Debian's Python, because setup.sh installs numpy and scipy for this Python.
test-python: lib
	@tools/setup.sh python3-numpy python3-scipy python3-pytest python3-hypothesis
	cd python/tests && $(TEST) $(ALONE) PYTHONPATH=.. PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -m unittest

# The tests of LAPACK and numpy with the drop-in library: see tests/dropin.
test-drop-in:
	@tools/setup.sh liblapack-test python3-numpy python3-pytest python3-hypothesis
	GO="$(GO)" tools/drop-in.sh /usr/lib/*-linux-gnu/lapack/liblapack.so.3
	$(TEST) $(ALONE) tests/dropin/run.sh

# All of LAPACK's inputs; 64-bit integers; scipy, R, Octave, LAPACKE; processes that share a device;
# update-alternatives; the C code under the address sanitizer.
test-drop-in-long: test-drop-in
	@tools/setup.sh liblapack64-test liblapacke-dev python3-scipy r-base-core octave util-linux
	$(TEST) $(GO) test -timeout $(TIMEOUT) ./cmd/libvkevd_lapack
	$(TEST) tests/dropin/run.sh testers-long ilp64 numpy-long scipy r octave lapacke processes sanitized update-alternatives

# The tests of the newest numpy, scipy and scikit-learn of PyPI, after vkevd.install() and with the
# drop-in library. PYTHON names a Python that they support.
test-newest: lib drop-in
	$(TEST) $(ALONE) tests/newest/run.sh

# Solves on several processes, with the libraries for clusters that Debian has.
test-cluster:
	@tools/setup.sh libelpa-dev libopenmpi-dev openmpi-bin libscalapack-openmpi-dev liblapack-dev libblas-dev pkg-config procps python3-numpy
	$(GO) vet -tags elpa ./evd/cluster ./cmd/vkevd ./tests/cluster/initialized
	$(TEST) $(GO) test -vet=off -timeout $(TIMEOUT) -tags elpa ./evd/cluster
	$(GO) build -tags elpa -o .cache/cluster/ ./cmd/vkevd ./tests/cluster/initialized
	$(TEST) $(ALONE) tests/cluster/run.sh "$(CURDIR)/.cache/cluster"

test-vulkango:
	$(TEST)vulkango $(GO) test $(AGAIN) -tags vulkango $(VULKANGO_PACKAGES)

# The race detector, and the check that C memory holds no Go pointer, in the same run.
# The detector works only without -buildmode=pie.
test-race:
	$(RACE) $(RACE_PACKAGES)
	$(RACE) -run "$$(tools/picked.sh Race $(RACE_SOME))" $(RACE_SOME)

VALIDATION = validation
test-validation:
	$(TEST)$(VALIDATION) $(LAYER) VK_LAYER_ENABLES=$(SYNC) \
		tools/validated.sh $(GO) test $(AGAIN) -v $(VALIDATION_PACKAGES)

test-gpuav:
	$(TEST) $(LAYER) VK_LAYER_ENABLES=$(GPUAV) \
		tools/validated.sh $(GO) test $(AGAIN) -v -run "$$(tools/picked.sh GPUAV $(GPUAV_PACKAGES))" $(GPUAV_PACKAGES)

WIDTH = widths
test-widths:
	for w in $(WIDTHS); do \
		$(TEST)$(WIDTH) LP_NATIVE_VECTOR_WIDTH=$$w $(GO) test $(AGAIN) $(WIDTH_PACKAGES) || exit 1; \
	done

# The parts of test-long. LONG has no time limit, because a part may run for hours.
LONG = -count=1 -vet=off -timeout 0

LONG_PACKAGES := $(call found,'when[.]Long' stages evd tests vk)
test-kernels: # the tests that test-unit leaves out
	$(TEST)long $(GO) test $(LONG) -run "$$(tools/picked.sh Long $(LONG_PACKAGES))" $(LONG_PACKAGES)

test-modes: # other binding, race detector, validation and wide vectors: more packages or tests
	$(MAKE) test-vulkango VULKANGO_PACKAGES='./vk/internal/trials $(DEVICE_STAGES) ./evd/... ./cmd/... ./examples/...'
	$(MAKE) test-race RACE_PACKAGES='./evd/... ./stages/tridiag/... ./cmd/vkevd' RACE_SOME='./vk/internal/trials'
	$(MAKE) test-validation VALIDATION=long,validation
	$(MAKE) test-widths WIDTH=long,widths WIDTHS=512 WIDTH_PACKAGES='./vk $(DEVICE_STAGES)'

# Mesa's drivers for GPUs compile x/y as x·(1/y). The CPU driver does it here, too. Complex matrices
# are solved in this way by tests of vk/internal/trials, without the build tag.
INEXACT_RUN  = Bisect|MRRR|Conquer|Deflat|Leaf|Count|TestDevice|Bits|Twin|Agree|Settle|Certi|Batch|Values|Bidiagonal
INEXACT_SKIP = OnEveryKind|OnEveryFamily|Large|Chasing|Families|Survives|Gonum

test-inexact: # quotients and square roots are not correctly rounded
	$(TEST) $(GO) test $(LONG) -tags inexact -run '$(INEXACT_RUN)' -skip '$(INEXACT_SKIP)' ./stages/machine $(ROOMS) ./evd/batch ./evd/spectrum ./evd/svd

test-second: # on a second CPU driver, which has matrix units, an fma() that rounds once, and no subnormal numbers
	tools/lavapipe.sh --fetch
	$(TEST) $(GO) test $(LONG) -exec "$(CURDIR)/tools/lavapipe.sh" ./stages/machine ./stages/product/emulated
	$(TEST) $(GO) test $(LONG) -exec "$(CURDIR)/tools/lavapipe.sh" -run 'DeflationIs|MRRRVectors|CountBelow|Extremes|LeafIs' $(ROOMS)
	$(TEST) $(GO) test $(LONG) -exec "$(CURDIR)/tools/lavapipe.sh" -run 'EveryKindOf|LeastToTheLargest|TestRefine$$' ./evd
	$(TEST)long $(GO) test $(LONG) -exec "$(CURDIR)/tools/lavapipe.sh" -run TestHermitiansInEveryArithmetic ./vk/internal/trials

# The unit tests compile for five GPUs. test-farm takes five minutes of processor time (2026-11-23).
test-farm: # compile the kernels for AMD's GPUs since 2016 and one of Intel's, also those for paged regions
	VKEVD_FARM=all $(GO) test $(LONG) ./tests/farm

test-faults: # every driver call fails with every result, and every call is cancelled
	$(TEST) VKEVD_FAULTS=all $(GO) test $(LONG) ./vk/internal/trials

test-chases: # bulge chasing at n = 2048, 1000 times on a GPU, 20 times on the CPU driver: always the same bits
	$(TEST) VKEVD_CHASES=$(if $(GPU),1000,20) $(GO) test $(LONG) -v -run BulgeChasingLong ./stages/chase

test-tridiagonals: # larger orders and many glued matrices
	$(TEST) VKEVD_MRRR=1 VKEVD_CONQUER=1 $(GO) test $(LONG) -run 'MRRR|DivideConquer' ./stages/tridiag/stedc ./stages/tridiag/stemr

test-gonum: # all of gonum's own test of Dsyev
	$(TEST) VKEVD_GONUM=1 $(GO) test $(LONG) ./evd/gonumlapack

test-speed: # a batch of small matrices is faster than single solves; no other program may run
	$(TEST) VKEVD_SPEED=1 $(GO) test $(LONG) -v -run TestSpeed ./evd/batch

test-fuzz:
	$(TEST) tools/fuzz.sh $(FUZZ)

soak:
	$(TEST) VKEVD_SOAK=$(SOAK) $(GO) test -count=1 -timeout 0 -v -run Soak ./vk/internal/trials

clean:
	rm -rf bin .cache
