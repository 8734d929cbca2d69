#include "app/parts/export_form.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace headscope {
namespace {

constexpr std::array<std::pair<std::string_view, FigureFormat>, 3> endings_of_figures{
    {{".png", FigureFormat::png}, {".svg", FigureFormat::svg}, {".pdf", FigureFormat::pdf}}};

/// The ending of a file name if this program writes such files; otherwise empty.
std::string_view known_ending(std::string_view name) {
  const auto ends = [name](std::string_view one) {
    return !one.empty() && name.ends_with(one) && one.size() < name.size();
  };
  for (const auto& [ending, format] : endings_of_figures)
    if (ends(ending)) return ending;
  for (const ExportKindRecord& kind : export_kinds())
    if (ends(kind.ending)) return kind.ending;
  return {};
}

ExportRequest kind_of_file(const ExportForm& form) {
  ExportRequest request;
  request.kind = form.kind();
  request.format = static_cast<FigureFormat>(form.format);
  return request;
}

}  // namespace

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return path == "~" ? path : "";
  return path.substr(0, std::max<std::size_t>(slash, 1));
}

std::string name_in(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return path == "~" ? "" : path;
  return path.substr(slash + 1);
}

ExportRequest request_of(const ExportForm& form, const Session& shown, const PageSize& room) {
  ExportRequest request = kind_of_file(form);
  request.scale = form.scale;
  request.folder = form.folder;
  if (form.is_path_typed) {
    request.folder = folder_of(form.path);
    request.name = name_in(form.path);
    const std::string ending = extension_of(request);
    if (!request.name.empty() && !request.name.ends_with(ending)) request.name += ending;
  }
  if (request.kind == ExportKind::worksheet) {
    request.exercise = form.exercise;
    request.paper_sides = form.sheet_of_paper
                              ? PageSides{form.sheet_of_paper->width, form.sheet_of_paper->height}
                              : PageSides{};
    return request;
  }
  if (!is_drawn(request.kind)) return request;
  request.paper = form.paper;
  request.is_transparent = form.is_transparent;
  request.theme = form.theme.value_or(shown.picture.theme);
  if (request.kind == ExportKind::figure && form.paper == Paper::page) request.paper_sides = sides_of(room);
  return request;
}

std::string usual_path(const ExportForm& form, const Session& shown) {
  const std::string name = export_name(shown, kind_of_file(form));
  if (form.folder.empty() || form.folder.ends_with('/')) return form.folder + name;
  return form.folder + "/" + name;
}

void take_typed_path(ExportForm& form) {
  form.is_path_typed = !form.path.empty();
  if (!is_drawn(form.kind())) return;
  for (const auto& [ending, format] : endings_of_figures)
    if (known_ending(form.path) == ending) form.format = static_cast<int>(format);
}

void choose_folder(ExportForm& form, const std::string& folder) {
  form.folder = folder;
  if (form.is_path_typed) form.path = folder + (folder.ends_with('/') ? "" : "/") + name_in(form.path);
}

void follow_kind(ExportForm& form) {
  if (!form.is_path_typed || name_in(form.path).empty()) return;
  const std::string_view old = known_ending(form.path);
  form.path = form.path.substr(0, form.path.size() - old.size()) + extension_of(kind_of_file(form));
}

}  // namespace headscope
