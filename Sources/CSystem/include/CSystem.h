// Linux system calls that the C library declares only with _GNU_SOURCE, or not at all, so that
// Swift cannot import them. Like the library's own functions: -1 and `errno` on failure.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// Exchanges what two names stand for, in one step. EINVAL or ENOSYS: the file system or the kernel
// cannot do that.
static inline int csystem_exchange(const char *one, const char *other) {
#if defined(SYS_renameat2)
  const unsigned int exchange = 1u << 1;
  return (int)syscall(SYS_renameat2, AT_FDCWD, one, AT_FDCWD, other, exchange);
#else
  errno = ENOSYS;
  return -1;
#endif
}

// How many processors this process may use, at most 1024 of which are seen; -1 on failure.
static inline int csystem_processors(void) {
  unsigned long mask[1024 / (8 * sizeof(unsigned long))];
  long bytes = syscall(SYS_sched_getaffinity, 0, sizeof mask, mask);
  if (bytes < 0) return -1;
  int count = 0;
  for (unsigned long i = 0; i < (unsigned long)bytes / sizeof mask[0]; i++)
    count += __builtin_popcountl(mask[i]);
  return count;
}

// How many bytes of address space this process may have; -1 when there is no limit.
static inline long long csystem_address_space(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return -1;
  return limit.rlim_cur > (rlim_t)LLONG_MAX ? -1 : (long long)limit.rlim_cur;
}

// The environment: texts NAME=VALUE, the last of which a null pointer follows.
extern char **environ;
static inline char **csystem_environment(void) { return environ; }

// Bytes of a page of memory.
static inline long csystem_page_size(void) { return sysconf(_SC_PAGESIZE); }
