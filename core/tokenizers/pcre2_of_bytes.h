#pragma once

// The header of PCRE2 requires that the width of the code units is defined first.
#ifndef PCRE2_CODE_UNIT_WIDTH
#define PCRE2_CODE_UNIT_WIDTH 8
#endif
#include <pcre2.h>
