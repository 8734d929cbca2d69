#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/tensor/view.h"

// Code that the harnesses share. libFuzzer, or cost.cpp, makes each of them a separate program that calls its
// LLVMFuzzerTestOneInput().

namespace headscope::fuzzing {

/// Aborts the program, which counts as a crash, unless `holds` is true. `what` names the condition.
void require(bool holds, std::string_view what);

/// Whether a text is well-formed by table 3-7 of the Unicode standard. Independent of the code that is
/// tested.
bool is_utf8(std::string_view text);
/// Requires a message that a person can read: it is not empty and, escaped as the program does it, passes
/// require_printed().
void require_readable(std::string_view message);
/// Requires text that is safe to print on a terminal: UTF-8 without control characters, except for line
/// breaks before indented lines.
void require_printed(std::string_view message);

/// Requires that each row of a map of weights consists of shares that sum to 1, or of zeros because its query
/// sees no key.
void require_weights(const MatrixView& map);

/// Ends a piece of work whose cost has limits of its own, such as reading a file, and begins the next one.
/// Costs are measured only in a Release build (cost.cpp).
extern void (*next_work)();

std::string_view text_of(const std::uint8_t* data, std::size_t size);
/// Splits an input at NULs into `n` parts. The last part may contain NULs; missing parts are empty.
std::vector<std::string_view> parts_of(std::string_view input, std::size_t n);
/// Returns a length as eight little-endian bytes, as safetensors stores the length of its header.
std::string length_bytes(std::size_t length);

/// Returns a folder of this process below $TMPDIR or /tmp. The first call creates it and makes it the current
/// folder; it is removed when the process ends.
const std::filesystem::path& scratch();
/// Writes a file into this folder directly, without the safeguards of the program's own writers.
void put(const std::string& name, std::string_view bytes);

}  // namespace headscope::fuzzing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
