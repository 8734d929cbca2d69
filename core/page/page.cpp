#include "core/page/page.h"

#include <algorithm>
#include <cmath>

#include "core/measures/measured_heads.h"
#include "core/text/number_text.h"

namespace headscope {

const HitRegion* Page::region_at(Point point) const {
  const auto found = std::find_if(regions.rbegin(), regions.rend(),
                                  [&](const HitRegion& region) { return region.box.contains(point); });
  return found == regions.rend() ? nullptr : &*found;
}

void append(Page& page, const Page& part, float x, float y) {
  append(page.figure, part.figure, x, y);
  page.figure.width = std::max(page.figure.width, x + part.figure.width);
  page.figure.height = std::max(page.figure.height, y + part.figure.height);
  for (HitRegion region : part.regions) {
    const auto move = [x, y](Box& box) {
      box.x += x;
      box.y += y;
    };
    move(region.box);
    std::visit(
        [&move](auto& meaning) {
          if constexpr (requires { meaning.grid; }) move(meaning.grid.cells);
        },
        region.meaning);
    page.regions.push_back(std::move(region));
  }
}

void append_beside(Page& page, const Page& part, bool is_beside, float x, float gap) {
  append(page, part, is_beside ? x : 0.0F, is_beside ? 0.0F : page.figure.height + gap);
}

const CellGrid* cells_in(const Page& page, std::string_view slot) {
  for (const HitRegion& region : page.regions) {
    const auto* cells = std::get_if<StageCells>(&region.meaning);
    if (cells != nullptr && cells->slot == slot) return &cells->grid;
  }
  return nullptr;
}

std::string page_number(const PictureOptions& picture, double value) {
  const bool has_all_digits = picture.details || std::fabs(value) >= min_with_one_digit;
  return has_all_digits ? number_text(value) : rounded_text(value);
}

Result<void> PageInputs::check_files() const {
  Result<void> ok = trace->check_files();
  for (const SubjectPass& pass : compared) {
    if (ok && pass.trace) ok = pass.trace->check_files();
  }
  return ok;
}

StageId PageInputs::counterpart(const StageId& stage) const {
  if (session.compared.empty()) return stage;
  const Selection& mine = session.selection;
  const Selection& other = session.compared.front().selection;
  StageId id = stage;
  if (stage.stack == mine.stack) id.stack = other.stack;
  if (stage.layer == mine.layer) id.layer = other.layer;
  if (stage.attention == mine.attention) id.attention = other.attention;
  if (stage.head == mine.head) id.head = other.head;
  return normalized(id);
}

HeadId selected_head(const PageInputs& in) {
  const Selection& selection = in.session.selection;
  return {selection.stack, selection.attention, selection.layer, selection.head};
}

StageId shown_weights(const PageInputs& in) {
  const StageId dropped = in.at(StageKind::dropped);
  const bool is_selected = in.session.selection.stage == StageKind::dropped && in.trace->has(dropped);
  return is_selected ? dropped : in.at(StageKind::weights);
}

std::string_view dropout_text(const Trace& trace, StageKind kind) {
  if (!trace.options().has_dropout()) return {};
  if (kind == StageKind::weights) return "before dropout";
  return kind == StageKind::dropped || kind == StageKind::effective_weights ? "after dropout" : "";
}

void PageMemo::forget_passes() {
  comparison.clear();
  shared_cell_sizes.clear();
  requested_patches.reset();
  strip = {};
}

namespace {

/// The stages that have to be computed again before a derivation of `stage` can be read.
std::vector<StageId> read_with(const Trace& trace, const StageId& stage) {
  std::vector<StageId> stages = inputs_of(trace, stage);
  stages.push_back(stage);
  std::erase_if(stages, [&](const StageId& id) { return trace.is_quick_to_read(id); });
  return stages;
}

/// Makes the rows of a stage available, and everything that its derivation reads.
struct Reading {
  std::shared_ptr<const Trace> trace;
  StageId stage;
  bool operator==(const Reading&) const = default;

  using Answer = std::monostate;
  StageId slot() const { return stage; }
  std::monostate answer() const {
    for (const StageId& id : read_with(*trace, stage)) trace->read_row(id, 0);
    return {};
  }
};

}  // namespace

bool is_too_long_to_measure(const Trace& trace, const StageId& map) {
  return std::max(trace.tokens(map, Axis::query_tokens).size(), trace.tokens(map, Axis::key_tokens).size()) >
         max_measured_tokens;
}

bool are_cheap_to_read(const Trace& trace, const std::vector<StageId>& stages) {
  std::int64_t n_numbers = 0;
  for (const StageId& stage : stages) {
    if (!trace.has(stage)) continue;
    if (!trace.is_quick_to_read(stage)) return false;
    const Extent size = trace.extent(stage);
    n_numbers += std::int64_t{size.rows} * size.cols;
    if (!is_cheap_to_read(n_numbers)) return false;
  }
  return true;
}

std::vector<StageId> all_heads(const Architecture& architecture, StageId head) {
  std::vector<StageId> heads;
  for (head.layer = 0; head.layer < architecture.layers_of(head.stack); ++head.layer) {
    for (head.head = 0; head.head < architecture.n_heads; ++head.head)
      heads.push_back(canonical(architecture, head));
  }
  return heads;
}

bool can_read(const PageInputs& in, PageTools& tools, const StageId& stage) {
  const Reading reading{in.trace, stage};
  if (read_with(*in.trace, stage).empty()) {
    tools.memo.results.drop(reading);
    return true;
  }
  // The rows may have been dropped again in favour of another layer.
  if (const auto* read = tools.memo.results.ready_result(reading); read != nullptr && *read)
    tools.memo.results.drop(reading);
  tools.find(reading);
  return read_with(*in.trace, stage).empty();
}

std::string unreadable_text(const PageTools& tools) {
  const Error* error = tools.memo.results.error_of<Reading>();
  return error != nullptr ? "Not computed: " + error->message + "." : "Computing…";
}

}  // namespace headscope
