// dl_iterate_phdr and memalign are extensions.
#define _GNU_SOURCE
#include "CSystem.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CSYSTEM_SANITIZED 1
#endif
#endif

#if defined(__linux__) && defined(__x86_64__) && defined(__LP64__) && !defined(CSYSTEM_SANITIZED)
#define CSYSTEM_JUMP_SLOT R_X86_64_JUMP_SLOT
#define CSYSTEM_GLOB_DAT R_X86_64_GLOB_DAT
#elif defined(__linux__) && defined(__aarch64__) && defined(__LP64__) && !defined(CSYSTEM_SANITIZED)
#define CSYSTEM_JUMP_SLOT R_AARCH64_JUMP_SLOT
#define CSYSTEM_GLOB_DAT R_AARCH64_GLOB_DAT
#endif

#if defined(CSYSTEM_JUMP_SLOT)

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
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
  _exit(last_code);
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
  if (memory != NULL || last_words == NULL) return memory;
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

// The allocator's own functions. Addresses in data are not redirected, so these stay what they are.
static void *(*const volatile real_malloc)(size_t) = malloc;
static void *(*const volatile real_calloc)(size_t, size_t) = calloc;
static void *(*const volatile real_realloc)(void *, size_t) = realloc;
static int (*const volatile real_posix_memalign)(void **, size_t, size_t) = posix_memalign;
static void *(*const volatile real_aligned_alloc)(size_t, size_t) = aligned_alloc;
static void *(*const volatile real_memalign)(size_t, size_t) = memalign;

static void *watched_malloc(size_t size) {
  return checked(real_malloc(size));
}

static void *watched_calloc(size_t number, size_t size) {
  return checked(real_calloc(number, size));
}

static void *watched_realloc(void *old, size_t size) {
  // Without a size it gives memory back.
  return size == 0 ? real_realloc(old, size) : checked(real_realloc(old, size));
}

static int watched_posix_memalign(void **result, size_t alignment, size_t size) {
  const int code = real_posix_memalign(result, alignment, size);
  if (code == ENOMEM) checked(NULL);
  return code;
}

static void *watched_aligned_alloc(size_t alignment, size_t size) {
  return checked(real_aligned_alloc(alignment, size));
}

static void *watched_memalign(size_t alignment, size_t size) {
  return checked(real_memalign(alignment, size));
}

// What an import of the allocator is to lead to, by its name; NULL for any other import.
static void *target(const char *name) {
#define CSYSTEM_ROW(function) \
  if (strcmp(name, #function) == 0) return (void *)watched_##function;
  CSYSTEM_ROW(malloc)
  CSYSTEM_ROW(calloc)
  CSYSTEM_ROW(realloc)
  CSYSTEM_ROW(posix_memalign)
  CSYSTEM_ROW(aligned_alloc)
  CSYSTEM_ROW(memalign)
#undef CSYSTEM_ROW
  return NULL;
}

// A loaded object: what its dynamic section says, as addresses.
struct object {
  uintptr_t base;
  const char *names;
  const ElfW(Sym) *symbols;
  // The pages that the loader has made read-only.
  uintptr_t sealed_start, sealed_end;
};

// The loader of glibc has added the base to the addresses in a dynamic section; others have not.
static uintptr_t address(uintptr_t base, uintptr_t value) {
  return value < base ? base + value : value;
}

static void redirect(const struct object *object, uintptr_t slot, void *function) {
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  void *const start = (void *)(slot & ~(page - 1));
  const int sealed = slot >= object->sealed_start && slot < object->sealed_end;
  if (sealed && mprotect(start, page, PROT_READ | PROT_WRITE) != 0) return;
  // A slot is aligned, and threads that call through it see one address or the other.
  __atomic_store_n((void **)slot, function, __ATOMIC_RELEASE);
  if (sealed) mprotect(start, page, PROT_READ);
}

static void redirect_table(const struct object *object, const ElfW(Rela) *table, size_t bytes) {
  for (size_t index = 0; index < bytes / sizeof *table; index++) {
    const ElfW(Rela) *entry = &table[index];
    const unsigned long type = ELF64_R_TYPE(entry->r_info);
    if (type != CSYSTEM_JUMP_SLOT && type != CSYSTEM_GLOB_DAT) continue;
    const char *name = object->names + object->symbols[ELF64_R_SYM(entry->r_info)].st_name;
    void *function = target(name);
    if (function != NULL) redirect(object, object->base + entry->r_offset, function);
  }
}

static int redirect_object(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size, (void)context;
  struct object object = {.base = info->dlpi_addr};
  const ElfW(Dyn) *dynamic = NULL;
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  for (int index = 0; index < info->dlpi_phnum; index++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[index];
    const uintptr_t start = object.base + header->p_vaddr;
    if (header->p_type == PT_DYNAMIC) dynamic = (const ElfW(Dyn) *)start;
    if (header->p_type == PT_GNU_RELRO) {
      object.sealed_start = start & ~(page - 1);
      object.sealed_end = (start + header->p_memsz) & ~(page - 1);
    }
  }
  if (dynamic == NULL) return 0;
  const ElfW(Rela) *tables[2] = {NULL, NULL};
  size_t bytes[2] = {0, 0};
  for (; dynamic->d_tag != DT_NULL; dynamic++) {
    const uintptr_t value = address(object.base, dynamic->d_un.d_ptr);
    switch (dynamic->d_tag) {
      case DT_STRTAB: object.names = (const char *)value; break;
      case DT_SYMTAB: object.symbols = (const ElfW(Sym) *)value; break;
      case DT_RELA: tables[0] = (const ElfW(Rela) *)value; break;
      case DT_RELASZ: bytes[0] = dynamic->d_un.d_val; break;
      case DT_JMPREL: tables[1] = (const ElfW(Rela) *)value; break;
      case DT_PLTRELSZ: bytes[1] = dynamic->d_un.d_val; break;
      // Only the kernel's own object and foreign formats have the short form of entries.
      case DT_PLTREL:
        if (dynamic->d_un.d_val != DT_RELA) return 0;
        break;
      default: break;
    }
  }
  if (object.names == NULL || object.symbols == NULL) return 0;
  for (int index = 0; index < 2; index++)
    if (tables[index] != NULL) redirect_table(&object, tables[index], bytes[index]);
  return 0;
}

void csystem_end_without_memory(const char *text, size_t length, int code) {
  const int again = last_words != NULL;
  // Memory may run out in another thread meanwhile: it must not read beyond a text.
  __atomic_store_n(&last_length, 0, __ATOMIC_SEQ_CST);
  __atomic_store_n(&last_words, text, __ATOMIC_SEQ_CST);
  __atomic_store_n(&last_length, length, __ATOMIC_SEQ_CST);
  last_code = code;
  if (again) return;
  void *const kept =
      mmap(NULL, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  reserve = kept == MAP_FAILED ? NULL : kept;
  dl_iterate_phdr(redirect_object, NULL);
}

#else

void csystem_end_without_memory(const char *text, size_t length, int code) {
  (void)text, (void)length, (void)code;
}

int csystem_is_without_memory(void) { return 0; }

void csystem_exit_without_memory(void) {}

#endif
