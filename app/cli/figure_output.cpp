#include "app/cli/figure_output.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/figure_session.h"
#include "app/cli/option_values.h"
#include "app/cli/progress.h"
#include "app/cli/stage_options.h"
#include "core/checkpoint/saved_session.h"
#include "core/page/figure_file.h"
#include "core/page/worksheet/worksheet_page.h"
#include "core/paint/font_faces.h"
#include "core/paint/pdf_writer.h"
#include "core/paint/png_file.h"
#include "core/split_text.h"
#include "core/system/atomic_file.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

FileType file_type(const std::string& out) {
  const std::string extension = fs::path(out).extension();
  if (extension == ".png") return FileType::png;
  if (extension == ".svg") return FileType::svg;
  if (extension == ".pdf") return FileType::pdf;
  if (extension == ".html") return FileType::html;
  std::error_code unknown;
  const fs::file_status status = fs::status(out, unknown);
  const bool is_device = fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
  if (is_device) return FileType::png;
  refuse(invalid_value("--out", out, "the file name must end in .png, .svg, .pdf or .html"));
}

/// The paper that --size names; empty if it gives a width and height instead.
std::optional<Paper> paper_from_name(const std::string& given) {
  const auto named = std::ranges::find(paper_records, given, &PaperRecord::name);
  return named == paper_records.end() || given.empty() ? std::nullopt : std::optional(named->paper);
}

FigureSize figure_size(const CommandOptions& o, FileType type, FigureSize size) {
  constexpr int min_side = 200;
  const auto given_size = o.text("--size");
  const auto paper = given_size ? paper_from_name(*given_size) : std::nullopt;
  const bool is_changed =
      !o.first_of({"--size", "--scale", "--transparent", "--serif", "--without", "--panels"}).empty();
  if (type == FileType::html && (is_changed || size.page == PageName::worksheet ||
                                 (names_page(o) && size.page && *size.page != PageName::explore)))
    refuse(usage_error(
        "an HTML file shows the whole window: leave out --size, --scale, --transparent, --without, --serif, --panels and pages that are no views"));
  if (paper && size.page == PageName::worksheet)
    refuse(invalid_value("--size", *given_size,
                         "a worksheet takes the size of its paper in points, such as 595x842"));
  if (paper) {
    size = size_on(*paper, size);
  } else if (given_size) {
    const auto page = parse_dimensions("--size", *given_size, min_side, FigureSize::max_side);
    if (!page) refuse(usage_error(page.error().message + ", or " + paper_names(", ")));
    if (size.paper != Paper::page) size.scale = FigureSize().scale;
    size.paper = Paper::page;
    std::tie(size.width, size.height) = *page;
  }
  if (const auto given = o.text("--scale")) {
    const auto scale = parse_whole_number("--scale", *given, 1, FigureSize::max_scale);
    if (!scale) {
      refuse(usage_error(scale.error().message +
                         ", the pixels per unit of a PNG; the factor of the scores is --score-scale"));
    }
    if (type != FileType::png)
      refuse(usage_error("--scale " + *given + " applies only to PNG: SVG and PDF have no pixels"));
    size.scale = *scale;
  }
  size.is_transparent = size.is_transparent || o.is_on("--transparent");
  size.look.is_serif = size.look.is_serif || o.is_on("--serif");
  if (const auto left_out = o.text("--without")) {
    for (const std::string_view part : split_text(*left_out, ',')) {
      if (!hide_part(part, size.look))
        refuse(invalid_value("--without", *left_out, "it takes title, caption and bar, separated by commas"));
    }
  }
  if (const auto panels = o.text("--panels")) {
    size.panels.clear();
    for (const std::string_view name : split_text(*panels, ',')) {
      const auto head = parse_head_name(name);
      if (!head || size.panels.size() == FigureSize::max_panels)
        refuse(invalid_value("--panels", *panels, "it takes at most 26 heads such as 0.1,1.0"));
      size.panels.push_back(*head);
    }
  }
  return size;
}

/// The stage of the figure: the requested one, even if the session had to replace it.
StageId requested_stage(const CommandOptions& o, const Session& session, const FigureChoice& figure) {
  if (!o.has(setting("selection.stage"))) return figure.main_stage();
  const auto requested = result_of([&] { return stage_id_of(o, session); });
  const bool was_mended = requested && requested->kind != session.selection.stage;
  return was_mended ? *requested : figure.main_stage();
}

/// The page that --page names if it is not a view: the entire explorer, the inspector or a worksheet.
std::optional<PageName> non_view_page(const CommandOptions& o) {
  const auto given = o.text(setting("selection.view"));
  const auto page = given ? enum_from_name<PageName>(*given) : std::nullopt;
  return page == PageName::explore || (page && !is_view(*page)) ? page : std::nullopt;
}

/// Whether the figure depends on the selected stage.
bool shows_one_stage(const Session& session, const FigureSize& size) {
  const PageName view = session.view;
  return size.page != PageName::inspector && (view == PageName::explore || view == PageName::heads);
}

/// The metadata of a file of several pages: that of the first one, and the scenes of the others.
std::vector<Metadata> metadata_of_pages(std::span<const PageInputs> pages, const FigureSize& size) {
  std::vector<Metadata> metadata = metadata_of(pages.front(), size);
  for (std::size_t i = 1; i < pages.size(); ++i) {
    for (Metadata& entry : metadata_of(pages[i], size)) {
      if (entry.key == metadata.front().key) continue;
      entry.key += " " + std::to_string(i + 1);
      metadata.push_back(std::move(entry));
    }
  }
  return metadata;
}

}  // namespace

FigureOutput figure_output(const CommandOptions& o, const Session& session, std::optional<PageName> usual) {
  FigureOutput output;
  output.out = o.text("--out").value_or("");
  output.type = file_type(output.out);
  const std::optional<PageName> page = names_page(o) ? non_view_page(o) : usual;
  FigureSize default_size =
      page == PageName::worksheet ? worksheet_size : shown_figure(session).default_size();
  default_size.page = page;
  if (o.scene && !names_page(o) && usual != PageName::worksheet) {
    const auto own = read_figure_size(*o.scene).value();
    if (own) default_size = *own;
    if (const auto before = own ? std::nullopt : read_figure_options(*o.scene)) {
      const auto size = result_of([&] { return figure_size(*before, FileType::png, default_size); });
      if (size) default_size = *size;
      default_size.page = non_view_page(*before);
    }
  }
  output.size = figure_size(o, output.type, default_size);
  return output;
}

PageInputs inputs_of_output(const CommandOptions& o, const Session& session, const FigureOutput& output) {
  PageInputs shown = inputs_of(session, compute_passes(session).value());
  if (shows_one_stage(session, output.size))
    ensure(check_stage(*shown.trace, requested_stage(o, session, shown_figure(session))));
  return shown;
}

namespace {

/// Writes the file. Adds to the remarks which letters no font has.
Remarks write(const std::string& out, const Result<std::string>& bytes, const FontFaces& fonts,
              Remarks remarks) {
  ensure(write_atomically(out, bytes.value()));
  std::set<std::string_view> reported;
  if (std::string hint = font_hint(fonts.missing_letters(), reported); !hint.empty())
    remarks.push_back(std::move(hint));
  return remarks;
}

}  // namespace

Remarks write_output(std::span<const PageInputs> pages, const FigureOutput& output) {
  if (output.type == FileType::html) {
    ensure(write_atomically(output.out, web_page(pages.front(), output.size).value()));
    return {};
  }
  const auto fonts = FontFaces::open_installed(output.size.look.is_serif).value();
  Remarks remarks;
  std::vector<Figure> figures;
  for (const PageInputs& page : pages) {
    std::string left_out;
    figures.push_back(figure_of(page, output.size, measure_with(fonts), &left_out).value());
    if (!left_out.empty()) remarks.push_back(std::move(left_out));
  }
  return write(output.out,
               figures.size() > 1 ? pdf_bytes(figures, *fonts, metadata_of_pages(pages, output.size))
                                  : figure_bytes(figures.front(), output.type, output.size, *fonts,
                                                 metadata_of(pages.front(), output.size)),
               *fonts, std::move(remarks));
}

Remarks write_pages(const std::function<Result<std::vector<Figure>>(const MeasureText&)>& draw,
                    const std::string& title, const std::string& out) {
  const auto fonts = FontFaces::open_installed().value();
  const std::vector<Figure> pages = draw(measure_with(fonts)).value();
  return write(out, pdf_bytes(pages, *fonts, {{"Software", "headscope"}, {title_key, title}}), *fonts, {});
}

void print_remarks(const Remarks& remarks) {
  for (const std::string& remark : remarks) std::cerr << "headscope: " << remark << '\n';
}

namespace {

/// Writes each picture as a numbered PNG into a folder, which must not exist or be empty.
Result<void> write_pictures(const FilmSteps& steps, int scale, const FilmOptions& film,
                            const std::shared_ptr<FontFaces>& fonts, const fs::path& path,
                            const FilmProgress& progress) {
  return write_folder(path, [&](const fs::path& staging) {
    int number = 0;
    const FrameSink take = [&](const Image& image, int /*milliseconds*/) {
      constexpr std::size_t digits = 5;
      const std::string index = std::to_string(++number);
      const std::string name = std::string(digits - std::min(digits, index.size()), '0') + index;
      return write_png(image, staging / ("frame-" + name + ".png"), {{"Software", "headscope"}});
    };
    ensure(draw_film(steps, scale, film, fonts, take, progress));
  });
}

}  // namespace

void check_film_file(const fs::path& path, bool is_transparent) {
  const std::string ending = path.extension();
  if (path.empty() || path == "-" || (ending != ".webp" && ending != ".gif" && !ending.empty()))
    refuse(invalid_value(
        "--out", path.string(),
        "the name must end in .webp or .gif, or be that of a folder for PNGs, without an ending"));
  if (ending == ".gif" && is_transparent)
    refuse(usage_error("--transparent and .gif cannot be combined: use .webp, or leave --transparent out"));
  std::error_code unknown;
  if (path.has_parent_path() && !fs::is_directory(path.parent_path(), unknown))
    refuse(failure("there is no folder '" + path.parent_path().string() + "': make it first"));
  if (!ending.empty() || !fs::exists(path, unknown)) return;
  if (!fs::is_directory(path, unknown))
    refuse(failure("'" + path.string() + "' is a file: choose another name"));
  if (!is_empty_folder(path))
    refuse(failure("'" + path.string() + "' is not empty: choose a new or an empty folder"));
}

void write_film(const FilmSteps& steps, int scale, const FilmOptions& film, const fs::path& path,
                std::ostream& out) {
  const auto fonts = FontFaces::open_installed().value();
  std::optional<TrainProgress> line;
  const FilmProgress progress = [&line](int drawn, int all) {
    if (!line) line.emplace(all, 0, "picture");
    line->show(drawn, [] { return std::string(); });
    return true;
  };
  Result<void> written;
  if (path.extension().empty()) {
    written = write_pictures(steps, scale, film, fonts, path, progress);
  } else {
    const FilmType type = path.extension() == ".gif" ? FilmType::gif : FilmType::webp;
    written = film_bytes(steps, scale, film, type, fonts, progress).and_then([&](const std::string& bytes) {
      return write_atomically(path, bytes);
    });
  }
  if (line) line->end();
  ensure(written);
  out << path.string() << '\n';
  if (!steps.left_out->empty()) print_remarks({*steps.left_out});
}

}  // namespace headscope
