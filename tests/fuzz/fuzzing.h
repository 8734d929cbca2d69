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

// What the harnesses share. Each is a program of its own, made by libFuzzer from LLVMFuzzerTestOneInput().

namespace headscope::fuzzing {

/// Ends the program, as a crash does, where what must hold does not.
void require(bool holds, std::string_view what);

/// Well-formed by the Unicode standard's own table (3-7), apart from the code that is tested.
bool is_utf8(std::string_view text);
/// Words for a person: not empty, and once they are escaped as the program does it, require_printed(). The
/// harness ends where they are none.
void require_readable(std::string_view message);
/// What stands on a terminal: UTF-8, and nothing in it that steers the terminal but ends of lines before an
/// indented one.
void require_printed(std::string_view message);

/// The rows of a map of weights are shares: each sums to 1, or is 0 where its query sees no key.
void require_weights(const MatrixView& map);

std::string_view text_of(const std::uint8_t* data, std::size_t size);
/// `n` parts of an input with a NUL behind each but the last; those that are missing are empty.
std::vector<std::string_view> parts_of(std::string_view input, std::size_t n);
/// Eight bytes, little-endian, as safetensors has the length of its header.
std::string length_bytes(std::size_t length);

/// A folder of the process's own below $TMPDIR or /tmp, which is its current one from then on and is taken
/// away when the process ends.
const std::filesystem::path& scratch();
/// Writes a file there as it is, without the care of the program's own writers.
void put(const std::string& name, std::string_view bytes);

}  // namespace headscope::fuzzing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
