#include "app/parts/export_request.h"

#include <algorithm>
#include <cmath>

#include "core/model/trained_model.h"
#include "core/page/page_record.h"
#include "core/session/names.h"

namespace headscope {
namespace {

/// "-decoder-layer-1-cross" where the model has more than one layer; nothing else.
std::string place_words(const Session& session, StageScope scope) {
  const Architecture& a = session.architecture;
  const Selection& selection = session.selection;
  std::string words;
  if (a.has_cross() && scope >= StageScope::stack) {
    words = selection.stack == Stack::encoder ? "-encoder" : "-decoder";
  }
  if (a.n_layers > 1 && scope >= StageScope::layer) words += "-layer-" + std::to_string(selection.layer);
  const bool is_cross = selection.attention == AttentionKind::cross && scope >= StageScope::attention;
  return words + (is_cross ? "-cross" : "");
}

std::string head_words(const Session& session) {
  return "-head-" + std::to_string(session.selection.head);
}

/// "-layer-1-weights-head-0": the stage that the session's page is about.
std::string stage_words(const Session& session) {
  const StageInfo& about = info(exported_stage(session));
  return place_words(session, about.scope) + "-" + std::string(about.name) +
         (about.scope == StageScope::head ? head_words(session) : "");
}

/// "-explore-layer-1-weights-head-0": the session's page, and what of the model it is about.
std::string page_words(const Session& session) {
  std::string page = "-" + std::string(name_of_choice(session.view));
  const StageInfo& about = info(exported_stage(session));
  switch (page_record(session.view).stem) {
    case FileStem::page:
      break;
    case FileStem::layer:
      return page + place_words(session, StageScope::attention);
    case FileStem::head:
      return page + place_words(session, StageScope::head) + head_words(session);
    case FileStem::stage_of_all_heads:
      return page + place_words(session, about.scope) + "-" + std::string(about.name);
    case FileStem::stage:
      return page + stage_words(session);
  }
  return page;
}

std::string stem(const Session& session, ExportKind kind) {
  switch (kind) {
    case ExportKind::window:
      return "headscope-window";
    case ExportKind::trace:
      return "headscope-trace";
    case ExportKind::worksheet:
      return "headscope-worksheet";
    case ExportKind::model: {
      const int steps = session.model ? session.model->steps : 0;
      return "headscope-" + (session.task.empty() ? "model" : session.task) + "-" + std::to_string(steps) +
             "-steps";
    }
    case ExportKind::figure:
      return "headscope" + page_words(session);
    case ExportKind::map:
    case ExportKind::csv:
    case ExportKind::npy:
      break;
  }
  return "headscope" + stage_words(session);
}

}  // namespace

std::string extension_of(const ExportRequest& request) {
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

PageSides sides_of(const PageSize& room) {
  constexpr float margins = 48.0F;
  constexpr float least = 200.0F;
  constexpr float greatest = 8000.0F;
  const auto side = [=](float length) {
    return static_cast<int>(std::lround(std::clamp(length + margins, least, greatest)));
  };
  return room.width > 0.0F && room.height > 0.0F ? PageSides{side(room.width), side(room.height)}
                                                 : PageSides{};
}

std::string export_name(const Session& session, const ExportRequest& request) {
  const bool is_difference = is_drawn(request.kind) && session.difference && !session.held.empty();
  return stem(session, request.kind) + (is_difference ? "-difference" : "") + extension_of(request);
}

}  // namespace headscope
