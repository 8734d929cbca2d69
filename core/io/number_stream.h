#pragma once

#include <functional>
#include <string_view>

#include "core/result.h"
#include "core/tensor/view.h"

namespace headscope {

/// Receives the next rows of an array.
using RowSink = std::function<Result<void>(const MatrixView& rows)>;
/// Streams the rows of an array to `put` in order, a few at a time to limit memory. Stops at the first error
/// of `put` and returns it.
using NumberStream = std::function<Result<void>(const RowSink& put)>;

class AtomicFile;  // core/system/atomic_file.h

/// Appends numbers to a file in native byte order.
Result<void> write_numbers(AtomicFile& file, const MatrixView& rows);

}  // namespace headscope
