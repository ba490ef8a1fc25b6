// Prints the structures that vke_get_properties reads, and the properties that it returns, for a
// simulated device. The program's argument is the set of VKE_KNOWS_… bits of this device.
// properties_test.go reads the output.
#include "../instance.c"

#include <stdio.h>

static void answer(VkPhysicalDevice device, VkPhysicalDeviceProperties2 *all) {
	for (struct { VK_HEAD; } *s = (void *)all; s; s = (void *)s->pNext) {
		switch (s->sType) {
		case ST_SM_PROPERTIES: ((VkPhysicalDeviceShaderSMBuiltinsPropertiesNV *)s)->shaderSMCount = 132; break;
		case ST_AMD_CORE_PROPERTIES: {
			VkPhysicalDeviceShaderCorePropertiesAMD *amd = (void *)s;
			amd->shaderEngineCount = 6, amd->shaderArraysPerEngineCount = 2, amd->computeUnitsPerShaderArray = 8;
			break;
		}
		case ST_AMD_CORE_PROPERTIES_2: ((VkPhysicalDeviceShaderCoreProperties2AMD *)s)->activeComputeUnitCount = 84; break;
		case ST_SUBGROUP_SIZE_PROPERTIES: {
			VkPhysicalDeviceSubgroupSizeControlProperties *size = (void *)s;
			size->minSubgroupSize = 32, size->maxSubgroupSize = 64, size->maxComputeWorkgroupSubgroups = 32;
			size->requiredSubgroupSizeStages = 0x20;
			break;
		}
		case ST_INTEGER_DOT_PROPERTIES:
			((VkPhysicalDeviceShaderIntegerDotProductProperties *)s)->integerDotProduct4x8BitPackedSignedAccelerated = 1;
			break;
		case ST_MAINTENANCE_4_PROPERTIES: ((VkPhysicalDeviceMaintenance4Properties *)s)->maxBufferSize = 1000; break;
		case ST_FLOAT_CONTROLS_PROPERTIES: {
			VkPhysicalDeviceFloatControlsProperties *f = (void *)s;
			f->roundingModeIndependence = 2;
			f->preserve[2] = f->denormPreserve[1] = f->roundRTE[2] = f->roundRTE[0] = 1;
			break;
		}
		}
	}
}

int main(int argc, char **argv) {
	fn.properties2 = answer;
	vke_properties p;
	vke_get_properties(NULL, atoi(argv[1]), &p);
	printf("units %u, subgroups %u to %u, at most %u, buffer %d", p.units, p.min_subgroup, p.max_subgroup, p.max_subgroups, (int)p.max_buffer);
	if (p.fast_dots) printf(", fast dots");
	printf(", floats");
	for (int i = 0; i < 3; i++) printf(" %u%u%u", p.preserve[i], p.subnormals[i], p.nearest[i]);
	printf(", together %u\n", p.together);
	return 0;
}
