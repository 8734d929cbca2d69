#include "app/parts/how_read.h"

namespace headscope {

std::string how_read(const LoadedMask& mask) {
  const bool rows_are_queries = mask.axes.find('i') < mask.axes.find('j');
  const std::string axes =
      rows_are_queries ? "Rows are queries, columns are keys" : "Rows are keys, columns are queries";
  if (mask.additive) return axes + "; its numbers are added to the scores.";
  return axes + "; 1 means “may attend”. In a boolean mask of nn.MultiheadAttention, True hides.";
}

}  // namespace headscope
