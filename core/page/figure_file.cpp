#include "core/page/figure_file.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <utility>

#include "core/checkpoint/saved_session.h"
#include "core/figure/pages.h"
#include "core/io/base64.h"
#include "core/io/json_text.h"
#include "core/page/page_record.h"
#include "core/page/parts/page_builder.h"
#include "core/page/worksheet/worksheet_page.h"
#include "core/paint/pdf_writer.h"
#include "core/paint/png_file.h"
#include "core/paint/rasterize.h"
#include "core/paint/svg_painter.h"
#include "core/session/json_fields.h"
#include "core/system/process.h"
#include "core/system/read_file.h"
#include "core/trace/explain.h"
#include "core/trace/number_source.h"

namespace headscope {
namespace {

PageSpec spec_of(const Session& session, const FigureChoice& choice, const FigureSize& size,
                 float min_number) {
  PageSpec page;
  page.picture = session.picture;
  page.width = static_cast<float>(size.width);
  page.height = static_cast<float>(size.height);
  page.has_title = size.look.has_title;
  page.has_note = size.look.has_caption;
  page.has_color_bar = size.look.has_color_bar;
  page.fills = record_of(size.paper).height > 0.0F;
  page.min_number = min_number;
  if (choice.row && choice.column) {
    page.pinned = CellIndex{*choice.row, *choice.column};
    page.pinned_stage = choice.stage.value_or(StageKind::weights);
  } else {
    page.marked_token = choice.row;
  }
  return page;
}

Result<Figure> figure_of_difference(const PageInputs& shown, const StageId& stage, const PageSpec& page,
                                    const MeasureText& measure) {
  const Comparison compared{*shown.trace, stage, *shown.against(), shown.counterpart(stage)};
  auto numbers = difference_source(compared);
  if (!numbers) return failure("nothing to compare: " + numbers.error().message);
  double range = 0.0;
  HeatmapSpec spec = unscaled_heatmap(*shown.trace, stage, shown.session.picture);
  spec.scale = scale_of_difference(**numbers, shown.session.picture, range);
  show_difference(std::move(*numbers), spec);
  name_both(compared, spec);
  return figure_of_heatmap(std::move(spec), stage.kind, page, measure);
}

Result<Figure> drawn(const PageInputs& shown, const FigureSize& size, const MeasureText& measure) {
  const Session& session = shown.session;
  const PageName view = session.view;
  if (size.page == PageName::worksheet) return figure_of_worksheet(shown, size, measure);
  if (view == PageName::heads && !size.page) {
    if (auto there = check_stage(*shown.trace, shown_figure(session).main_stage()); !there)
      return tl::unexpected(there.error());
  }
  if (view != PageName::explore || size.page) {
    return figure_of_page(shown, size.page.value_or(view),
                          {static_cast<float>(size.width), static_cast<float>(size.height)}, measure,
                          size.look.has_title, record_of(size.paper).height > 0.0F);
  }
  const FigureChoice choice = shown_figure(session);
  PageSpec page = spec_of(session, choice, size, shown.min_number);
  if (session.cover.is_over(canonical(shown.trace->architecture(), normalized(choice.main_stage()))))
    page.cover = session.cover;
  return shown.against() ? figure_of_difference(shown, choice.main_stage(), page, measure)
                         : figure_of_stage(*shown.trace, choice.main_stage(), page, measure);
}

/// The map of one of `n_cols` panels beside each other. Below a narrow map, there is space for the labels of
/// its columns.
Result<Figure> drawn_panel(PageInputs in, const HeadIndex& head, FigureSize each, int n_cols,
                           const MeasureText& measure) {
  const int n_rows = (static_cast<int>(each.panels.size()) + n_cols - 1) / n_cols;
  in.session.selection.layer = head.layer;
  in.session.selection.head = head.head;
  each.panels.clear();
  each.width /= n_cols;
  each.height = std::max(each.height / n_rows, each.width * 5 / 4);
  return drawn(in, each, measure);
}

/// The greatest number of columns, at most `most`, with numbers in the cells of the first panel. `most` if
/// no panel has room for numbers.
int columns_of_panels(const PageInputs& in, const FigureSize& size, int most, const MeasureText& measure) {
  PageInputs without_numbers = in;
  without_numbers.session.picture.numbers = false;
  const int n_keys = in.trace->extent(in.at(in.session.selection.stage)).cols;
  const bool may_fit = static_cast<float>(n_keys) * in.min_number <= static_cast<float>(size.width);
  for (int n_cols = most; n_cols > 0 && may_fit; --n_cols) {
    const auto panel = drawn_panel(in, size.panels.front(), size, n_cols, measure);
    const auto bare = drawn_panel(without_numbers, size.panels.front(), size, n_cols, measure);
    if (panel && bare && panel->items.size() > bare->items.size()) return n_cols;
  }
  return most;
}

/// The maps of several heads side by side, or below each other if their numbers need the width, each with its
/// letter.
Result<Figure> drawn_panels(const PageInputs& shown, const FigureSize& size, const MeasureText& measure) {
  constexpr float label_size = 15.0F;
  if (shown.session.view != PageName::explore || size.page)
    return usage_error("panels are maps of heads: leave out the page, or the panels");
  if (size.panels.size() > FigureSize::max_panels)
    return usage_error("a figure has at most " + std::to_string(FigureSize::max_panels) +
                       " panels: pick fewer heads");
  if (normalized({.kind = shown.session.selection.stage, .head = 1}).head != 1)
    return usage_error("panels are maps of heads, but the stage “" +
                       std::string(info(shown.session.selection.stage).title) + "” has none: choose another");
  const int min_width = static_cast<int>(25.0F * shown.min_number);
  const auto n = static_cast<int>(size.panels.size());
  const int n_wanted = n <= 3 ? n : static_cast<int>(std::ceil(std::sqrt(n)));
  const int n_cols = columns_of_panels(shown, size, std::clamp(size.width / min_width, 1, n_wanted), measure);
  // In small print, the margin has no room for the letter, which stands above the title.
  const float above = is_small_print(shown.min_number) ? 16.0F : 0.0F;
  const float letter_y = above > 0.0F ? 4.0F : 22.0F;
  Figure all{0.0F, 0.0F, theme_of(shown.session.picture.theme).panel, {}};
  float row_height = 0.0F;
  float x = 0.0F;
  float y = 0.0F;
  for (int i = 0; i < n; ++i) {
    const HeadIndex& head = size.panels[static_cast<std::size_t>(i)];
    auto panel = drawn_panel(shown, head, size, n_cols, measure);
    if (!panel) return panel;
    if (i % n_cols == 0) {
      y += row_height;
      x = row_height = 0.0F;
    }
    append(all, *panel, x, y + above);
    all.write(std::string(1, static_cast<char>('a' + i)), {x + 6.0F, y + letter_y}, shown.theme().text,
              label_size, Font::sans_bold);
    x += panel->width;
    row_height = std::max(row_height, above + panel->height);
    all.width = std::max(all.width, x);
  }
  all.height = y + row_height;
  return all;
}

using Json = nlohmann::json;

Json json_of(const FigureSize& size) {
  Json json{{"width", size.width}, {"height", size.height}, {"scale", size.scale}};
  if (size.page) json["page"] = enum_name(*size.page);
  if (size.paper != Paper::page) json["paper"] = record_of(size.paper).name;
  if (size.is_transparent) json["transparent"] = true;
  for (const auto& [name, is_drawn] : figure_parts) {
    if (!(size.look.*is_drawn)) json["without"].push_back(name);
  }
  if (size.look.is_serif) json["serif"] = true;
  for (const HeadIndex& head : size.panels) json["panels"].push_back(head_name(head));
  return json;
}

/// Whether the memory limit truncated a sentence of a pass, which a scene holds in full.
bool was_cut(const Trace& trace) {
  const auto n_longest = std::max(trace.tokens(Stack::encoder).size(), trace.tokens(Stack::decoder).size());
  return trace.n_sentence_tokens() != static_cast<int>(n_longest);
}

/// What a page shows that no scene holds. Empty if the scene holds everything.
std::string beyond_scene(const PageInputs& shown) {
  const bool has_truncated_compared = std::ranges::any_of(
      shown.compared, [](const SubjectPass& compared) { return compared.trace && was_cut(*compared.trace); });
  if ((shown.trace && was_cut(*shown.trace)) || has_truncated_compared)
    return "a sentence cut to what fits in memory";
  const PageName view = shown.session.view;
  const PageInputs usual;
  if (view == PageName::train && shown.training)
    return "the training under way, with its curves and gradients";
  const bool differs = shown.n_positions != usual.n_positions || shown.position_width != usual.position_width;
  return view == PageName::positions && differs ? "how many positions and dimensions are drawn" : "";
}

/// What stands in the program's page where the files can be put.
constexpr std::string_view place_of_files = R"(<script type="application/json" id="sent"></script>)";

Result<std::filesystem::path> program_page() {
  std::vector<std::filesystem::path> places;
  for (const std::filesystem::path& models : bundled_model_folders()) places.push_back(models.parent_path());
  if (const auto folder = program_folder(); !folder.empty()) places.push_back(folder.parent_path() / "web");
  for (const std::filesystem::path& place : places) {
    std::error_code unknown;
    const std::filesystem::path page = place / "headscope.html";
    if (std::filesystem::exists(page, unknown)) return page;
  }
  return failure(
      "a web page holds the program itself, which has not been built for browsers yet: run app/web/build once");
}

constexpr float min_printed_number = 6.0F;  ///< The least size of numbers on paper, in points.

/// The least height of a figure of which only the beginning fits on its paper: on paper of fixed height, it
/// would be too small to read as a whole, and a column is at most as long as its page. 0 if all of it fits.
float most_on_paper(const Figure& figure, const PaperRecord& record) {
  constexpr float readable = 10.0F;         // In points.
  constexpr float longest_column = 650.0F;  // In points: 229 mm, of the 297 of A4.
  if (record.height > 0.0F) return record.height * page_size::small / readable;
  if (record.paper != Paper::column || figure.width <= 0.0F) return 0.0F;
  return longest_column / std::min(record.max_zoom, record.width / figure.width);
}

/// The beginning of a figure that does not fit on its paper as a whole. Says what it lacks.
Figure readable_on_paper(Figure figure, const FigureSize& size, std::string* left_out) {
  const PaperRecord& record = record_of(size.paper);
  const float most = most_on_paper(figure, record);
  if (most <= 0.0F || size.page == PageName::worksheet) return figure;
  const float whole = figure.height;
  Figure beginning = beginning_of(std::move(figure), most);
  if (beginning.height < whole && left_out != nullptr)
    *left_out = "the page is longer than a " + std::string(record.name) +
                ", so only its beginning is shown: the size “Page” shows all of it (--size " +
                std::to_string(size.width) + "x" + std::to_string(static_cast<int>(whole)) + ")";
  return beginning;
}

}  // namespace

Figure on_paper(Figure figure, const FigureSize& size) {
  if (size.is_transparent) figure.background.a = 0;
  const PaperRecord& record = record_of(size.paper);
  if (record.width <= 0.0F || figure.width <= 0.0F || figure.height <= 0.0F) return figure;
  const bool has_height = record.height > 0.0F;
  const float zoom =
      std::min({record.max_zoom, record.width / figure.width,
                has_height ? record.height / figure.height : std::numeric_limits<float>::infinity()});
  Figure sheet{record.width / zoom, has_height ? record.height / zoom : figure.height, figure.background, {}};
  append(sheet, figure, 0.5F * (sheet.width - figure.width), 0.5F * (sheet.height - figure.height));
  return sheet;
}

Result<void> check_stage(const Trace& trace, const StageId& id) {
  if (trace.has(id)) return {};
  return explain(trace, id, 0, 0).map([](const Explanation&) {});
}

PageInputs inputs_of(const Session& session, const std::vector<std::shared_ptr<const Trace>>& passes) {
  PageInputs in;
  in.session = session;
  in.trace = passes.front();
  in.trace_model = session.model;
  for (std::size_t i = 0; i < session.compared.size(); ++i)
    in.compared.push_back({passes[i + 1], session.compared[i].model, {}});
  return in;
}

Result<Figure> figure_off_paper(const PageInputs& shown, const FigureSize& size, const MeasureText& measure,
                                std::string* left_out) {
  PageInputs in_file = shown;
  in_file.in_file = true;
  in_file.is_slide = size.paper == Paper::slide;
  if (const PaperRecord& record = record_of(size.paper); record.width > 0.0F)
    in_file.min_number =
        std::max(usual_min_number, min_printed_number * static_cast<float>(size.width) / record.width);
  auto figure = size.panels.empty() ? drawn(in_file, size, measure) : drawn_panels(in_file, size, measure);
  if (auto ok = shown.check_files(); !ok) return tl::unexpected(ok.error());
  if (!figure) return figure;
  return readable_on_paper(std::move(*figure), size, left_out);
}

Result<Figure> figure_of(const PageInputs& shown, const FigureSize& size, const MeasureText& measure,
                         std::string* left_out) {
  return figure_off_paper(shown, size, measure, left_out).map([&](Figure figure) {
    return on_paper(std::move(figure), size);
  });
}

std::vector<Metadata> metadata_of(const PageInputs& shown, const FigureSize& size) {
  std::vector<Metadata> metadata{{"Software", "headscope"}};
  auto scene = scene_text(shown.session, json_of(size));
  metadata.push_back(scene ? Metadata{scene_key, std::move(*scene)}
                           : Metadata{scene_omitted_key, scene.error().message});
  if (std::string beyond = beyond_scene(shown); !beyond.empty())
    metadata.push_back({beyond_scene_key, std::move(beyond)});
  return metadata;
}

Result<std::optional<FigureSize>> size_in_scene(std::string_view scene) {
  const auto json = parse_json(scene);
  if (!json) return tl::unexpected(json.error());
  const auto figure = json->find("figure");
  if (figure == json->end()) return std::nullopt;
  return result_of("its ", [&]() -> std::optional<FigureSize> {
    const JsonFields fields(*figure, "figure.");
    FigureSize size;
    size.width = fields.whole("width", size.width, 1, FigureSize::max_side);
    size.height = fields.whole("height", size.height, 1, FigureSize::max_side);
    size.scale = fields.whole("scale", size.scale, 1, FigureSize::max_scale);
    size.is_transparent = fields.flag("transparent");
    for (const std::string& name : fields.texts("without")) {
      if (!hide_part(name, size.look)) fields.reject("figure.without is a list of title, caption and bar");
    }
    size.look.is_serif = fields.flag("serif");
    const std::vector<std::string> panels = fields.texts("panels");
    for (const std::string& name : panels) {
      if (const auto head = parse_head_name(name)) size.panels.push_back(*head);
    }
    if (size.panels.size() != panels.size() || panels.size() > FigureSize::max_panels)
      fields.reject("figure.panels must be at most 26 heads such as 1.0");
    const std::string page = fields.text("page", "");
    size.page = enum_from_name<PageName>(page);
    if (!page.empty() && !size.page) fields.reject("figure.page is not the name of a page");
    const auto* const paper = std::ranges::find(paper_records, fields.text("paper", ""), &PaperRecord::name);
    if (paper == paper_records.end()) fields.reject("figure.paper must be one of " + paper_names(", "));
    size.paper = paper->paper;
    fields.reject_unread_fields();
    return size;
  });
}

Result<std::string> figure_bytes(const Figure& figure, FileType type, const FigureSize& size,
                                 FontFaces& fonts, const std::vector<Metadata>& metadata) {
  const float zoom = points_per_unit(figure, size.paper);
  switch (type) {
    case FileType::svg:
      return size.paper == Paper::page ? svg_bytes(figure, fonts, metadata)
                                       : svg_bytes(figure, fonts, metadata, zoom, "pt");
    case FileType::pdf:
      return pdf_bytes(std::span(&figure, 1), fonts, metadata, zoom);
    case FileType::html:
      return usage_error("an HTML file shows a session, not a figure");
    case FileType::png:
      break;
  }
  return rasterized(figure, zoom * static_cast<float>(size.scale), fonts).and_then([&](const Image& image) {
    return png_bytes(image, metadata);
  });
}

FigureSize size_on(Paper paper, FigureSize usual) {
  if (paper == Paper::page) return usual;
  const PaperRecord& record = record_of(paper);
  usual.paper = paper;
  usual.width = record.layout_width;
  usual.height = record.layout_height;
  usual.scale = record.scale;
  return usual;
}

float points_per_unit(const Figure& figure, Paper paper) {
  const PaperRecord& record = record_of(paper);
  return record.width <= 0.0F || figure.width <= 0.0F ? 1.0F : record.width / figure.width;
}

Result<void> check_web_page() {
  return program_page().map([](const std::filesystem::path&) {});
}

Result<std::string> web_page(const PortablePage& sent) {
  auto page = program_page().and_then([](const std::filesystem::path& file) { return read_file(file); });
  if (!page) return page;
  const std::size_t at = page->find(place_of_files);
  if (at == std::string::npos) return failure("the program's page is damaged: run app/web/build again");
  nlohmann::ordered_json json{{"title", sent.title}, {"lacks", sent.missing_parts}, {"still", sent.still}};
  for (const PortableFile& file : sent.files)
    json["files"].push_back({{"name", file.name}, {"bytes", to_base64(file.bytes)}});
  constexpr bool is_ascii = true;
  std::string inside;
  // A “<” could end the element that holds the files.
  for (const char c : json.dump(-1, ' ', is_ascii, nlohmann::ordered_json::error_handler_t::replace))
    c == '<' ? inside += "\\u003c" : inside += c;
  page->insert(at + place_of_files.find("</"), inside);
  return page;
}

Result<std::string> web_page(const PageInputs& shown, FigureSize size) {
  if (auto ok = check_web_page(); !ok) return tl::unexpected(ok.error());
  auto scene = portable_scene(shown.session);
  if (!scene) return tl::unexpected(scene.error());
  PortablePage page{shown.session.title, std::move(scene->files), std::move(scene->missing_parts), {}};
  if (page.missing_parts.empty()) return web_page(page);
  size.paper = Paper::page;
  const auto fonts = FontFaces::open_installed();
  if (!fonts) return tl::unexpected(fonts.error());
  auto still = figure_of(shown, size, measure_with(*fonts)).and_then([&](const Figure& figure) {
    return figure_bytes(figure, FileType::svg, size, **fonts, {});
  });
  if (!still) return still;
  page.still = std::move(*still);
  return web_page(page);
}

}  // namespace headscope
