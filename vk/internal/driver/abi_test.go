package driver

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// layouts lists every structure of abi.h except those of VK_KHR_cooperative_matrix, with fields
// that the C files of this package set or read. If no fields are listed, only the size of the
// structure is compared with that in the Khronos header.
var layouts = map[string]string{
	"VkPhysicalDeviceFeatures2":                               "",
	"VkPhysicalDeviceVulkan11Features":                        "",
	"VkPhysicalDeviceVulkan12Features":                        "",
	"VkPhysicalDeviceSubgroupSizeControlFeatures":             "",
	"VkPhysicalDeviceMaintenance4Features":                    "",
	"VkPhysicalDeviceShaderIntegerDotProductFeatures":         "",
	"VkPhysicalDeviceShaderIntegerDotProductProperties":       "integerDotProduct8BitSignedAccelerated integerDotProduct4x8BitPackedSignedAccelerated",
	"VkPhysicalDeviceSubgroupSizeControlProperties":           "minSubgroupSize maxSubgroupSize maxComputeWorkgroupSubgroups requiredSubgroupSizeStages",
	"VkPhysicalDeviceShaderCorePropertiesAMD":                 "shaderEngineCount shaderArraysPerEngineCount computeUnitsPerShaderArray",
	"VkPhysicalDeviceShaderCoreProperties2AMD":                "activeComputeUnitCount",
	"VkPhysicalDeviceFloatControlsProperties":                 "denormBehaviorIndependence roundingModeIndependence",
	"VkPipelineShaderStageRequiredSubgroupSizeCreateInfo":     "requiredSubgroupSize",
	"VkPhysicalDeviceProperties2":                             "",
	"VkPhysicalDeviceMemoryProperties2":                       "",
	"VkPhysicalDeviceDriverProperties":                        "driverID driverName driverInfo",
	"VkPhysicalDeviceSubgroupProperties":                      "subgroupSize supportedOperations",
	"VkPhysicalDeviceMaintenance3Properties":                  "maxMemoryAllocationSize",
	"VkPhysicalDeviceMaintenance4Properties":                  "maxBufferSize",
	"VkPhysicalDeviceShaderSMBuiltinsPropertiesNV":            "shaderSMCount shaderWarpsPerSM",
	"VkQueueFamilyProperties":                                 "queueFlags queueCount timestampValidBits",
	"VkExtensionProperties":                                   "extensionName specVersion",
	"VkPhysicalDeviceMemoryBudgetPropertiesEXT":               "heapBudget heapUsage",
	"VkDeviceQueueCreateInfo":                                 "queueFamilyIndex queueCount pQueuePriorities",
	"VkDeviceCreateInfo":                                      "queueCreateInfoCount pQueueCreateInfos enabledLayerCount enabledExtensionCount ppEnabledExtensionNames",
	"VkMemoryAllocateInfo":                                    "allocationSize memoryTypeIndex",
	"VkMemoryAllocateFlagsInfo":                               "flags",
	"VkBufferDeviceAddressInfo":                               "buffer",
	"VkBufferCreateInfo":                                      "flags size usage sharingMode queueFamilyIndexCount pQueueFamilyIndices",
	"VkExternalMemoryBufferCreateInfo":                        "handleTypes",
	"VkImportMemoryHostPointerInfoEXT":                        "handleType pHostPointer",
	"VkMemoryHostPointerPropertiesEXT":                        "memoryTypeBits",
	"VkSpecializationMapEntry":                                "constantID offset size",
	"VkSpecializationInfo":                                    "mapEntryCount pMapEntries dataSize pData",
	"VkPipelineShaderStageCreateInfo":                         "flags stage module pName pSpecializationInfo",
	"VkComputePipelineCreateInfo":                             "flags stage layout basePipelineHandle basePipelineIndex",
	"VkPushConstantRange":                                     "stageFlags offset size",
	"VkPipelineLayoutCreateInfo":                              "setLayoutCount pushConstantRangeCount pPushConstantRanges",
	"VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR": "pipelineExecutableInfo",
	"VkPipelineExecutableInfoKHR":                             "pipeline executableIndex",
	"VkPipelineExecutableStatisticKHR":                        "name description format value",
	"VkSemaphoreCreateInfo":                                   "flags",
	"VkSemaphoreTypeCreateInfo":                               "semaphoreType initialValue",
	"VkSemaphoreWaitInfo":                                     "flags semaphoreCount pSemaphores pValues",
	"VkTimelineSemaphoreSubmitInfo":                           "waitSemaphoreValueCount signalSemaphoreValueCount pSignalSemaphoreValues",
	"VkSubmitInfo":                                            "waitSemaphoreCount commandBufferCount pCommandBuffers signalSemaphoreCount pSignalSemaphores",
	"VkMemoryBarrier":                                         "srcAccessMask dstAccessMask",
	"VkBufferCopy":                                            "srcOffset dstOffset size",
	"VkDebugUtilsMessengerCallbackDataEXT":                    "pMessageIdName pMessage",
	"VkDebugUtilsMessengerCreateInfoEXT":                      "messageSeverity messageType pfnUserCallback pUserData",
}

// TestABIMatchesKhronosHeader compiles a program that prints sizes and offsets of structures. It
// compiles the program once with abi.h, and once with the Khronos header of the binding's module.
// Both programs must print the same.
func TestABIMatchesKhronosHeader(t *testing.T) {
	module, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/goki/vulkan").Output()
	if err != nil {
		t.Skipf("no Khronos header to compare with: %v", err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(strings.TrimSpace(string(module)), "vulkan")
	if _, err := os.Stat(filepath.Join(folder, "vulkan_core.h")); err != nil { // the module is not downloaded
		t.Skipf("no Khronos header to compare with: %v", err)
	}
	ours := describe(t, "-I"+here, `#include "abi.h"`)
	theirs := describe(t, "-I"+folder, `#include "vulkan_core.h"`)
	if ours != theirs {
		t.Errorf("abi.h:\n%s\nKhronos:\n%s", ours, theirs)
	}
	if strings.Count(ours, "\n") < len(layouts) {
		t.Errorf("only\n%s", ours)
	}
}

func describe(t *testing.T, include, header string) string {
	t.Helper()
	var src strings.Builder
	fmt.Fprintf(&src, "#define VK_NO_PROTOTYPES\n#include <stdio.h>\n#include <stddef.h>\n%s\nint main(void) {\n", header)
	for name, fields := range layouts {
		fmt.Fprintf(&src, "printf(\"%s %%zu\\n\", sizeof(%s));\n", name, name)
		for _, f := range strings.Fields(fields) {
			fmt.Fprintf(&src, "printf(\"%s.%s %%zu\\n\", offsetof(%s, %s));\n", name, f, name, f)
		}
	}
	src.WriteString("return 0;\n}\n")
	dir := t.TempDir()
	file, program := filepath.Join(dir, "abi.c"), filepath.Join(dir, "abi")
	if err := os.WriteFile(file, []byte(src.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("cc", include, "-o", program, file).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(program).Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(out), "\n")
	return strings.Join(sorted(lines), "\n")
}
