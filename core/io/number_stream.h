#pragma once

#include <functional>
#include <string_view>

#include "core/tensor/view.h"

namespace headscope {

/// Receives the next rows of an array.
using RowSink = std::function<void(const MatrixView& rows)>;
/// Streams the rows of an array to `put` in order, a few at a time to limit memory. Both may throw an Error.
using NumberStream = std::function<void(const RowSink& put)>;

class AtomicFile;  // core/system/atomic_file.h

/// Appends numbers to a file in native byte order. Throws an Error.
void write_numbers(AtomicFile& file, const MatrixView& rows);

}  // namespace headscope
