#pragma once

#include "core/io/safetensors.h"
#include "core/trace/lens_names.h"
#include "core/trace/trace.h"

namespace headscope {

/// A tensor in the layout of TransformerLens, without a batch axis. It is read while it is written; the trace
/// must outlive it.
TensorView lens_tensor(const Trace& trace, const LensTensor& tensor);

}  // namespace headscope
