#include "CSystem.h"

_Thread_local int csystem_core_of_thread;

char **csystem_arguments;

#if defined(__GLIBC__)
// glibc passes the arguments of main to constructors, too.
__attribute__((constructor)) static void take_arguments(int count, char **arguments) {
  (void)count;
  csystem_arguments = arguments;
}
#endif
