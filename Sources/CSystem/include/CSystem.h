// Linux system calls that the C library declares only with _GNU_SOURCE, or not at all, so that
// Swift cannot import them. Like the library's own functions: -1 and `errno` on failure.
#pragma once
#include <errno.h>
#include <fcntl.h>
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
