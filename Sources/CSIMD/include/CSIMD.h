// Byte kernels: 64 or 16 bytes in, one bit per byte out.
//
// Each kernel has a vector form (SSE2 on x86-64, NEON on arm64) and a scalar twin with the suffix
// `_scalar`, which is both the portable form and what the tests compare the vector form with.
// A kernel reads exactly the bytes its name tells; the caller guarantees that they are readable.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

// The order of two byte strings of the same length: negative, zero, positive.
static inline int csimd_compare(const void *a, const void *b, size_t count) {
  return memcmp(a, b, count);
}

// Bit i is set when byte i of the 16 ends the plain run of a JSON string:
// a quote, a backslash, or a control character (below 0x20).
static inline uint32_t csimd_string_stops16_scalar(const uint8_t *bytes) {
  uint32_t mask = 0;
  for (int i = 0; i < 16; i++) {
    uint8_t byte = bytes[i];
    if (byte == '"' || byte == '\\' || byte < 0x20) mask |= (uint32_t)1 << i;
  }
  return mask;
}

// Bit i of `newlines` is set when byte i of the 64 is a line feed; the result tells whether any
// of the 64 bytes is outside ASCII.
static inline int csimd_newlines64_scalar(const uint8_t *bytes, uint64_t *newlines) {
  uint64_t mask = 0;
  uint8_t all = 0;
  for (int i = 0; i < 64; i++) {
    if (bytes[i] == '\n') mask |= (uint64_t)1 << i;
    all |= bytes[i];
  }
  *newlines = mask;
  return all >> 7;
}
