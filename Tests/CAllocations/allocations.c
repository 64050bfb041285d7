#include "CAllocations.h"
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

// The functions that the Swift runtime calls for each error that is thrown, if any were set. Those of
// the testing library allocate a backtrace, and without the first the second gets a copy in a box.
extern _Atomic(void *) _swift_willThrowTypedImpl __attribute__((weak));
extern _Atomic(void *) _swift_willThrow __attribute__((weak));

void callocations_forget_thrown_errors(void) {
  if (&_swift_willThrow != NULL) atomic_store(&_swift_willThrow, NULL);
  if (&_swift_willThrowTypedImpl != NULL) atomic_store(&_swift_willThrowTypedImpl, NULL);
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CALLOCATIONS_SANITIZED 1
#endif
#endif

#if defined(__GLIBC__) && !defined(CALLOCATIONS_SANITIZED)

// The names under which glibc keeps its allocator when a program has functions of its own, as this one.
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

static __thread unsigned long calls;

void *malloc(size_t size) {
  calls++;
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  calls++;
  return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
  calls++;
  return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
  calls++;
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  void *memory = memalign(alignment, size);
  if (memory == NULL) return ENOMEM;
  *result = memory;
  return 0;
}

bool callocations_are_counted(void) { return true; }

unsigned long callocations_of_thread(void) { return calls; }

#else

bool callocations_are_counted(void) { return false; }

unsigned long callocations_of_thread(void) { return 0; }

#endif
