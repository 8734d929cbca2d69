#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>

namespace headscope {

/// Rows of numbers that another program computed and a file holds.
struct CapturedRows {
  /// Writes n rows from `first` on to out, one after another. Thread-safe. Null if the file has no such rows.
  std::function<void(std::size_t first, int n, float* out)> read = nullptr;

  explicit operator bool() const { return read != nullptr; }
};

/// The numbers of a capture: what another program computed in the attention of its model. L layers have H
/// heads, which share Hₖ keys and values in groups, for T queries and S keys.
struct CapturedAttention {
  CapturedRows weights;  ///< [L·H·T, S]
  CapturedRows query;    ///< [L·H·T, K]
  CapturedRows key;      ///< [L·Hₖ·S, K]
  CapturedRows value;    ///< [L·Hₖ·S, V]
  CapturedRows hidden;   ///< [(L + 1)·T, D] What enters each layer, and what leaves the last.
  int n_queries = 0;     ///< T
  int n_keys = 0;        ///< S

  /// Reads the n rows [n, width] that enter a layer, or that leave the last one. Zeros if there are none.
  void read_hidden(int layer, int n, int width, float* out) const {
    const std::size_t first = static_cast<std::size_t>(layer) * static_cast<std::size_t>(n);
    if (hidden) return hidden.read(first, n, out);
    std::fill_n(out, static_cast<std::size_t>(n) * static_cast<std::size_t>(width), 0.0F);
  }
};

}  // namespace headscope
