#include "CSystem.h"

_Thread_local int csystem_core_of_thread;
