#include "core/trace/place_text.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>
#include <vector>

#include "core/model/interventions.h"
#include "core/model/pass_edits.h"
#include "core/split_text.h"
#include "core/text/number_text.h"
#include "core/trace/guess.h"

namespace headscope {
namespace {

/// The symbol if it is well known (“Q”, “W_Q”), otherwise the title (“the input”).
std::string name_words(const StageInfo& stage) {
  const bool is_known_letter =
      stage.is_parameter()
          ? stage.scope >= StageScope::layer
          : stage.kind == StageKind::query || stage.kind == StageKind::key || stage.kind == StageKind::value;
  if (is_known_letter) return std::string(stage.symbol);
  std::string title(stage.title);
  title.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(title.front())));
  return "the " + title;
}

/// The place of a stage: “ of layer 1, head 0”, “ of the decoder's cross-attention”. Empty if the model has
/// only one such place.
std::string place_words(const Architecture& a, const StageId& id) {
  const StageInfo& stage = info(id.kind);
  if (stage.scope == StageScope::model) return {};
  std::string of;
  if (stage.scope >= StageScope::layer && a.n_layers > 1) of = " of layer " + std::to_string(id.layer);
  if (stage.scope == StageScope::head && a.n_heads > 1) {
    const std::string heads =
        stage.is_per_group ? group_text(a, id.head, id.layer) : "head " + std::to_string(id.head);
    of += (of.empty() ? " of " : ", ") + heads;
  }
  if (!a.has_cross()) return of;
  const bool is_cross = stage.scope >= StageScope::attention && id.attention == AttentionKind::cross;
  const std::string where = is_cross                     ? "cross-attention"
                            : id.stack == Stack::encoder ? "the encoder"
                                                         : "the decoder";
  return of.empty() ? " of " + where : of + ", in " + where;
}

/// Describes given weights that are scaled to the sum of their row: “, where 0.7 becomes 0.7778”. Empty if
/// finding out would recompute an entire layer.
std::string scaled_weights_text(const Trace& trace, const HeadId& head, const HeadEdits& edits) {
  const StageId stage = stage_in(head, StageKind::weights);
  if (!trace.complete() || !trace.is_quick_to_read(stage)) return {};
  constexpr int max_items = 3;
  constexpr double rounding = 1e-6;
  int n = 0;
  std::string text;
  for (const GivenWeight& each : edits.weights) {
    if (!trace.mask(stage).is_visible(head.head, each.cell.query, each.cell.key)) continue;
    const auto given = static_cast<double>(each.weight);
    const auto weight = static_cast<double>(trace.number(stage, each.cell.query, each.cell.key));
    if (std::abs(weight - given) < rounding || ++n > max_items) continue;
    text += (text.empty() ? ", where " : ", ") + number_text(given) + " becomes " + number_text(weight);
  }
  return n > max_items ? text + " and " + std::to_string(n - max_items) + " more are scaled" : text;
}

std::string changes_text(const Trace& trace, const HeadId& head, const HeadEdits& edits) {
  std::string text;
  const auto add = [&text](const std::string& change) { text += (text.empty() ? " " : " and ") + change; };
  if (edits.scale == 0.0F) add("off");
  if (edits.scale != 0.0F && edits.scale != 1.0F) add("× " + number_text(edits.scale));
  if (edits.is_uniform) add("uniform");
  if (!edits.pattern.empty()) {
    const int n_rows = static_cast<int>(edits.pattern.size()) / edits.n_keys;
    const int n_held = n_compared_rows(edits);
    add("with the held pass's weights" +
        (n_held == n_rows ? "" : " in " + std::to_string(n_held) + " of " + count_text(n_rows, "row")));
  }
  if (!edits.weights.empty()) {
    const CombinedMask& mask = trace.mask(stage_in(head, StageKind::weights));
    add("with " + given_weights_text(edits, mask, head.head) + scaled_weights_text(trace, head, edits));
  }
  return text;
}

std::string row_text(const Trace& trace, const RowEdit& edit) {
  const StageId& stage = edit.stage;
  const auto place = [&]() -> std::string {
    if (edit.row == every_row) return "every token";
    if (!edit.is_from_every_row) return quoted_word(trace.label(stage, info(stage.kind).rows, edit.row));
    const auto n = std::ranges::count_if(trace.edits()->rows, [&](const RowEdit& other) {
      return other.stage == stage && other.is_from_every_row;
    });
    const int n_all = trace.extent(stage).rows;
    return n == n_all ? "every token" : std::to_string(n) + " of " + count_text(n_all, "token");
  };
  const auto source = [&]() -> std::string {
    switch (edit.source) {
      case PatchSource::zero:
        return "set to 0";
      case PatchSource::compared:
        return "taken from the held pass";
      case PatchSource::mean:
        return "its mean over other texts";
      case PatchSource::position_mean:
        return "its mean at this position of other texts";
      case PatchSource::scaled:
        break;
    }
    return "multiplied by " + number_text(static_cast<double>(edit.factor));
  };
  return stage_words(trace.architecture(), stage) + " at " + place() + " is " + source();
}

/// Lists the given numbers, grouped by place: “Q and K of layer 1, head 0, and the input”, abbreviated if
/// there are many.
std::string given_words(const Architecture& architecture, const GivenNumbers& given) {
  constexpr std::size_t max_places = 3;
  std::vector<std::pair<std::string, std::vector<std::string>>> places;
  // Sort by kind, not by path, so that queries precede keys and values.
  std::vector<StageId> stages;
  for (const GivenMatrix& each : given.all) {
    if (const auto stage = parse_path(each.path)) stages.push_back(*stage);
  }
  std::ranges::stable_sort(stages, {}, &StageId::kind);
  for (const StageId& stage : stages) {
    const std::string place = place_words(architecture, stage);
    auto found = std::ranges::find(places, place, &decltype(places)::value_type::first);
    if (found == places.end()) found = places.insert(places.end(), {place, {}});
    found->second.push_back(name_words(info(stage.kind)));
  }
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < places.size() && i < max_places; ++i)
    parts.push_back(names_text(places[i].second) + places[i].first);
  if (places.size() > max_places)
    parts.push_back(std::to_string(places.size() - max_places) + " more places");
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : i + 1 == parts.size() ? ", and " : ", ") + parts[i];
  return text;
}

}  // namespace

std::string place_text(const Architecture& architecture, const StageId& id) {
  const StageInfo& stage = info(id.kind);
  const bool two_stacks = architecture.has_cross();
  if (stage.scope == StageScope::model) return {};
  std::string place = id.stack == Stack::encoder ? "Encoder" : "Decoder";
  if (stage.scope == StageScope::stack) return two_stacks ? place : "";
  const std::string layer = "ayer " + std::to_string(id.layer);
  place = two_stacks ? place + " l" + layer : "L" + layer;
  if (stage.scope >= StageScope::attention && two_stacks && id.stack == Stack::decoder)
    place += id.attention == AttentionKind::self ? ", self-attention" : ", cross-attention";
  if (stage.scope == StageScope::head)
    place += ", " + (stage.is_per_group ? group_text(architecture, id.head, id.layer)
                                        : "head " + std::to_string(id.head));
  return place;
}

std::string place_text(const Trace& trace, const StageId& id) {
  return place_text(trace.architecture(), id) + taught_suffix(trace, id);
}

std::string head_text(const Architecture& architecture, const HeadId& head) {
  std::string text = place_text(architecture, stage_in(head, StageKind::weights));
  text.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(text.front())));
  return text;
}

std::string head_text(const Trace& trace, const HeadId& head) {
  return head_text(trace.architecture(), head) + taught_suffix(trace, stage_in(head, StageKind::weights));
}

std::string head_label(int layer, int head) {
  return std::to_string(layer) + "." + std::to_string(head);
}

std::string head_label(const Architecture& architecture, const HeadId& head) {
  const std::string stack = !architecture.has_cross()                ? ""
                            : head.attention == AttentionKind::cross ? "cross "
                            : head.stack == Stack::encoder           ? "encoder "
                                                                     : "decoder ";
  return stack + head_label(head.layer, head.head);
}

std::string stage_words(const Architecture& architecture, const StageId& stage) {
  return name_words(info(stage.kind)) + place_words(architecture, stage);
}

std::string given_sentence(const Architecture& architecture, const GivenNumbers& given) {
  const std::string words = given_words(architecture, given);
  if (words.empty()) return {};
  const bool is_turned = architecture.positions == Positions::rotary &&
                         std::ranges::any_of(given.all, [](const GivenMatrix& each) {
                           const auto stage = parse_path(each.path);
                           return stage && (stage->kind == StageKind::query || stage->kind == StageKind::key);
                         });
  std::string text = words + " given by hand";
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return is_turned ? text + ", then rotated by rotary positions" : text;
}

std::string overflow_text(const Trace& trace) {
  const std::optional<Overflow>& first = trace.overflow();
  if (!first) return {};
  const StageInfo& stage = info(first->stage.kind);
  const auto at = [&](Axis axis, int index) { return quoted_word(trace.label(first->stage, axis, index)); };
  const std::string what = std::isnan(first->value) ? "The first value that is not a number (NaN) is"
                                                    : "The first number beyond the range of float32 is " +
                                                          number_text(static_cast<double>(first->value));
  return what + " in " + stage_words(trace.architecture(), first->stage) + " (row " +
         at(stage.rows, first->row) + ", column " + at(stage.cols, first->col) +
         "): what is computed from it has no meaning.";
}

std::string given_weights_text(const HeadEdits& edits, const CombinedMask& mask, int head) {
  const auto n = static_cast<int>(edits.weights.size());
  const auto n_hidden = static_cast<int>(std::ranges::count_if(edits.weights, [&](const GivenWeight& given) {
    return !mask.is_visible(head, given.cell.query, given.cell.key);
  }));
  std::string text = count_text(n, "weight") + " given";
  if (n_hidden == 0) return text;
  return text + (n == 1          ? ", which the mask hides"
                 : n_hidden == n ? ", all of which the mask hides"
                                 : ", " + std::to_string(n_hidden) + " of which the mask hides");
}

int n_compared_rows(const HeadEdits& edits) {
  int n = 0;
  for (std::size_t first = 0; first < edits.pattern.size(); first += static_cast<std::size_t>(edits.n_keys))
    n += std::isnan(edits.pattern[first]) ? 0 : 1;
  return n;
}

std::string head_badge(const Trace& trace, const HeadId& head) {
  const HeadEdits* edits = trace.edits() == nullptr ? nullptr : trace.edits()->of(head);
  if (edits == nullptr) return {};
  if (edits->scale == 0.0F) return "off";  // regardless of other edits of its weights
  std::string text;
  const auto add = [&text](const std::string& mark) { text += (text.empty() ? "" : " ") + mark; };
  if (edits->scale != 1.0F) add("×" + number_text(static_cast<double>(edits->scale), 3));
  if (edits->is_uniform) add("uniform");
  if (!edits->pattern.empty()) {
    const bool is_whole = n_compared_rows(*edits) * edits->n_keys == static_cast<int>(edits->pattern.size());
    add(is_whole ? "as in A" : "partly as in A");
  }
  const CombinedMask& mask = trace.mask(stage_in(head, StageKind::weights));
  const auto is_used = [&](const GivenWeight& given) {
    return mask.is_visible(head.head, given.cell.query, given.cell.key);
  };
  if (!edits->weights.empty())
    add(std::ranges::any_of(edits->weights, is_used) ? "given weights" : "given weights, hidden");
  return text;
}

std::string interventions_text(const Trace& trace) {
  const PassEdits* edits = trace.edits();
  if (edits == nullptr) return {};
  std::vector<std::string> items;
  for (const PassEdits::AttentionEdits& attention : edits->attentions) {
    HeadId place = attention.place;
    for (const HeadEdits& head : attention.heads) {
      place.head = head.head;
      const std::string changes = changes_text(trace, place, head);
      if (!changes.empty()) items.push_back(head_text(trace.architecture(), place) + changes);
    }
  }
  const RowEdit* before = nullptr;
  for (const RowEdit& edit : edits->rows) {
    // The rows of a patch of every row are contiguous, and named once.
    const bool is_named = before != nullptr && before->is_from_every_row && edit.is_from_every_row &&
                          before->stage == edit.stage;
    if (!is_named) items.push_back(row_text(trace, edit));
    before = &edit;
  }
  constexpr std::size_t max_items = 6;
  return first_texts(items, max_items, "; ");
}

std::string given_text(const Trace& trace) {
  return given_words(trace.architecture(), trace.given());
}

std::string changes_text(const Trace& trace) {
  const std::string changed = interventions_text(trace);
  const std::string given = given_text(trace);
  std::string text = changed.empty() ? "" : "interventions: " + changed;
  if (!given.empty()) text += (text.empty() ? "" : " · ") + ("given by hand: " + given);
  return text;
}

std::string changes_sentences(const Trace& trace) {
  const std::string changed = interventions_text(trace);
  const std::string given = given_text(trace);
  std::string text = changed.empty() ? "" : "Interventions: " + changed + ".";
  if (!given.empty()) text += (text.empty() ? "" : " ") + ("Given by hand: " + given + ".");
  return text;
}

}  // namespace headscope
