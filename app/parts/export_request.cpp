#include "app/parts/export_request.h"

#include "core/model/trained_model.h"

namespace headscope {
namespace {

std::string extension(const ExportRequest& request) {
  switch (request.kind) {
    case ExportKind::figure:
    case ExportKind::map:
      if (request.format == FigureFormat::svg) return ".svg";
      return request.format == FigureFormat::pdf ? ".pdf" : ".png";
    case ExportKind::worksheet:
      return ".pdf";
    case ExportKind::window:
      return ".png";
    case ExportKind::csv:
      return ".csv";
    case ExportKind::npy:
      return ".npy";
    case ExportKind::trace:
      return ".safetensors";
    case ExportKind::model:
      break;  // a folder
  }
  return {};
}

/// "decoder-layer-1-cross-" where the model has more than one layer; nothing else.
std::string place_words(const Session& session) {
  const Architecture& a = session.architecture;
  const Selection& selection = session.selection;
  const StageScope scope = info(exported_stage(session)).scope;
  std::string words;
  if (a.has_cross() && scope >= StageScope::stack) {
    words = selection.stack == Stack::encoder ? "encoder-" : "decoder-";
  }
  if (a.n_layers > 1 && scope >= StageScope::layer) words += "layer-" + std::to_string(selection.layer) + "-";
  const bool is_cross = selection.attention == AttentionKind::cross && scope >= StageScope::attention;
  return words + (is_cross ? "cross-" : "");
}

std::string stem(const Session& session, ExportKind kind) {
  const Selection& selection = session.selection;
  const StageInfo& about = info(exported_stage(session));
  const std::string stage(about.name);
  const std::string head = "head-" + std::to_string(selection.head);
  const bool per_head = about.scope == StageScope::head;
  if (kind == ExportKind::window) return "headscope-window";
  if (kind == ExportKind::trace) return "headscope-trace";
  if (kind == ExportKind::model) {
    const int steps = session.model ? session.model->steps : 0;
    return "headscope-" + (session.task.empty() ? "model" : session.task) + "-" + std::to_string(steps) +
           "-steps";
  }
  if (kind == ExportKind::figure && session.view == View::model) return "headscope-model";
  if (kind == ExportKind::figure && session.view == View::stages) {
    return "headscope-" + place_words(session) + "stages-" + head;
  }
  const std::string name = place_words(session) + stage + (per_head ? "-" + head : "");
  if (kind == ExportKind::worksheet) return "headscope-worksheet";
  if (kind == ExportKind::figure) {
    if (session.view == View::explore) return "headscope-explore-" + name;
    if (session.view == View::positions) return "headscope-positions";
    if (session.view == View::words) return "headscope-words";
    if (session.view == View::split) return "headscope-" + place_words(session) + "split";
    if (session.view == View::train) return "headscope-train";
    if (session.view == View::compare) return "headscope-" + place_words(session) + stage + "-compared";
  }
  if (kind == ExportKind::figure && session.view == View::heads && per_head) {
    return "headscope-" + place_words(session) + stage + "-all-heads";
  }
  return "headscope-" + name;
}

}  // namespace

std::string export_name(const Session& session, const ExportRequest& request) {
  const bool is_difference = is_drawn(request.kind) && session.difference && !session.held.empty();
  return stem(session, request.kind) + (is_difference ? "-difference" : "") + extension(request);
}

}  // namespace headscope
