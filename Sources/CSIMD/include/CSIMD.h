// Byte kernels: 64 or 16 bytes in, one bit per byte out.
//
// Each kernel has a vector form (SSE2 on x86-64, NEON on arm64) and a scalar twin with the suffix
// `_scalar`, which is both the portable form and what the tests compare the vector form with.
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

#if defined(CSIMD_NEON)
// One bit per lane of a comparison result (each lane is 0x00 or 0xFF).
static inline uint32_t csimd_neon_mask16(uint8x16_t lanes) {
  static const uint8_t weights[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  uint8x16_t bits = vandq_u8(lanes, vld1q_u8(weights));
  return (uint32_t)vaddv_u8(vget_low_u8(bits)) | (uint32_t)vaddv_u8(vget_high_u8(bits)) << 8;
}
#endif

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
#if defined(CSIMD_SSE2)
  __m128i v = _mm_loadu_si128((const __m128i *)bytes);
  __m128i quote = _mm_cmpeq_epi8(v, _mm_set1_epi8('"'));
  __m128i backslash = _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'));
  // SSE2 compares signed bytes only; unsigned v <= 0x1F is min(v, 0x1F) == v.
  __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(0x1F)), v);
  return (uint32_t)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, backslash), control));
#elif defined(CSIMD_NEON)
  uint8x16_t v = vld1q_u8(bytes);
  uint8x16_t quote = vceqq_u8(v, vdupq_n_u8('"'));
  uint8x16_t backslash = vceqq_u8(v, vdupq_n_u8('\\'));
  uint8x16_t control = vcltq_u8(v, vdupq_n_u8(0x20));
  return csimd_neon_mask16(vorrq_u8(vorrq_u8(quote, backslash), control));
#else
  return csimd_string_stops16_scalar(bytes);
#endif
}

// Bit i is set when byte i of the 32 is a quote.
static inline uint32_t csimd_quotes32_scalar(const uint8_t *bytes) {
  uint32_t mask = 0;
  for (int i = 0; i < 32; i++) mask |= (uint32_t)(bytes[i] == '"') << i;
  return mask;
}

static inline uint32_t csimd_quotes32(const uint8_t *bytes) {
#if defined(CSIMD_SSE2)
  __m128i quote = _mm_set1_epi8('"');
  __m128i low = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)bytes), quote);
  __m128i high = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)bytes + 1), quote);
  return (uint32_t)_mm_movemask_epi8(low) | (uint32_t)_mm_movemask_epi8(high) << 16;
#elif defined(CSIMD_NEON)
  uint8x16_t quote = vdupq_n_u8('"');
  return csimd_neon_mask16(vceqq_u8(vld1q_u8(bytes), quote))
      | csimd_neon_mask16(vceqq_u8(vld1q_u8(bytes + 16), quote)) << 16;
#else
  return csimd_quotes32_scalar(bytes);
#endif
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
#if defined(CSIMD_SSE2)
  uint64_t controls = 0, quote = 0, backslash = 0;
  for (int i = 0; i < 4; i++) {
    __m128i v = _mm_loadu_si128((const __m128i *)(bytes + 16 * i));
    __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(0x1F)), v);
    controls |= (uint64_t)(uint32_t)_mm_movemask_epi8(control) << (16 * i);
    quote |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')))
        << (16 * i);
    backslash |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8('\\')))
        << (16 * i);
  }
  *quotes = quote;
  *backslashes = backslash;
  return controls;
#elif defined(CSIMD_NEON)
  uint64_t controls = 0, quote = 0, backslash = 0;
  for (int i = 0; i < 4; i++) {
    uint8x16_t v = vld1q_u8(bytes + 16 * i);
    controls |= (uint64_t)csimd_neon_mask16(vcltq_u8(v, vdupq_n_u8(0x20))) << (16 * i);
    quote |= (uint64_t)csimd_neon_mask16(vceqq_u8(v, vdupq_n_u8('"'))) << (16 * i);
    backslash |= (uint64_t)csimd_neon_mask16(vceqq_u8(v, vdupq_n_u8('\\'))) << (16 * i);
  }
  *quotes = quote;
  *backslashes = backslash;
  return controls;
#else
  return csimd_string_parts64_scalar(bytes, quotes, backslashes);
#endif
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
#if defined(CSIMD_SSE2)
  __m128i v = _mm_loadu_si128((const __m128i *)bytes);
  __m128i digit = _mm_sub_epi8(v, _mm_set1_epi8('0'));
  __m128i isDigit = _mm_cmpeq_epi8(_mm_min_epu8(digit, _mm_set1_epi8(9)), digit);
  __m128i letter = _mm_sub_epi8(v, _mm_set1_epi8('a'));
  __m128i isLower = _mm_cmpeq_epi8(_mm_min_epu8(letter, _mm_set1_epi8(5)), letter);
  __m128i capital = _mm_sub_epi8(v, _mm_set1_epi8('A'));
  __m128i isCapital = _mm_cmpeq_epi8(_mm_min_epu8(capital, _mm_set1_epi8(5)), capital);
  *hyphens = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8('-')));
  *lower = (uint32_t)_mm_movemask_epi8(isLower);
  return (uint32_t)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(isDigit, isLower), isCapital));
#elif defined(CSIMD_NEON)
  uint8x16_t v = vld1q_u8(bytes);
  uint8x16_t isDigit = vcleq_u8(vsubq_u8(v, vdupq_n_u8('0')), vdupq_n_u8(9));
  uint8x16_t isLower = vcleq_u8(vsubq_u8(v, vdupq_n_u8('a')), vdupq_n_u8(5));
  uint8x16_t isCapital = vcleq_u8(vsubq_u8(v, vdupq_n_u8('A')), vdupq_n_u8(5));
  *hyphens = csimd_neon_mask16(vceqq_u8(v, vdupq_n_u8('-')));
  *lower = csimd_neon_mask16(isLower);
  return csimd_neon_mask16(vorrq_u8(vorrq_u8(isDigit, isLower), isCapital));
#else
  return csimd_hex16_scalar(bytes, hyphens, lower);
#endif
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
