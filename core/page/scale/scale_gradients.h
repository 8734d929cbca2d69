#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/page/parts/page_text.h"
#include "core/page/parts/signed_bars.h"

namespace headscope {

/// A table of two measures per head, each of them with and without the division or in two other versions. Its
/// four columns of bars start from the left, and each pair of neighbours shares a scale.
class ScaleTable {
 public:
  struct Column {
    std::string title;
    Color color;
  };
  ScaleTable(const PageInputs& in, std::vector<Column> columns);

  /// Adds a line. The line of a head responds to the mouse and is marked if the head is selected. `numbers`
  /// has one value per column; `instead` replaces a missing value.
  void add(const std::string& label, const std::optional<HeadId>& head,
           const std::vector<std::optional<double>>& numbers, const std::string& instead = "–");

  /// Draws the table. In a narrow room, two columns stand below the other two.
  Page drawn(PageTools& tools, float width) const;

 private:
  Page drawn_columns(PageTools& tools, std::size_t first, std::size_t n, float width) const;

  const PageInputs& in_;
  BarTable table_;
  std::vector<std::optional<HeadId>> heads_;
};

/// The index of the first of `most` lines to list out of `n`. The selected line is among them, near the
/// middle if possible.
std::size_t first_listed(std::size_t n, std::size_t selected, std::size_t most);

/// Adds how much of the loss's gradient reaches each head's scores in the model's task, with and without the
/// division by √d_head, for the model's weights and for untrained ones. If that cannot be computed, adds the
/// reason.
void add_score_gradients(const PageInputs& in, PageTools& tools, PageText& page);

/// Whether the model has a task whose loss can be differentiated.
bool has_task_of_gradients(const PageInputs& in);

}  // namespace headscope
