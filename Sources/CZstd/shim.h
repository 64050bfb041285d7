// What Swift needs of libzstd: the stable streaming interface and the error codes.
#pragma once
#include <zstd.h>
#include <zstd_errors.h>
