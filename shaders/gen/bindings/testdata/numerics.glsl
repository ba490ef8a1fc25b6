// This header defines the number types of typed.comp, a shader for the generator's test.
#ifdef SCALAR_F32
#define scalar_t float
#else
#extension GL_EXT_shader_explicit_arithmetic_types_float64 : require
#define scalar_t double
#endif
