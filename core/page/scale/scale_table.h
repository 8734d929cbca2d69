#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/page/parts/signed_bars.h"

namespace headscope {

/// Two numbers of each head, each with and without the division or in two other ways: four columns of bars
/// from the left, of which two neighbours share a scale.
class ScaleTable {
 public:
  struct Column {
    std::string title;
    Color color;
  };
  ScaleTable(const PageInputs& in, std::vector<Column> columns);

  /// A line; of a head it answers the mouse, and is marked where the head is the selected one. `numbers`: as
  /// many as columns; `instead` stands for one that is not there.
  void add(const std::string& label, const std::optional<HeadId>& head,
           const std::vector<std::optional<double>>& numbers, const std::string& instead = "–");

  /// In a narrow room two columns stand below the other two.
  Page drawn(PageTools& tools, float width) const;

 private:
  Page drawn_columns(PageTools& tools, std::size_t first, std::size_t n, float width) const;

  const PageInputs& in_;
  BarTable table_;
  std::vector<std::optional<HeadId>> heads_;
};

/// The first of `most` lines, of `n`, of which `selected` is one, near the middle where it can be.
std::size_t first_listed(std::size_t n, std::size_t selected, std::size_t most);

}  // namespace headscope
