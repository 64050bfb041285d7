// Byte kernels: 64 or 16 bytes in, one bit per byte out.
//
// Each kernel has a vector form, which the compiler turns into SSE2, NEON or plain code, and a scalar
// twin with the suffix `_scalar`, which the tests compare it with.
// A kernel reads exactly the bytes its name tells; the caller guarantees that they are readable.
// No kernel needs its bytes to be aligned.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#define CSIMD_SSE2 1
#elif defined(__aarch64__) && defined(__ARM_NEON)
#include <arm_neon.h>
#define CSIMD_NEON 1
#endif

// The order of two byte strings of the same length: negative, zero, positive.
static inline int csimd_compare(const void *a, const void *b, size_t count) {
  return memcmp(a, b, count);
}

// The first `byte` among `count` bytes, or a null pointer.
static inline const uint8_t *csimd_find(const uint8_t *bytes, uint8_t byte, size_t count) {
  return (const uint8_t *)memchr(bytes, byte, count);
}

// Declared by the C library only with _GNU_SOURCE.
extern void *memmem(const void *, size_t, const void *, size_t);
extern void *memrchr(const void *, int, size_t);

// The last `byte` among `count` bytes, or a null pointer.
static inline const uint8_t *csimd_find_last(const uint8_t *bytes, uint8_t byte, size_t count) {
  return (const uint8_t *)memrchr(bytes, byte, count);
}

// Whether the first `count` bytes hold the `length` bytes of `pattern`, one behind the other.
static inline bool csimd_contains(
    const uint8_t *bytes, size_t count, const uint8_t *pattern, size_t length) {
  return memmem(bytes, count, pattern, length) != NULL;
}

typedef uint8_t csimd_bytes16 __attribute__((vector_size(16)));

static inline csimd_bytes16 csimd_load16(const uint8_t *bytes) {
  csimd_bytes16 loaded;
  memcpy(&loaded, bytes, 16);
  return loaded;
}

// One bit per lane of a comparison result (each lane is 0x00 or 0xFF).
static inline uint32_t csimd_mask16(csimd_bytes16 lanes) {
#if defined(CSIMD_SSE2)
  return (uint32_t)_mm_movemask_epi8((__m128i)lanes);
#elif defined(CSIMD_NEON)
  static const uint8_t weights[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  uint8x16_t bits = vandq_u8((uint8x16_t)lanes, vld1q_u8(weights));
  return (uint32_t)vaddv_u8(vget_low_u8(bits)) | (uint32_t)vaddv_u8(vget_high_u8(bits)) << 8;
#else
  uint32_t mask = 0;
  for (int i = 0; i < 16; i++) mask |= (uint32_t)(lanes[i] & 1) << i;
  return mask;
#endif
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

static inline uint32_t csimd_string_stops16(const uint8_t *bytes) {
  csimd_bytes16 v = csimd_load16(bytes);
  return csimd_mask16((csimd_bytes16)((v == '"') | (v == '\\') | (v < 0x20)));
}

// Bit i is set when byte i of the 32 is a quote.
static inline uint32_t csimd_quotes32_scalar(const uint8_t *bytes) {
  uint32_t mask = 0;
  for (int i = 0; i < 32; i++) mask |= (uint32_t)(bytes[i] == '"') << i;
  return mask;
}

static inline uint32_t csimd_quotes32(const uint8_t *bytes) {
  csimd_bytes16 low = csimd_load16(bytes), high = csimd_load16(bytes + 16);
  return csimd_mask16((csimd_bytes16)(low == '"'))
      | csimd_mask16((csimd_bytes16)(high == '"')) << 16;
}

// Whether one of the `count` bytes, at least 32, is a backslash or a control character.
bool csimd_has_specials(const uint8_t *bytes, size_t count);

// Bit i is set when byte i of the 64 is a control character (below 0x20); bit i of `quotes` when it is
// a quote; bit i of `backslashes` when it is a backslash.
static inline uint64_t csimd_string_parts64_scalar(
    const uint8_t *bytes, uint64_t *quotes, uint64_t *backslashes) {
  uint64_t controls = 0;
  *quotes = 0;
  *backslashes = 0;
  for (int i = 0; i < 64; i++) {
    uint64_t bit = (uint64_t)1 << i;
    if (bytes[i] < 0x20) controls |= bit;
    if (bytes[i] == '"') *quotes |= bit;
    if (bytes[i] == '\\') *backslashes |= bit;
  }
  return controls;
}

static inline uint64_t csimd_string_parts64(
    const uint8_t *bytes, uint64_t *quotes, uint64_t *backslashes) {
  uint64_t controls = 0, quote = 0, backslash = 0;
  for (int i = 0; i < 64; i += 16) {
    csimd_bytes16 v = csimd_load16(bytes + i);
    controls |= (uint64_t)csimd_mask16((csimd_bytes16)(v < 0x20)) << i;
    quote |= (uint64_t)csimd_mask16((csimd_bytes16)(v == '"')) << i;
    backslash |= (uint64_t)csimd_mask16((csimd_bytes16)(v == '\\')) << i;
  }
  *quotes = quote;
  *backslashes = backslash;
  return controls;
}

// Bit i is set when byte i of the 16 is a hexadecimal digit of either case; bit i of `hyphens` when
// it is a hyphen; bit i of `lower` when it is one of `a` to `f`.
static inline uint32_t csimd_hex16_scalar(
    const uint8_t *bytes, uint32_t *hyphens, uint32_t *lower) {
  uint32_t hex = 0;
  *hyphens = 0;
  *lower = 0;
  for (int i = 0; i < 16; i++) {
    uint8_t byte = bytes[i];
    uint32_t bit = (uint32_t)1 << i;
    if ((byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'F')) hex |= bit;
    if (byte >= 'a' && byte <= 'f') {
      hex |= bit;
      *lower |= bit;
    }
    if (byte == '-') *hyphens |= bit;
  }
  return hex;
}

static inline uint32_t csimd_hex16(const uint8_t *bytes, uint32_t *hyphens, uint32_t *lower) {
  csimd_bytes16 v = csimd_load16(bytes);
  csimd_bytes16 is_lower = (csimd_bytes16)(v - 'a' < 6);
  *hyphens = csimd_mask16((csimd_bytes16)(v == '-'));
  *lower = csimd_mask16(is_lower);
  return csimd_mask16((csimd_bytes16)((v - '0' < 10) | (v - 'A' < 6)) | is_lower);
}

// How many of the first bytes are ASCII.
size_t csimd_ascii(const uint8_t *bytes, size_t count);

// Bytes of the well-formed sequence of UTF-8 at the beginning of the `left` bytes, at least one; 0
// for none. The second byte reveals overlong forms, surrogates and scalars above U+10FFFF.
static inline size_t csimd_utf8_sequence(const uint8_t *bytes, size_t left) {
  uint8_t lead = bytes[0];
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4 || left < 2) return 0;
  if (lead < 0xE0) return (bytes[1] & 0xC0) == 0x80 ? 2 : 0;
  uint8_t lowest = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  uint8_t highest = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (bytes[1] < lowest || bytes[1] > highest) return 0;
  if (left < 3 || (bytes[2] & 0xC0) != 0x80) return 0;
  if (lead < 0xF0) return 3;
  return left >= 4 && (bytes[3] & 0xC0) == 0x80 ? 4 : 0;
}

// How many of the first bytes are well-formed UTF-8.
size_t csimd_utf8(const uint8_t *bytes, size_t count);

// How many of the `count` bytes are line feeds.
static inline size_t csimd_count_newlines_scalar(const uint8_t *bytes, size_t count) {
  size_t found = 0;
  for (size_t i = 0; i < count; i++) found += bytes[i] == '\n';
  return found;
}

size_t csimd_count_newlines(const uint8_t *bytes, size_t count);

// Whether this processor has AVX2.
bool csimd_has_avx2(void);

// The position of the first of `count` bytes that hints at the magic of a compression, as its first
// or fourth byte; `count` without any. Text may have such bytes, too.
size_t csimd_find_magic_hint(const uint8_t *bytes, size_t count);
