#include "CSystem.h"

_Thread_local int csystem_core_of_thread;

int csystem_argument_count;
char **csystem_arguments;

#if defined(__GLIBC__)
// glibc passes the arguments of main to constructors, too.
__attribute__((constructor)) static void take_arguments(int count, char **arguments) {
  csystem_argument_count = count;
  csystem_arguments = arguments;
}
#endif
