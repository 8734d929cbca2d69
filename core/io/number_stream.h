#pragma once

#include <functional>
#include <string_view>

#include "core/result.h"
#include "core/tensor/view.h"

namespace headscope {

/// Takes the next rows of an array.
using PutRows = std::function<Result<void>(const MatrixView& rows)>;
/// Gives all rows of an array in their order, some at a time, so that they never need to be in memory
/// together. Ends with the first error of `put`.
using NumberStream = std::function<Result<void>(const PutRows& put)>;

class AtomicFile;  // core/io/atomic_file.h

/// Appends numbers to a file, as they lie in memory.
Result<void> write_numbers(AtomicFile& file, const MatrixView& rows);

}  // namespace headscope
