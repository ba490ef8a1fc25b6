# make demo        solve the matrix that comes with the repository, and check the answer
# make build       bin/vkevd
# make test-quick  the tests that fail most often when something is wrong: two minutes on two cores
# make test        all that CI runs: about 20 minutes on two cores; each test-NAME below is a part
# make test-long   what takes longer: every fault at every call, 1000 chases, fuzzing, ten minutes'
#                  soak; before each release, also with GPU=1
# make soak        random solves, each checked, for an hour (SOAK=10m: for less; GPU=1: on the GPU)
# make shaders     recompile the shaders that changed (all of them: make shaders ALL=-all)

# Packages whose tests need a device, besides vk, evd and cmd.
DEVICE_STAGES = ./stages $(wildcard ./stages/product ./stages/product/emulated ./stages/machine ./stages/tuning)
DEVICE_EVD    = ./evd $(wildcard ./evd/batch ./evd/spectrum ./evd/svd)

# What the slower ways of testing cover: packages, and a -run pattern to thin them out.
VULKANGO_PACKAGES   = ./vk/... $(DEVICE_STAGES) ./evd/... ./cmd/... ./examples/...
RACE_PACKAGES       = ./vk/... ./evd/...
CGOCHECK_PACKAGES   = ./vk/... $(DEVICE_EVD)
VALIDATION_PACKAGES = ./vk/... $(DEVICE_STAGES) $(DEVICE_EVD)
GPUAV_PACKAGES      = ./vk/... $(DEVICE_EVD)
WIDTH_PACKAGES      = ./vk ./vk/internal/driver ./vk/spirv $(DEVICE_STAGES)
VULKANGO_RUN   = .
RACE_RUN       = .
CGOCHECK_RUN   = .
VALIDATION_RUN = .
# Instrumented shaders compile slowly; the solves of one test use most of them.
GPUAV_RUN      = SameBits|Fill|Kernel|Transfer
WIDTH_RUN      = .
# Kernels that compile slowly for wide vectors. Other tests run the same code with other sizes.
WIDTH_SKIP     = TestBulgeChasing$$|ChasingWide|ApplyQ2Tunings|InEveryTuning|EveryTableFits
# The same kernels many times with other numbers. The unit tests run them; that is enough.
MANY           = OnEveryKind|TestEveryOrder$$|LongInnerDimensions|TestRowMajor$$|ChasingWide|ApplyQ2Tunings|OfEveryOrder|AgreesWithTwin|GemmEdges|EveryKindOfMatrix|InEveryTuning|TestBulgeChasing$$|ChasingManyTimes|BracketsHold|TestBandReduction$$|ReductionKinds|DebugShadersSolve|TestBisection$$|OfSplitMatrices|EveryTableFits
# Tests for which bindings, threads and pointers make no difference.
SLOW           = EveryCallOfASession|DeviceLostInEachStage|ForecastsAre|ForecastsHold|FallbackOfMRRR|$(MANY)

# Vector widths of the CPU driver besides its usual 256: subgroups of 4 and 16.
WIDTHS = 128 512

# The quick tests: no soak, no injected faults, no collections of matrices.
QUICK_PACKAGES = ./tests ./cmd/... ./evd/... ./shaders/... ./stages/... ./vk ./vk/spirv ./vk/internal/driver
QUICK_SKIP     = Dsyev|$(SLOW)

GO      ?= go
TIMEOUT ?= 20m
SOAK    ?= 1h
# How long each fuzz target runs in make test-long.
FUZZ    ?= 1m

# Tests see only the CPU driver, whatever GPUs there are; with GPU=1 they see only the GPUs. All
# test binaries share a cache, so each shader is compiled once. Tests get an empty standard input,
# because they may be started with a closed one.
DRIVER = $(if $(GPU),,VK_DRIVER_FILES="$$(ls /usr/share/vulkan/icd.d/lvp_icd*.json | head -n 1)")
TEST = </dev/null env $(DRIVER) MESA_SHADER_CACHE_DIR="$(CURDIR)/.cache/mesa"
# Go cannot know that the environment of a driver changes results, so it must not cache them.
AGAIN = -count=1 -timeout $(TIMEOUT)

LAYER = VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation
SYNC = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT:VALIDATION_CHECK_ENABLE_SYNCHRONIZATION_VALIDATION_QUEUE_SUBMIT
GPUAV = VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_EXT:VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_RESERVE_BINDING_SLOT_EXT

.PHONY: demo build test test-quick test-long soak shaders vet setup compiler clean \
	test-unit test-newcomers test-vulkango test-race test-cgocheck test-validation test-gpuav test-widths \
	test-farm test-faults test-chases test-tridiagonals test-gonum test-speed test-fuzz
# The parts of a test share two cores and one GPU: one after the other.
.NOTPARALLEL:

demo: setup build
	@tools/demo.sh

build:
	$(GO) build -o bin/vkevd ./cmd/vkevd

test: setup compiler vet test-unit test-newcomers test-vulkango test-race test-cgocheck test-validation test-gpuav test-widths

test-quick: setup compiler vet
	$(TEST) $(GO) test -timeout $(TIMEOUT) -skip '$(QUICK_SKIP)' $(QUICK_PACKAGES)

test-long: setup compiler test-farm test-faults test-chases test-tridiagonals test-gonum test-speed test-fuzz
	$(MAKE) soak SOAK=10m

setup:
	@tools/setup.sh

compiler:
	@tools/glslc.sh --fetch

shaders: compiler
	$(GO) run ./shaders/gen $(ALL)

vet:
	$(GO) vet ./...
	$(GO) vet -tags vulkango ./...

test-unit:
	$(TEST) $(GO) test -timeout $(TIMEOUT) ./...

# What new users do first, as scripts; see tests/newcomers.
test-newcomers: build
	@tools/setup.sh python3-numpy
	$(TEST) tests/newcomers/run.sh

test-vulkango:
	$(TEST) $(GO) test $(AGAIN) -tags vulkango -run '$(VULKANGO_RUN)' -skip '$(SLOW)' $(VULKANGO_PACKAGES)

test-race:
	$(TEST) $(GO) test $(AGAIN) -race -run '$(RACE_RUN)' -skip '$(SLOW)' $(RACE_PACKAGES)

test-cgocheck:
	$(TEST) GOEXPERIMENT=cgocheck2 $(GO) test $(AGAIN) -run '$(CGOCHECK_RUN)' -skip '$(SLOW)' $(CGOCHECK_PACKAGES)

test-validation:
	$(TEST) $(LAYER) VK_LAYER_ENABLES=$(SYNC) \
		tools/validated.sh $(GO) test $(AGAIN) -v -run '$(VALIDATION_RUN)' -skip '$(MANY)' $(VALIDATION_PACKAGES)

test-gpuav:
	$(TEST) $(LAYER) VK_LAYER_ENABLES=$(GPUAV) \
		tools/validated.sh $(GO) test $(AGAIN) -v -run '$(GPUAV_RUN)' $(GPUAV_PACKAGES)

test-widths:
	for w in $(WIDTHS); do \
		$(TEST) LP_NATIVE_VECTOR_WIDTH=$$w $(GO) test $(AGAIN) -run '$(WIDTH_RUN)' -skip '$(WIDTH_SKIP)' $(WIDTH_PACKAGES) || exit 1; \
	done

# The parts of test-long. LONG lets each of them run for hours.
LONG = -count=1 -timeout 0

test-farm: # the kernels compile for AMD's GPUs since 2016 and one of Intel; the unit tests take five
	VKEVD_FARM=all $(GO) test $(LONG) ./tests/farm

test-faults: # every driver call fails with every result, and every call is cancelled
	$(TEST) VKEVD_FAULTS=all $(GO) test $(LONG) ./vk/internal/trials

test-chases: # bulge chasing at n = 2048, 1000 times on a GPU, 20 on the CPU driver: the same bits
	$(TEST) VKEVD_CHASES=$(if $(GPU),1000,20) $(GO) test $(LONG) -v -run BulgeChasingLong ./stages

test-tridiagonals: # larger orders and many glued matrices
	$(TEST) VKEVD_MRRR=1 VKEVD_CONQUER=1 $(GO) test $(LONG) -run 'MRRR|DivideConquer' ./stages

test-gonum: # all of gonum's own test of Dsyev
	$(TEST) VKEVD_GONUM=1 $(GO) test $(LONG) ./evd/gonumlapack

test-speed: # a batch of small matrices is faster than one after another; nothing else may run
	$(TEST) VKEVD_SPEED=1 $(GO) test $(LONG) -v -run TestSpeed ./evd/batch

test-fuzz:
	$(TEST) tools/fuzz.sh $(FUZZ)

soak:
	$(TEST) VKEVD_SOAK=$(SOAK) $(GO) test -count=1 -timeout 0 -v -run Soak ./vk/internal/trials

clean:
	rm -rf bin .cache
