#include "app/cli/cover_option.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "app/cli/cell_options.h"
#include "app/cli/option_values.h"
#include "app/cli/setting_words.h"
#include "core/session/place_cover.h"

namespace headscope {
namespace {

constexpr const char* cover_option = "--cover";

/// The stage whose cells are covered: the one named after an @, or the selected one.
Result<StageId> covered_stage(const std::string& given, const Session& session) {
  const std::size_t at = given.rfind('@');
  if (at == std::string::npos) return session.selection.at(session.selection.stage);
  const std::string named = given.substr(at + 1);
  if (const auto kind = kind_named(named)) return session.selection.at(*kind);
  if (const auto id = parse_path(named)) return *id;
  return wrong_value(cover_option, given, "“" + named + "” is not a stage: “headscope info” lists them");
}

/// Replaces each token of a list such as "it,3" by its index.
Result<std::string> indices_of(const std::string& list, const Session& session, const StageId& stage,
                               Axis axis) {
  std::string words;
  for (const std::string_view item : split(list, ',')) {
    const auto index = index_along(cover_option, std::string(item), session, stage, axis);
    if (!index) return tl::unexpected(index.error());
    words += (words.empty() ? "" : ",") + std::to_string(*index);
  }
  return words;
}

/// Replaces the tokens of a list of cells such as "it.animal,3.4" by their indices.
Result<std::string> cells_of(const std::string& list, const Session& session, const StageId& stage) {
  std::string words;
  for (const std::string_view item : split(list, ',')) {
    const std::size_t dot = item.find('.');
    if (dot == std::string_view::npos)
      return wrong_value(cover_option, std::string(item),
                         "a cell is a row and a column, such as it.animal or 7.1");
    const auto row =
        index_along(cover_option, std::string(item.substr(0, dot)), session, stage, info(stage.kind).rows);
    if (!row) return tl::unexpected(row.error());
    const auto col =
        index_along(cover_option, std::string(item.substr(dot + 1)), session, stage, info(stage.kind).cols);
    if (!col) return tl::unexpected(col.error());
    words += (words.empty() ? "" : ",") + std::to_string(*row) + "." + std::to_string(*col);
  }
  return words;
}

/// Returns the value of --cover with indices in place of tokens, and with the path of its stage.
Result<std::string> words_in_indices(const std::string& given, const Session& session) {
  const auto stage = covered_stage(given, session);
  if (!stage) return tl::unexpected(stage.error());
  std::string words;
  const std::string rules = given.substr(0, given.rfind('@'));
  for (const std::string_view rule : split(rules, '+')) {
    const std::size_t colon = std::min(rule.find(':'), rule.size());
    const std::string_view kind = rule.substr(0, colon);
    const std::string list(rule.substr(std::min(colon + 1, rule.size())));
    Result<std::string> told = std::string(rule);
    if (kind == "rows") told = indices_of(list, session, *stage, info(stage->kind).rows);
    if (kind == "columns") told = indices_of(list, session, *stage, info(stage->kind).cols);
    if (kind == "cells" || kind == "except") told = cells_of(list, session, *stage);
    if (!told) return told;
    const bool has_list = kind == "rows" || kind == "columns" || kind == "cells" || kind == "except";
    words += (words.empty() ? "" : "+") + (has_list ? std::string(kind) + ":" : "") + *told;
  }
  return words + "@" + path(*stage);
}

}  // namespace

Result<void> read_cover_options(const CommandOptions& o, Session& session) {
  const Setting& cover = setting("cover.cells");
  if (const auto given = o.text(cover); given && *given != "none") {
    const auto words = words_in_indices(*given, session);
    if (!words) return tl::unexpected(words.error());
    if (auto ok = read_setting(cover, *words, session); !ok) return ok;
    if (!placed_cover(session).stage)
      return wrong_value(cover_option, *given,
                         "this model has no such stage, or none of its cells is covered");
  }
  for (const Setting& each : {setting("cover.right"), setting("cover.solution")}) {
    const auto given = o.text(each);
    if (!given) continue;
    if (!session.cover.stage)
      return usage_error(std::string(each.option) + " needs --cover: nothing is covered");
    if (auto ok = read_setting(each, *given, session); !ok) return ok;
  }
  const Cover placed = placed_cover(session);
  if (placed.right != session.cover.right) {
    return wrong_value("--answered", o.text(setting("cover.right")).value_or(""),
                       "only covered cells can be answered; cells count from 0");
  }
  return {};
}

}  // namespace headscope
