// Counts calls of the memory allocator by everything in a process of tests: the product, the Swift
// libraries, libzstd.
#pragma once
#include <stdbool.h>

// Whether calls are counted here: not with another C library, nor a sanitizer's allocator.
bool callocations_are_counted(void);

// Calls by this thread so far.
unsigned long callocations_of_thread(void);

// Lets the testing library no longer record where errors are thrown, which calls the allocator.
void callocations_forget_thrown_errors(void);
