// Linux system calls that the C library declares only with _GNU_SOURCE, or not at all, so that
// Swift cannot import them. Like the library's own functions: -1 and `errno` on failure.
#pragma once
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
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

// Lets the disk begin with `count` bytes of an open file, from `start` on.
static inline int csystem_begin_writing(int descriptor, int64_t start, int64_t count) {
#if defined(SYS_sync_file_range)
  const unsigned int write_only = 2;
  return (int)syscall(SYS_sync_file_range, descriptor, start, count, write_only);
#else
  errno = ENOSYS;
  return -1;
#endif
}

// Number of processors that this process may use, at most 1024; -1 on failure.
static inline int csystem_processors(void) {
  unsigned long mask[1024 / (8 * sizeof(unsigned long))];
  long bytes = syscall(SYS_sched_getaffinity, 0, sizeof mask, mask);
  if (bytes < 0) return -1;
  int count = 0;
  for (unsigned long i = 0; i < (unsigned long)bytes / sizeof mask[0]; i++)
    count += __builtin_popcountl(mask[i]);
  return count;
}

static inline long long csystem_limit(int resource) {
  struct rlimit limit;
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return -1;
  return limit.rlim_cur > (rlim_t)LLONG_MAX ? -1 : (long long)limit.rlim_cur;
}

// Has the kernel send `signal` to this process when its parent ends; -1 on failure.
static inline int csystem_signal_with_parent(int signal) {
  return prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0);
}

// Adds the processor time of this process, or of its children that have ended.
static inline int csystem_add_processor_time(int whose, long long *microseconds) {
  struct rusage usage;
  if (getrusage(whose, &usage) != 0) return -1;
  *microseconds += (long long)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000;
  *microseconds += usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
  return 0;
}

// Microseconds of processor time of both; -1 on failure.
static inline long long csystem_processor_microseconds(void) {
  long long microseconds = 0;
  if (csystem_add_processor_time(RUSAGE_SELF, &microseconds) != 0) return -1;
  if (csystem_add_processor_time(RUSAGE_CHILDREN, &microseconds) != 0) return -1;
  return microseconds;
}

// The entry NAME=VALUE of the environment with that index; NULL after the last one.
extern char **environ;
static inline const char *csystem_variable(int index) { return environ ? environ[index] : NULL; }

// The argument of main with that index, the name of the program first; NULL after the last one, and
// where the C library is not glibc.
extern char **csystem_arguments;
static inline const char *csystem_argument(int index) {
  return csystem_arguments ? csystem_arguments[index] : NULL;
}

// How many bytes of address space, and how many of data, this process may have; -1: no limit.
static inline long long csystem_address_space(void) { return csystem_limit(RLIMIT_AS); }
static inline long long csystem_data(void) { return csystem_limit(RLIMIT_DATA); }

// How many files this process may have open; the greatest number without a limit.
static inline long long csystem_open_files(void) {
  const long long limit = csystem_limit(RLIMIT_NOFILE);
  return limit < 0 ? LLONG_MAX : limit;
}

// Has the allocator take its memory from that many arenas at most. Each is 64 MiB of addresses;
// otherwise every thread has its own.
static inline void csystem_limit_arenas(int count) {
#if defined(M_ARENA_MAX)
  mallopt(M_ARENA_MAX, count);
#else
  (void)count;
#endif
}

// Has the allocator map blocks of at least that many bytes, and unmap them when they are freed.
// Otherwise it raises this bound to the size of each mapped block that is freed, up to 32 MiB, and
// later blocks of that size, once freed, stay in the process.
static inline void csystem_map_blocks(int bytes) {
#if defined(M_MMAP_THRESHOLD)
  mallopt(M_MMAP_THRESHOLD, bytes);
#else
  (void)bytes;
#endif
}

// Whether that many bytes more of memory could be had now.
static inline bool csystem_has_room(size_t bytes) {
  void *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return room != MAP_FAILED && munmap(room, bytes) == 0;
}

// The next name in an open directory, valid until the next call; NULL at the end, and on failure.
static inline const char *csystem_next_name(DIR *directory) {
  const struct dirent *const entry = readdir(directory);
  return entry ? entry->d_name : NULL;
}

// Calls `body` with `context` on a new detached thread, with a stack of that many bytes.
// 0, or the number of the error.
static inline int csystem_start_thread(size_t stack, void *(*body)(void *), void *context) {
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, stack);
  const int code = pthread_create(&thread, &attributes, body, context);
  pthread_attr_destroy(&attributes);
  return code;
}

// Has the pipe hold that many bytes, if it is one and the system allows it.
static inline void csystem_enlarge_pipe(int number, int bytes) {
#if !defined(F_SETPIPE_SZ)
  enum { F_SETPIPE_SZ = 1031 };
#endif
  fcntl(number, F_SETPIPE_SZ, bytes);
}

// Sets the size of the stacks of threads that are created without one, regardless of `ulimit -s`.
extern int pthread_setattr_default_np(const pthread_attr_t *);
static inline void csystem_set_stack_size(size_t stack) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (pthread_attr_setstacksize(&attributes, stack) == 0) pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
}

typedef struct {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  bool may_end;
} csystem_meeting;

static inline void *csystem_meet(void *context) {
  csystem_meeting *meeting = (csystem_meeting *)context;
  pthread_mutex_lock(&meeting->mutex);
  while (!meeting->may_end) pthread_cond_wait(&meeting->changed, &meeting->mutex);
  pthread_mutex_unlock(&meeting->mutex);
  return NULL;
}

// How many more threads with the default attributes can exist at the same time, up to `wanted`
// (at most 1024). They are created, meet, and have ended when this returns.
static inline int csystem_available_threads(int wanted) {
  pthread_t threads[1024];
  csystem_meeting meeting = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};
  int made = 0;
  while (made < wanted && made < 1024 &&
         pthread_create(&threads[made], NULL, csystem_meet, &meeting) == 0)
    made++;
  pthread_mutex_lock(&meeting.mutex);
  meeting.may_end = true;
  pthread_cond_broadcast(&meeting.changed);
  pthread_mutex_unlock(&meeting.mutex);
  // Joined, because the system counts a detached thread for a while after its end.
  for (int index = 0; index < made; index++) pthread_join(threads[index], NULL);
  return made;
}

// Whether `count` more descriptors can be opened.
static inline bool csystem_has_descriptors(int count) {
  if (count == 0) return true;
  const int number = open("/", O_RDONLY | O_CLOEXEC);
  const bool has = number >= 0 && csystem_has_descriptors(count - 1);
  if (number >= 0) close(number);
  return has;
}

// A number that the calling thread has for itself; 0 at first.
extern _Thread_local int csystem_core_of_thread;
static inline int csystem_core(void) { return csystem_core_of_thread; }
static inline void csystem_set_core(int core) { csystem_core_of_thread = core; }

// Whether /proc has the status of the calling thread.
static inline bool csystem_has_thread_status(void) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%ld/stat", (long)syscall(SYS_gettid));
  return access(path, R_OK) == 0;
}

// The nice value of the calling thread.
static inline int csystem_niceness(void) { return getpriority(PRIO_PROCESS, 0); }
static inline void csystem_set_niceness(int nice) {
  if (csystem_niceness() != nice) setpriority(PRIO_PROCESS, 0, nice);
}

// The mode of what is called `name` in the open directory, of a link itself; -1 on failure.
// `*is_mount` tells whether something is mounted there, also a part of the same file system.
static inline int csystem_mode(int directory, const char *name, int *is_mount) {
  *is_mount = 0;
#if defined(SYS_statx)
  // The beginning of the kernel's struct statx, which has 256 bytes.
  struct {
    uint32_t mask, block_size;
    uint64_t attributes;
    uint32_t links, user, group;
    uint16_t mode;
    uint8_t rest[226];
  } entry;
  const unsigned int type_and_mode = 3, no_automount = 0x800;
  const uint64_t mount_root = 0x2000;
  if (syscall(SYS_statx, directory, name, AT_SYMLINK_NOFOLLOW | no_automount, type_and_mode, &entry) == 0) {
    *is_mount = (entry.attributes & mount_root) != 0;
    return entry.mode;
  }
  if (errno != ENOSYS && errno != EPERM) return -1;
#endif
  struct stat status;
  if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return -1;
  return (int)status.st_mode;
}

// From now on an allocation that fails writes `length` bytes of `text` to standard error, and ends the
// process with `code`. Nothing is allocated for it. `text` must stay where it is. If a thread calls
// csystem_is_without_memory again and again, it has some seconds to tidy up before. Without effect where
// the C library is not glibc, and with a sanitizer's allocator. A static program with glibc cannot be
// linked: both define malloc.
void csystem_end_without_memory(const char *text, size_t length, int code);

// Whether an allocation of another thread has failed: then this one should tidy up, for which some
// memory is returned, and call csystem_exit_without_memory. If it gets none either, the process ends at
// once.
int csystem_is_without_memory(void);

// Writes the text, and ends the process with the code. Only after csystem_is_without_memory.
void csystem_exit_without_memory(void);
