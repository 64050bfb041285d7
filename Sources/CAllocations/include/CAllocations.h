// Counts calls of the memory allocator, and ends a process that gets no memory with a sentence. Without
// a library to preload, and without a cost while neither is asked for: then the loaded objects' imports
// of malloc and its relatives lead to functions of this file, which pass the call on.
#pragma once
#include <stddef.h>

// From now on an allocation that fails writes `length` bytes of `text` to standard error, and ends the
// process with `code`. Nothing is allocated for it. `text` must stay where it is. If a thread calls
// callocations_has_failed again and again, it has some seconds to tidy up before.
// Once; 0 when that cannot be done here (as callocations_begin).
int callocations_end_without_memory(const char *text, size_t length, int code);

// Whether an allocation of another thread has failed: then this one should tidy up, for which some
// memory is returned, and call callocations_exit. If it gets none either, the process ends at once.
int callocations_has_failed(void);

// Writes the text, and ends the process with the code. Only after callocations_has_failed.
void callocations_exit(void);

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
