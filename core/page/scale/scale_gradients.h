#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/page/parts/page_builder.h"
#include "core/page/parts/signed_bars.h"

namespace headscope {

/// A table of two measures per head, each in two versions, such as with and without the division. Its four
/// columns of bars start from the left; each pair of neighbours shares a scale.
class ScaleTable {
 public:
  struct Column {
    std::string title;
    Color color;
  };
  ScaleTable(const PageInputs& in, std::vector<Column> columns);

  /// Adds a line. A head's line responds to the mouse and is marked if the head is selected. `numbers` has
  /// one value per column; `instead` replaces a missing one.
  void add(const std::string& label, const std::optional<HeadId>& head,
           const std::vector<std::optional<double>>& numbers, const std::string& instead = "–");

  /// Draws the table. If it is narrow, two columns stand below the other two.
  Page drawn(PageTools& tools, float width) const;

 private:
  Page drawn_columns(PageTools& tools, std::size_t first, std::size_t n, float width) const;

  const PageInputs& in_;
  BarTable table_;
  std::vector<std::optional<HeadId>> heads_;
};

/// The index of the first of `most` lines to list out of `n`, so that the selected one is among them, near
/// the middle if possible.
std::size_t first_visible_line(std::size_t n, std::size_t selected, std::size_t most);

/// Adds the share of the loss gradient that reaches each head's scores in the model's task, with and without
/// the division by √d_head, for the model's weights and for untrained ones; or why it cannot be computed.
void add_score_gradients(const PageInputs& in, PageTools& tools, PageBuilder& page);

/// Whether the model has a task whose loss can be differentiated.
bool has_task_of_gradients(const PageInputs& in);

}  // namespace headscope
