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

// Bit i is set when byte i of the 16 is outside ASCII.
static inline uint32_t csimd_nonascii16_scalar(const uint8_t *bytes) {
  uint32_t mask = 0;
  for (int i = 0; i < 16; i++) mask |= (uint32_t)(bytes[i] >> 7) << i;
  return mask;
}

static inline uint32_t csimd_nonascii16(const uint8_t *bytes) {
#if defined(CSIMD_SSE2)
  return (uint32_t)_mm_movemask_epi8(_mm_loadu_si128((const __m128i *)bytes));
#elif defined(CSIMD_NEON)
  return csimd_neon_mask16(vcgeq_u8(vld1q_u8(bytes), vdupq_n_u8(0x80)));
#else
  return csimd_nonascii16_scalar(bytes);
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

// Whether any of the 64 bytes is outside ASCII.
static inline bool csimd_has_nonascii64_scalar(const uint8_t *bytes) {
  uint8_t any = 0;
  for (int i = 0; i < 64; i++) any |= bytes[i];
  return any >> 7;
}

static inline bool csimd_has_nonascii64(const uint8_t *bytes) {
#if defined(CSIMD_SSE2)
  const __m128i *v = (const __m128i *)bytes;
  __m128i low = _mm_or_si128(_mm_loadu_si128(v), _mm_loadu_si128(v + 1));
  __m128i high = _mm_or_si128(_mm_loadu_si128(v + 2), _mm_loadu_si128(v + 3));
  return _mm_movemask_epi8(_mm_or_si128(low, high)) != 0;
#elif defined(CSIMD_NEON)
  uint8x16_t low = vorrq_u8(vld1q_u8(bytes), vld1q_u8(bytes + 16));
  uint8x16_t high = vorrq_u8(vld1q_u8(bytes + 32), vld1q_u8(bytes + 48));
  return vmaxvq_u8(vorrq_u8(low, high)) >= 0x80;
#else
  return csimd_has_nonascii64_scalar(bytes);
#endif
}

// How many of the `count` bytes are line feeds.
static inline size_t csimd_count_newlines_scalar(const uint8_t *bytes, size_t count) {
  size_t found = 0;
  for (size_t i = 0; i < count; i++) found += bytes[i] == '\n';
  return found;
}

size_t csimd_count_newlines(const uint8_t *bytes, size_t count);

// Bit i is set when byte i of the 64 is white space as lines have it: space, tab, CR or LF.
static inline uint64_t csimd_blanks64_scalar(const uint8_t *bytes) {
  uint64_t found = 0;
  for (int i = 0; i < 64; i++) {
    uint8_t byte = bytes[i];
    if (byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n') found |= (uint64_t)1 << i;
  }
  return found;
}

static inline uint64_t csimd_blanks64(const uint8_t *bytes) {
#if defined(CSIMD_SSE2)
  const __m128i space = _mm_set1_epi8(' '), tab = _mm_set1_epi8('\t');
  const __m128i feed = _mm_set1_epi8('\n'), back = _mm_set1_epi8('\r');
  uint64_t found = 0;
  for (int i = 0; i < 4; i++) {
    __m128i v = _mm_loadu_si128((const __m128i *)(bytes + 16 * i));
    __m128i ends = _mm_or_si128(_mm_cmpeq_epi8(v, feed), _mm_cmpeq_epi8(v, back));
    __m128i gaps = _mm_or_si128(_mm_cmpeq_epi8(v, space), _mm_cmpeq_epi8(v, tab));
    found |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_or_si128(ends, gaps)) << (16 * i);
  }
  return found;
#elif defined(CSIMD_NEON)
  const uint8x16_t space = vdupq_n_u8(' '), tab = vdupq_n_u8('\t');
  const uint8x16_t feed = vdupq_n_u8('\n'), back = vdupq_n_u8('\r');
  uint64_t found = 0;
  for (int i = 0; i < 4; i++) {
    uint8x16_t v = vld1q_u8(bytes + 16 * i);
    uint8x16_t ends = vorrq_u8(vceqq_u8(v, feed), vceqq_u8(v, back));
    uint8x16_t gaps = vorrq_u8(vceqq_u8(v, space), vceqq_u8(v, tab));
    found |= (uint64_t)csimd_neon_mask16(vorrq_u8(ends, gaps)) << (16 * i);
  }
  return found;
#else
  return csimd_blanks64_scalar(bytes);
#endif
}

// Asks for the cache line at `address`, which need not be readable. Changes nothing but time.
static inline void csimd_prefetch(const void *address) { __builtin_prefetch(address); }

// One line of a block: where its line feed stands, how many quotes stand before that in the block, and
// the position behind the last special byte before it, 0 without any.
struct csimd_line {
  uint32_t end, quotes, special;
};

// How many quotes and lines an index has.
struct csimd_counts {
  size_t quotes, lines;
};

// Indexes `count` bytes, fewer than 2^32: writes the positions of the quotes that no backslash escapes,
// the lines that end with a line feed, and for each 64 bytes which of them are special: backslashes,
// control characters other than the line feed, bytes outside ASCII. There must be room for
// `count` + 64 quotes, `count` lines and (`count` + 63) / 64 words.
struct csimd_counts csimd_index_scalar(
    const uint8_t *bytes, size_t count, uint32_t *quotes, struct csimd_line *lines,
    uint64_t *specials);
struct csimd_counts csimd_index_vector(
    const uint8_t *bytes, size_t count, uint32_t *quotes, struct csimd_line *lines,
    uint64_t *specials);
// The same for processors with AVX2 (csimd_has_avx2()).
struct csimd_counts csimd_index_avx2(
    const uint8_t *bytes, size_t count, uint32_t *quotes, struct csimd_line *lines,
    uint64_t *specials);
bool csimd_has_avx2(void);

// The position of the first of `count` bytes that hints at the magic of a compression, as its first
// or fourth byte; `count` without any. Text may have such bytes, too.
size_t csimd_find_magic_hint(const uint8_t *bytes, size_t count);
