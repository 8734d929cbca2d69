#include "core/trace/intervention_text.h"

#include <vector>

#include "core/model/pass_edits.h"
#include "core/trace/number_text.h"
#include "core/trace/patch_stage.h"

namespace headscope {
namespace {

std::string changes_text(const HeadEdits& edits) {
  std::string text;
  const auto add = [&text](const std::string& change) { text += (text.empty() ? " " : " and ") + change; };
  if (edits.scale == 0.0F) add("off");
  if (edits.scale != 0.0F && edits.scale != 1.0F) add("× " + number_text(edits.scale));
  if (edits.is_uniform) add("uniform");
  if (!edits.pattern.empty()) add("with the held pass’s weights");
  const auto n_given = static_cast<int>(edits.weights.size());
  if (n_given > 0) add("with " + counted(n_given, "weight") + " given");
  return text;
}

/// The first few, and how many more.
std::string list_text(const std::vector<std::string>& items) {
  constexpr std::size_t most = 6;
  std::string text;
  for (std::size_t i = 0; i < items.size() && i < most; ++i) text += (i == 0 ? "" : ", ") + items[i];
  if (items.size() > most) text += " and " + std::to_string(items.size() - most) + " more";
  return text;
}

std::string row_text(const Trace& trace, const RowEdit& edit) {
  const StageId stage =
      stage_of(Patch{.site = edit.site, .place = edit.place, .row = edit.row, .source = edit.source});
  const std::string token = trace.label(stage, info(stage.kind).rows, edit.row);
  const std::string source = edit.source == PatchSource::zero ? "0" : "the held pass’s";
  return path(stage) + " of “" + token + "” is " + source;
}

}  // namespace

std::string head_text(const Architecture& a, const HeadId& head) {
  std::string text;
  if (a.has_cross()) {
    text = head.attention == AttentionKind::cross ? "cross-attention, "
           : head.stack == Stack::encoder         ? "encoder, "
                                                  : "decoder, ";
  }
  return text + "layer " + std::to_string(head.layer) + " head " + std::to_string(head.head);
}

std::string head_mark(const Trace& trace, const HeadId& head) {
  const HeadEdits* edits = trace.edits() == nullptr ? nullptr : trace.edits()->of(head);
  if (edits == nullptr) return {};
  if (edits->scale == 0.0F) return "off";  // whatever its weights are
  std::string text;
  const auto add = [&text](const std::string& mark) { text += (text.empty() ? "" : " ") + mark; };
  if (edits->scale != 1.0F) add("×" + number_text(static_cast<double>(edits->scale), 3));
  if (edits->is_uniform) add("uniform");
  if (!edits->pattern.empty()) add("as in A");
  if (!edits->weights.empty()) add("given weights");
  return text;
}

std::string interventions_text(const Trace& trace) {
  const PassEdits* edits = trace.edits();
  if (edits == nullptr) return {};
  std::vector<std::string> items;
  for (const PassEdits::OfAttention& attention : edits->attentions) {
    HeadId place = attention.place;
    for (const HeadEdits& head : attention.heads) {
      place.head = head.head;
      const std::string changes = changes_text(head);
      if (!changes.empty()) items.push_back(head_text(trace.architecture(), place) + changes);
    }
  }
  for (const RowEdit& edit : edits->rows) items.push_back(row_text(trace, edit));
  return list_text(items);
}

std::string given_text(const Trace& trace) {
  std::vector<std::string> paths;
  paths.reserve(trace.given().all.size());
  for (const GivenMatrix& each : trace.given().all) paths.push_back(each.path);
  return list_text(paths);
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
