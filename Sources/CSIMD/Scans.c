// Scans of whole blocks, which the compiler turns into vectors: for any processor, and for AVX2.
#include "CSIMD.h"

#if defined(__x86_64__)
#define AVX2 __attribute__((target("avx2")))
#else
#define AVX2
#endif

bool csimd_has_avx2(void) {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
#else
  return false;
#endif
}

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

typedef uint8_t bytes32 __attribute__((vector_size(32)));
typedef uint64_t words4 __attribute__((vector_size(32)));

#define DEFINE_SPECIALS(NAME, TARGET)                                                           \
  TARGET static bool NAME(const uint8_t *bytes, size_t count) {                                 \
    bytes32 any, part;                                                                          \
    /* The last 32 bytes, of which the rounds before may have had some. */                      \
    memcpy(&part, bytes + count - 32, 32);                                                      \
    any = (bytes32)(part < 0x20) | (bytes32)(part == '\\');                                     \
    for (size_t i = 0; i + 32 < count; i += 32) {                                               \
      memcpy(&part, bytes + i, 32);                                                             \
      any |= (bytes32)(part < 0x20) | (bytes32)(part == '\\');                                  \
    }                                                                                           \
    words4 words = (words4)any;                                                                 \
    return (words[0] | words[1] | words[2] | words[3]) != 0;                                    \
  }

DEFINE_SPECIALS(specials_vector, )
DEFINE_SPECIALS(specials_avx2, AVX2)

bool csimd_has_specials(const uint8_t *bytes, size_t count) {
  return csimd_has_avx2() ? specials_avx2(bytes, count) : specials_vector(bytes, count);
}

#define DEFINE_ASCII(NAME, TARGET)                                                              \
  TARGET static inline bool NAME##_64(const uint8_t *bytes) {                                   \
    bytes32 a, b;                                                                               \
    memcpy(&a, bytes, 32);                                                                      \
    memcpy(&b, bytes + 32, 32);                                                                 \
    words4 any = (words4)(a | b);                                                               \
    return ((any[0] | any[1] | any[2] | any[3]) & 0x8080808080808080) == 0;                     \
  }                                                                                             \
  TARGET static inline size_t NAME(const uint8_t *bytes, size_t count) {                        \
    size_t i = 0;                                                                               \
    while (i + 64 <= count && NAME##_64(bytes + i)) i += 64;                                    \
    /* The last 64 bytes at once, including some that were checked before. */                   \
    if (i + 64 > count && count >= 64 && NAME##_64(bytes + count - 64)) return count;           \
    for (; i + 8 <= count; i += 8) {                                                            \
      uint64_t word;                                                                            \
      memcpy(&word, bytes + i, 8);                                                              \
      if (word & 0x8080808080808080) break;                                                     \
    }                                                                                           \
    while (i < count && bytes[i] < 0x80) i++;                                                   \
    return i;                                                                                   \
  }

DEFINE_ASCII(ascii_vector, )
DEFINE_ASCII(ascii_avx2, AVX2)

size_t csimd_ascii(const uint8_t *bytes, size_t count) {
  return csimd_has_avx2() ? ascii_avx2(bytes, count) : ascii_vector(bytes, count);
}

// Text outside ASCII comes in runs, with spaces and commas between the words.
#define DEFINE_UTF8(NAME, ASCII, TARGET)                                                        \
  TARGET static size_t NAME(const uint8_t *bytes, size_t count) {                               \
    size_t i = 0;                                                                               \
    while (true) {                                                                              \
      i += ASCII(bytes + i, count - i);                                                         \
      for (int ascii = 0; ascii < 4; ascii += bytes[i - 1] < 0x80) {                            \
        if (i == count) return i;                                                               \
        size_t length = csimd_utf8_sequence(bytes + i, count - i);                              \
        if (length == 0) return i;                                                              \
        i += length;                                                                            \
      }                                                                                         \
    }                                                                                           \
  }

DEFINE_UTF8(utf8_vector, ascii_vector, )
DEFINE_UTF8(utf8_avx2, ascii_avx2, AVX2)

size_t csimd_utf8(const uint8_t *bytes, size_t count) {
  return csimd_has_avx2() ? utf8_avx2(bytes, count) : utf8_vector(bytes, count);
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
