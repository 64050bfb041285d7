// Counts calls of the memory allocator, and ends a process that gets no memory with a sentence. Without
// a library to preload, and without a cost while neither is asked for: then the loaded objects' imports
// of malloc and its relatives lead to functions of this file, which pass the call on.
#pragma once
#include <stddef.h>

// From now on an allocation that fails writes `length` bytes of `text` to standard error, and ends the
// process at once with `code`. Nothing is allocated for it. `text` must stay where it is.
// Once; 0 when that cannot be done here (as callocations_begin).
int callocations_end_without_memory(const char *text, size_t length, int code);

// Begins to count. Returns how many imports were redirected; 0 when calls cannot be counted here
// (another system or processor, a static program, a sanitizer's allocator).
// Not for two threads at once; other threads may allocate meanwhile.
int callocations_begin(void);

// Ends what callocations_begin began: calls go straight to the allocator again.
void callocations_end(void);

// Calls by this thread while counting; never goes back.
unsigned long callocations_of_thread(void);

// Calls by all threads while counting; never goes back.
unsigned long callocations_of_process(void);
