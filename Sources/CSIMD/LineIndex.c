// The index of a block: the positions of its quotes and line ends, and the bytes that need a second
// check. One loop, and a way to classify 64 bytes for each kind of processor.
#include "CSIMD.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// What 64 bytes are, one bit per byte.
struct masks {
  uint64_t quotes, line_feeds, backslashes;
  // Backslashes, control characters other than the line feed, bytes outside ASCII.
  uint64_t specials;
};

static inline __attribute__((always_inline)) struct masks masks_scalar(const uint8_t *bytes) {
  struct masks masks = {0, 0, 0, 0};
  for (int i = 0; i < 64; i++) {
    uint64_t bit = (uint64_t)1 << i;
    if (bytes[i] == '"') masks.quotes |= bit;
    if (bytes[i] == '\n') masks.line_feeds |= bit;
    if (bytes[i] == '\\') masks.backslashes |= bit;
    if (bytes[i] == '\\' || bytes[i] < 0x20 || bytes[i] > 0x7F) masks.specials |= bit;
  }
  masks.specials &= ~masks.line_feeds;
  return masks;
}

#if defined(CSIMD_SSE2)
static inline __attribute__((always_inline)) uint64_t equal_sse2(const __m128i *v, char byte) {
  uint64_t mask = 0;
  for (int i = 0; i < 4; i++) {
    uint32_t part = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v[i], _mm_set1_epi8(byte)));
    mask |= (uint64_t)part << (16 * i);
  }
  return mask;
}

static inline __attribute__((always_inline)) struct masks masks_vector(const uint8_t *bytes) {
  __m128i v[4];
  struct masks masks = {0, 0, 0, 0};
  for (int i = 0; i < 4; i++) {
    v[i] = _mm_loadu_si128((const __m128i *)bytes + i);
    // As signed numbers, control characters and bytes outside ASCII are less than a space.
    uint32_t part = (uint32_t)_mm_movemask_epi8(_mm_cmplt_epi8(v[i], _mm_set1_epi8(0x20)));
    masks.specials |= (uint64_t)part << (16 * i);
  }
  masks.quotes = equal_sse2(v, '"');
  masks.line_feeds = equal_sse2(v, '\n');
  masks.backslashes = equal_sse2(v, '\\');
  masks.specials = (masks.specials | masks.backslashes) & ~masks.line_feeds;
  return masks;
}
#elif defined(CSIMD_NEON)
static inline struct masks masks_vector(const uint8_t *bytes) {
  struct masks masks = {0, 0, 0, 0};
  for (int i = 0; i < 4; i++) {
    int8x16_t v = vld1q_s8((const int8_t *)bytes + 16 * i);
    masks.quotes |= (uint64_t)csimd_neon_mask16(vceqq_s8(v, vdupq_n_s8('"'))) << (16 * i);
    masks.line_feeds |= (uint64_t)csimd_neon_mask16(vceqq_s8(v, vdupq_n_s8('\n'))) << (16 * i);
    masks.backslashes |= (uint64_t)csimd_neon_mask16(vceqq_s8(v, vdupq_n_s8('\\'))) << (16 * i);
    // As signed numbers, control characters and bytes outside ASCII are less than a space.
    masks.specials |= (uint64_t)csimd_neon_mask16(vcltq_s8(v, vdupq_n_s8(0x20))) << (16 * i);
  }
  masks.specials = (masks.specials | masks.backslashes) & ~masks.line_feeds;
  return masks;
}
#else
#define masks_vector masks_scalar
#endif

#if defined(__x86_64__)
#define AVX2 __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt")))

AVX2 static inline __attribute__((always_inline)) uint64_t bits_avx2(__m256i a, __m256i b) {
  return (uint32_t)_mm256_movemask_epi8(a) | (uint64_t)(uint32_t)_mm256_movemask_epi8(b) << 32;
}

AVX2 static inline __attribute__((always_inline)) uint64_t equal_avx2(
    __m256i a, __m256i b, char byte) {
  __m256i all = _mm256_set1_epi8(byte);
  return bits_avx2(_mm256_cmpeq_epi8(a, all), _mm256_cmpeq_epi8(b, all));
}

AVX2 static inline __attribute__((always_inline)) struct masks masks_avx2(const uint8_t *bytes) {
  __m256i a = _mm256_loadu_si256((const __m256i *)bytes);
  __m256i b = _mm256_loadu_si256((const __m256i *)bytes + 1);
  __m256i space = _mm256_set1_epi8(0x20);
  struct masks masks;
  masks.quotes = equal_avx2(a, b, '"');
  masks.line_feeds = equal_avx2(a, b, '\n');
  masks.backslashes = equal_avx2(a, b, '\\');
  // As signed numbers, control characters and bytes outside ASCII are less than a space.
  masks.specials = bits_avx2(_mm256_cmpgt_epi8(space, a), _mm256_cmpgt_epi8(space, b));
  masks.specials = (masks.specials | masks.backslashes) & ~masks.line_feeds;
  return masks;
}
#else
#define AVX2
#define masks_avx2 masks_vector
#endif

// Which of the 64 bytes a backslash stands before that is not escaped itself. `escapes` is whether
// the first one is escaped by what stands before, and becomes the same of the byte behind the last.
static inline __attribute__((always_inline)) uint64_t escaped(uint64_t backslashes, bool *escapes) {
  uint64_t escaped = *escapes;
  backslashes &= ~escaped;
  *escapes = false;
  while (backslashes != 0) {
    int i = __builtin_ctzll(backslashes);
    if (i == 63) {
      *escapes = true;
      break;
    }
    escaped |= (uint64_t)2 << i;
    backslashes &= ~((uint64_t)3 << i);
  }
  return escaped;
}

// What the index of a block has so far.
struct cursor {
  uint32_t *quotes;
  struct csimd_line *lines;
  size_t quote_count, line_count;
  // Position behind the last special byte.
  uint32_t special;
  bool escapes;
};

// Adds the 64 bytes at `position`. Writes up to 64 positions of quotes; some are unused.
static inline __attribute__((always_inline)) void add(
    struct cursor *c, struct masks masks, uint32_t position) {
  uint64_t quotes = masks.quotes;
  if (__builtin_expect((masks.backslashes | c->escapes) != 0, 0)) {
    quotes &= ~escaped(masks.backslashes, &c->escapes);
  }
  uint64_t feeds = masks.line_feeds;
  while (feeds != 0) {
    uint64_t before = (feeds & -feeds) - 1;
    uint64_t specials = masks.specials & before;
    struct csimd_line *line = &c->lines[c->line_count++];
    line->end = position + (uint32_t)__builtin_ctzll(feeds);
    line->quotes = (uint32_t)c->quote_count + (uint32_t)__builtin_popcountll(quotes & before);
    line->special = specials != 0 ? position + 64 - (uint32_t)__builtin_clzll(specials) : c->special;
    feeds &= feeds - 1;
  }
  if (masks.specials != 0) c->special = position + 64 - (uint32_t)__builtin_clzll(masks.specials);
  uint32_t *out = c->quotes + c->quote_count;
  int count = __builtin_popcountll(quotes);
  c->quote_count += (size_t)count;
  // Most stretches have no more than 12, so that there is little to guess for the processor.
  for (int i = 0; i < 12; i++) {
    out[i] = position + (quotes != 0 ? (uint32_t)__builtin_ctzll(quotes) : 64);
    quotes &= quotes - 1;
  }
  for (int i = 12; i < count; i++) {
    out[i] = position + (uint32_t)__builtin_ctzll(quotes);
    quotes &= quotes - 1;
  }
}

#define DEFINE_INDEX(NAME, TARGET, MASKS)                                                       \
  TARGET struct csimd_counts NAME(                                                              \
      const uint8_t *bytes, size_t count, uint32_t *quotes, struct csimd_line *lines,           \
      uint64_t *specials) {                                                                     \
    struct cursor c = {quotes, lines, 0, 0, 0, false};                                          \
    size_t position = 0;                                                                        \
    for (; position + 64 <= count; position += 64) {                                            \
      struct masks masks = MASKS(bytes + position);                                             \
      specials[position / 64] = masks.specials;                                                 \
      add(&c, masks, (uint32_t)position);                                                       \
    }                                                                                           \
    if (position < count) {                                                                     \
      uint8_t last[64];                                                                         \
      memset(last, ' ', sizeof last);                                                           \
      memcpy(last, bytes + position, count - position);                                         \
      struct masks masks = MASKS(last);                                                         \
      specials[position / 64] = masks.specials;                                                 \
      add(&c, masks, (uint32_t)position);                                                       \
    }                                                                                           \
    return (struct csimd_counts){c.quote_count, c.line_count};                                  \
  }

DEFINE_INDEX(csimd_index_scalar, , masks_scalar)
DEFINE_INDEX(csimd_index_vector, , masks_vector)
DEFINE_INDEX(csimd_index_avx2, AVX2, masks_avx2)

bool csimd_has_avx2(void) {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
#else
  return false;
#endif
}
