# make demo     solve the matrix that comes with the repository
# make build    bin/vkevd
# make test     all that CI runs; each test-NAME below is a part of it
# make soak     random solves, each checked, for an hour (SOAK=10m: for less; GPU=1: on the GPU)
# make shaders  recompile the shaders that changed (all of them: make shaders ALL=-all)

# What the slower ways of testing cover: packages, and a -run pattern to thin them out.
VULKANGO_PACKAGES   = ./vk/... ./stages ./evd/... ./cmd/... ./examples/...
RACE_PACKAGES       = ./vk/... ./evd/...
CGOCHECK_PACKAGES   = ./vk/... ./evd
VALIDATION_PACKAGES = ./vk/... ./stages ./evd
GPUAV_PACKAGES      = ./vk/... ./evd
WIDTH_PACKAGES      = ./vk ./vk/internal/driver ./vk/spirv ./stages
VULKANGO_RUN   = .
RACE_RUN       = .
CGOCHECK_RUN   = .
VALIDATION_RUN = .
# Instrumented shaders compile slowly; the solves of one test have most of them.
GPUAV_RUN      = SameBits|Fill|Kernel|Transfer
WIDTH_RUN      = .
# Kernels that take long to compile for wide vectors, though other tests run the same code in other sizes.
WIDTH_SKIP     = TestBulgeChasing$$|ChasingWide|ApplyQ2Tunings|InEveryTuning
# The same kernels again and again, for other numbers: once, in the unit tests, is enough.
MANY           = OnEveryKind|TestRowMajor$$|ChasingWide|ApplyQ2Tunings|OfEveryOrder|AgreesWithTwin|GemmEdges|EveryKindOfMatrix|InEveryTuning|TestBulgeChasing$$|ChasingManyTimes|BracketsHold|TestBandReduction$$|ReductionKinds|DebugShadersSolve|TestBisection$$|OfSplitMatrices
# What neither bindings nor threads nor pointers matter to.
SLOW           = EveryCallOfASession|DeviceLostInEachStage|ForecastsAre|FallbackOfMRRR|$(MANY)

# Vector widths of the CPU driver besides its usual 256: subgroups of 4 and 16.
WIDTHS = 128 512

DEMO = bin/vkevd solve --check tests/testdata/demo.mtx

GO      ?= go
TIMEOUT ?= 20m
SOAK    ?= 1h

# Tests see the CPU driver alone, whatever GPUs there are (with GPU=1 they see
# those instead), and compile each shader once: all test binaries share a cache.
DRIVER = $(if $(GPU),,VK_DRIVER_FILES="$$(ls /usr/share/vulkan/icd.d/lvp_icd*.json | head -n 1)")
TEST = env $(DRIVER) MESA_SHADER_CACHE_DIR="$(CURDIR)/.cache/mesa"
# Go cannot know that a driver's environment changed its results: no cached ones.
AGAIN = -count=1 -timeout $(TIMEOUT)

LAYER = VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation
SYNC = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT:VALIDATION_CHECK_ENABLE_SYNCHRONIZATION_VALIDATION_QUEUE_SUBMIT
GPUAV = VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_EXT:VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_RESERVE_BINDING_SLOT_EXT

.PHONY: demo build test soak shaders vet setup compiler clean \
	test-unit test-vulkango test-race test-cgocheck test-validation test-gpuav test-widths
# The parts of a test share two cores and one GPU: one after the other.
.NOTPARALLEL:

demo: setup build
	$(DEMO)

build:
	$(GO) build -o bin/vkevd ./cmd/vkevd

test: setup compiler vet test-unit test-vulkango test-race test-cgocheck test-validation test-gpuav test-widths

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

test-vulkango:
	$(TEST) $(GO) test $(AGAIN) -tags vulkango -run '$(VULKANGO_RUN)' -skip '$(SLOW)' $(VULKANGO_PACKAGES)

test-race:
	$(TEST) $(GO) test $(AGAIN) -race -run '$(RACE_RUN)' -skip '$(SLOW)' $(RACE_PACKAGES)

test-cgocheck:
	GOEXPERIMENT=cgocheck2 $(TEST) $(GO) test $(AGAIN) -run '$(CGOCHECK_RUN)' -skip '$(SLOW)' $(CGOCHECK_PACKAGES)

test-validation:
	$(TEST) $(LAYER) VK_LAYER_ENABLES=$(SYNC) \
		tools/validated.sh $(GO) test $(AGAIN) -v -run '$(VALIDATION_RUN)' -skip '$(MANY)' $(VALIDATION_PACKAGES)

test-gpuav:
	$(TEST) $(LAYER) VK_LAYER_ENABLES=$(GPUAV) \
		tools/validated.sh $(GO) test $(AGAIN) -v -run '$(GPUAV_RUN)' $(GPUAV_PACKAGES)

test-widths:
	for w in $(WIDTHS); do \
		LP_NATIVE_VECTOR_WIDTH=$$w $(TEST) $(GO) test $(AGAIN) -run '$(WIDTH_RUN)' -skip '$(WIDTH_SKIP)' $(WIDTH_PACKAGES) || exit 1; \
	done

soak:
	VKEVD_SOAK=$(SOAK) $(TEST) $(GO) test -count=1 -timeout 0 -v -run Soak ./vk/internal/trials

clean:
	rm -rf bin .cache
