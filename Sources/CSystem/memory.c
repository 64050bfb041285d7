// memalign and RTLD_NEXT are extensions.
#define _GNU_SOURCE
#include "CSystem.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CSYSTEM_SANITIZED 1
#endif
#endif

#if defined(__GLIBC__) && !defined(CSYSTEM_SANITIZED)

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static const char *last_words;
static size_t last_length;
static int last_code;

// Whether an allocation has failed, and whether a thread asks for that.
static int failed, watched;
// The thread that asks. If it gets nothing, there is no tidying up.
static __thread int watches;
// Memory reserved for tidying up.
static void *reserve;
static const size_t reserved = 1 << 20;
// How long the thread that failed waits for that, in seconds.
static const int patience = 5;

void csystem_exit_without_memory(void) {
  // One thread speaks for all.
  static int ending;
  if (__atomic_exchange_n(&ending, 1, __ATOMIC_ACQ_REL)) for (;;) pause();
  for (size_t done = 0; done < last_length;) {
    const ssize_t written = write(STDERR_FILENO, last_words + done, last_length - done);
    if (written <= 0) break;
    done += (size_t)written;
  }
  _exit(__atomic_load_n(&last_code, __ATOMIC_ACQUIRE));
}

int csystem_is_without_memory(void) {
  if (!watches) {
    watches = 1;
    __atomic_store_n(&watched, 1, __ATOMIC_RELEASE);
  }
  if (!__atomic_load_n(&failed, __ATOMIC_ACQUIRE)) return 0;
  void *const kept = __atomic_exchange_n(&reserve, NULL, __ATOMIC_ACQ_REL);
  if (kept != NULL) munmap(kept, reserved);
  return 1;
}

// What an allocation gave, unless it gave nothing and that is to be the end.
static void *checked(void *memory) {
  if (memory != NULL || __atomic_load_n(&last_words, __ATOMIC_ACQUIRE) == NULL) return memory;
  // The other thread may need what this one has locked, so there is a limit.
  if (!__atomic_exchange_n(&failed, 1, __ATOMIC_ACQ_REL) && !watches
      && __atomic_load_n(&watched, __ATOMIC_ACQUIRE)) {
    sleep(patience);
  } else if (!watches && __atomic_load_n(&watched, __ATOMIC_ACQUIRE)) {
    for (;;) pause();
  }
  csystem_exit_without_memory();
  return NULL;
}

// The program defines the allocator's names, which all loaded objects then use. Each passes a call on to
// the next definition, of glibc or of a preloaded allocator. So does the linker with the names that are
// not defined here (free, malloc_usable_size), and all blocks are of one allocator.
static void *next(void **known, const char *name) {
  static __thread int searches;
  void *function = __atomic_load_n(known, __ATOMIC_RELAXED);
  if (function != NULL || searches) return function;
  searches = 1;
  function = dlsym(RTLD_NEXT, name);
  searches = 0;
  __atomic_store_n(known, function, __ATOMIC_RELAXED);
  return function;
}

#define NEXT(name) ({ static void *known; (__typeof__(&name))next(&known, #name); })

void *malloc(size_t size) { return checked(NEXT(malloc)(size)); }

void *calloc(size_t number, size_t size) {
  __typeof__(&calloc) function = NEXT(calloc);
  // Before glibc 2.34 dlsym itself asks for memory, and can do without.
  return function == NULL ? NULL : checked(function(number, size));
}

void *realloc(void *old, size_t size) {
  // Without a size it gives memory back.
  return size == 0 ? NEXT(realloc)(old, size) : checked(NEXT(realloc)(old, size));
}

void *memalign(size_t alignment, size_t size) { return checked(NEXT(memalign)(alignment, size)); }

void *aligned_alloc(size_t alignment, size_t size) {
  return checked(NEXT(aligned_alloc)(alignment, size));
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  const int code = NEXT(posix_memalign)(result, alignment, size);
  if (code == ENOMEM) checked(NULL);
  return code;
}

void csystem_end_without_memory(const char *text, size_t length, int code) {
  if (last_words == NULL) {
    void *const kept =
        mmap(NULL, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    __atomic_store_n(&reserve, kept == MAP_FAILED ? NULL : kept, __ATOMIC_RELEASE);
  }
  // Memory may run out in another thread meanwhile: it must not read beyond a text.
  __atomic_store_n(&last_code, code, __ATOMIC_SEQ_CST);
  __atomic_store_n(&last_length, 0, __ATOMIC_SEQ_CST);
  __atomic_store_n(&last_words, text, __ATOMIC_SEQ_CST);
  __atomic_store_n(&last_length, length, __ATOMIC_SEQ_CST);
}

#else

void csystem_end_without_memory(const char *text, size_t length, int code) {
  (void)text, (void)length, (void)code;
}

int csystem_is_without_memory(void) { return 0; }

void csystem_exit_without_memory(void) {}

#endif
