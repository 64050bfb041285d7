// Scans of whole blocks, which the compiler turns into vectors: for any processor, and for AVX2.
#include "CSIMD.h"

#if defined(__x86_64__)
#define AVX2 __attribute__((target("avx2")))
#else
#define AVX2
#endif

#define DEFINE_COUNT(NAME, TARGET)                                                              \
  TARGET static size_t NAME(const uint8_t *bytes, size_t count) {                               \
    size_t found = 0, i = 0;                                                                    \
    while (count - i >= 64) {                                                                   \
      /* A lane counts up to 255 line feeds. */                                                 \
      size_t rounds = (count - i) / 64 < 255 ? (count - i) / 64 : 255;                          \
      uint8_t lanes[64] = {0};                                                                  \
      for (size_t end = i + 64 * rounds; i < end; i += 64) {                                    \
        for (int j = 0; j < 64; j++) lanes[j] += bytes[i + j] == '\n';                          \
      }                                                                                         \
      for (int j = 0; j < 64; j++) found += lanes[j];                                           \
    }                                                                                           \
    return found + csimd_count_newlines_scalar(bytes + i, count - i);                           \
  }

DEFINE_COUNT(count_vector, )
DEFINE_COUNT(count_avx2, AVX2)

size_t csimd_count_newlines(const uint8_t *bytes, size_t count) {
  return csimd_has_avx2() ? count_avx2(bytes, count) : count_vector(bytes, count);
}

// 0x18 to 0x1F, or 0xF8 to 0xFF, or a `B` before a `Z`: the magic bytes of each compression have
// one, and JSON hardly ever does.
static inline __attribute__((always_inline)) bool is_hint(uint8_t byte, uint8_t next) {
  return (((uint8_t)(byte + 8) & 0xD8) == 0) | ((byte == 'B') & (next == 'Z'));
}

#define DEFINE_FIND(NAME, TARGET)                                                               \
  TARGET static size_t NAME(const uint8_t *bytes, size_t count) {                               \
    size_t i = 0;                                                                               \
    for (; i + 128 < count; i += 128) {                                                         \
      uint8_t any = 0;                                                                          \
      for (int j = 0; j < 128; j++) any |= is_hint(bytes[i + j], bytes[i + j + 1]);             \
      if (any) break;                                                                           \
    }                                                                                           \
    while (i < count && !is_hint(bytes[i], i + 1 < count ? bytes[i + 1] : 0)) i++;              \
    return i;                                                                                   \
  }

DEFINE_FIND(find_vector, )
DEFINE_FIND(find_avx2, AVX2)

size_t csimd_find_magic_hint(const uint8_t *bytes, size_t count) {
  return csimd_has_avx2() ? find_avx2(bytes, count) : find_vector(bytes, count);
}
