// The kernels of CSIMD against their scalar twins: random bytes and edges, at every alignment. KernelTests does so in
// Swift; this needs only a C compiler for arm64.
#include <CSIMD.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t state = 11;

// xorshift64*.
static uint32_t next(uint32_t bound) {
  state ^= state >> 12, state ^= state << 25, state ^= state >> 27;
  return (uint32_t)(state * 0x2545F4914F6CDD1D >> 33) % bound;
}

#define CHECK(CONDITION)                                                              \
  if (!(CONDITION)) {                                                                 \
    fprintf(stderr, "round %d, offset %d: not %s\n", round, offset, #CONDITION);      \
    exit(1);                                                                          \
  }

static bool has_specials(const uint8_t *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) if (bytes[i] < 0x20 || bytes[i] == '\\') return true;
  return false;
}

static size_t ascii(const uint8_t *bytes, size_t count) {
  size_t i = 0;
  while (i < count && bytes[i] < 0x80) i++;
  return i;
}

static size_t utf8(const uint8_t *bytes, size_t count) {
  for (size_t i = 0, length; i < count; i += length) {
    length = csimd_utf8_sequence(bytes + i, count - i);
    if (length == 0) return i;
  }
  return count;
}

static size_t magic_hint(const uint8_t *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if ((bytes[i] >= 0x18 && bytes[i] <= 0x1F) || bytes[i] >= 0xF8) return i;
    if (bytes[i] == 'B' && i + 1 < count && bytes[i + 1] == 'Z') return i;
  }
  return count;
}

int main(void) {
#if !defined(CSIMD_NEON)
  fprintf(stderr, "these are not the kernels of arm64\n");
  return 1;
#endif
  // What kernels distinguish, and its neighbors; valid and invalid sequences of UTF-8.
  static const char *const edges[] = {
    "\t", "\n", "\v", "\r", "\x17", "\x18", "\x1F", " ", "!", "\"", "#", "-", "/", "0", "9", ":", "@", "A", "F", "G",
    "`", "a", "f", "g", "B", "Z", "BZ", "[", "\\", "]", "\x7F", "\x80", "\xA2", "\xC1", "\xDC", "\xF7", "\xF8", "\xFF",
    "\u00E9", "\u20AC", "\U0001F600", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE0\x80\x80", "\xF0\x80\x80\x80",
  };
  for (int round = 0; round < 6000; round++) {
    const size_t size = 160 + next(600);
    uint8_t *const bytes = malloc(size);
    // One of 1, 8, 64 or 512 bytes is not plain text.
    const uint32_t sparse = 1u << 3 * next(4);
    for (size_t i = 0; i < size;) {
      if (next(sparse)) {
        bytes[i++] = 'x';
      } else if (next(4) == 0) {
        bytes[i++] = (uint8_t)next(256);
      } else {
        const char *edge = edges[next(sizeof edges / sizeof *edges)];
        while (*edge && i < size) bytes[i++] = (uint8_t)*edge++;
      }
    }
    for (int offset = 0; offset < 64; offset++) {
      const uint8_t *const start = bytes + offset;
      CHECK(csimd_string_stops16(start) == csimd_string_stops16_scalar(start));
      CHECK(csimd_quotes32(start) == csimd_quotes32_scalar(start));
      uint32_t hyphens, lower, hyphens_expected, lower_expected;
      CHECK(csimd_hex16(start, &hyphens, &lower)
          == csimd_hex16_scalar(start, &hyphens_expected, &lower_expected));
      CHECK(hyphens == hyphens_expected && lower == lower_expected);
      uint64_t quotes, backslashes, quotes_expected, backslashes_expected;
      CHECK(csimd_string_parts64(start, &quotes, &backslashes)
          == csimd_string_parts64_scalar(start, &quotes_expected, &backslashes_expected));
      CHECK(quotes == quotes_expected && backslashes == backslashes_expected);
      const size_t count = 32 + next((uint32_t)(size - 32 - (size_t)offset) + 1);
      CHECK(csimd_has_specials(start, count) == has_specials(start, count));
      CHECK(csimd_count_newlines(start, count) == csimd_count_newlines_scalar(start, count));
      CHECK(csimd_ascii(start, count) == ascii(start, count));
      CHECK(csimd_utf8(start, count) == utf8(start, count));
      CHECK(csimd_find_magic_hint(start, count) == magic_hint(start, count));
    }
    free(bytes);
  }
  puts("kernels: 6,000 random blocks at 64 offsets, as their scalar twins");
}
