// Counts calls of the memory allocator, without a library to preload and without a cost while nobody
// counts: while counting, the loaded objects' imports of malloc and its relatives lead to functions
// that count and pass the call on.
#pragma once

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
