#include "core/trace/place_text.h"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "core/model/interventions.h"
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
    const std::string heads = stage.is_per_group ? group_text(a, id.head) : "head " + std::to_string(id.head);
    of += (of.empty() ? " of " : ", ") + heads;
  }
  if (!a.has_cross()) return of;
  const bool is_cross = stage.scope >= StageScope::attention && id.attention == AttentionKind::cross;
  const std::string where = is_cross                     ? "cross-attention"
                            : id.stack == Stack::encoder ? "the encoder"
                                                         : "the decoder";
  return of.empty() ? " of " + where : of + ", in " + where;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
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
    place +=
        ", " + (stage.is_per_group ? group_text(architecture, id.head) : "head " + std::to_string(id.head));
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
    parts.push_back(joined(places[i].second) + places[i].first);
  if (places.size() > max_places)
    parts.push_back(std::to_string(places.size() - max_places) + " more places");
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : i + 1 == parts.size() ? ", and " : ", ") + parts[i];
  return text;
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
  const auto at = [&](Axis axis, int index) { return "“" + trace.label(first->stage, axis, index) + "”"; };
  return "The first number beyond the range of float32 is " + number_text(static_cast<double>(first->value)) +
         " in " + stage_words(trace.architecture(), first->stage) + " (row " + at(stage.rows, first->row) +
         ", column " + at(stage.cols, first->col) + "): what is computed from it has no meaning.";
}

}  // namespace headscope
