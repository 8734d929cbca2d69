#pragma once

#include <functional>
#include <string_view>

#include "core/result.h"
#include "core/tensor/view.h"

namespace headscope {

/// Receives the next rows of an array.
using PutRows = std::function<Result<void>(const MatrixView& rows)>;
/// Passes all rows of an array to `put` in order, a few at a time, so that they are never all in memory.
/// Stops at the first error of `put` and returns it.
using NumberStream = std::function<Result<void>(const PutRows& put)>;

class AtomicFile;  // core/system/atomic_file.h

/// Appends numbers to a file with the bytes that they have in memory.
Result<void> write_numbers(AtomicFile& file, const MatrixView& rows);

}  // namespace headscope
