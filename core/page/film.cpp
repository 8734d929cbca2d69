#include "core/page/film.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/page/figure_file.h"
#include "core/page/page_record.h"
#include "core/paint/rasterize.h"
#include "core/session/action.h"

namespace headscope {
namespace {

/// A frame of a film: a step, and how far its animation is.
struct FilmFrame {
  int step = 1;
  float share = 1.0F;
  int milliseconds = 0;
};

/// An animated step moves for half of its time. The rest of the time, and any other step, is one frame.
std::vector<FilmFrame> frames_of(const FilmSteps& steps, const FilmOptions& options, int last) {
  constexpr double milliseconds = 1000.0;
  std::vector<FilmFrame> frames;
  for (int step = options.first; step <= last; ++step) {
    const double seconds = options.seconds * steps.pace(step);
    const auto whole = static_cast<int>(std::lround(milliseconds * seconds));
    // The first step of a film has nothing to move from.
    const bool moves = steps.is_animated && step > options.first;
    const int n = moves ? static_cast<int>(0.5 * seconds * options.rate) : 0;
    const int each = n > 0 ? whole / (2 * n) : 0;
    for (int i = 1; i <= n; ++i)
      frames.push_back({step, static_cast<float>(i) / static_cast<float>(n + 1), each});
    frames.push_back({step, 1.0F, whole - n * each});
  }
  return frames;
}

Result<std::vector<FilmFrame>> checked_frames(const FilmSteps& steps, const FilmOptions& options) {
  const int last = options.last.value_or(steps.n);
  if (options.first < 1 || options.first > last || last > steps.n)
    return usage_error("the film can show the steps 1 to " + std::to_string(steps.n) +
                       ", so it cannot go from " + std::to_string(options.first) + " to " +
                       std::to_string(last));
  // The times in a WebP are counted in milliseconds, and nobody watches a film that is longer.
  constexpr double longest = 3600.0;
  double seconds = 0.0;
  for (int step = options.first; step <= last; ++step) seconds += options.seconds * steps.pace(step);
  if (seconds > longest)
    return usage_error("the film would take " + std::to_string(std::lround(seconds)) +
                       " seconds, but at most " + std::to_string(std::lround(longest)) + " are possible");
  return frames_of(steps, options, last);
}

/// Whether a film of the page steps through what another program pushed, rather than through the words or
/// steps of one of these captures.
bool shows_pushed(const PageInputs& shown) {
  return shown.pushed.size() > 1 && !page_record(shown.session.view).steps.is_animated;
}

Result<PageInputs> inputs_at(const PageInputs& shown, int step, const ComputePass& compute) {
  PageInputs in = shown;
  const PageSteps& steps = page_record(shown.session.view).steps;
  const auto index = static_cast<std::size_t>(step) - 1;
  in.session = reduce(shown.session, shows_pushed(shown)  ? Action(ShowWeights{shown.pushed[index]})
                                     : steps.n == nullptr ? Action(SelectToken{step - 1})
                                                          : steps.to(shown, step));
  if (in.session.model == shown.session.model) return in;
  auto pass = compute(in.session);
  if (!pass) return tl::unexpected(pass.error());
  in.trace = std::move(*pass);
  in.trace_model = in.session.model;
  return in;
}

}  // namespace

int n_film_steps(const PageInputs& shown, PageMemo& memo) {
  const PageRecord& record = page_record(shown.session.view);
  if (!record.shows_session_pass || !why_empty(shown.session, shown.session.view).empty()) return 0;
  if (shows_pushed(shown)) return static_cast<int>(shown.pushed.size());
  if (record.steps.n != nullptr) return record.steps.n(shown, memo);
  const StageId map = shown_weights(shown);
  return record.follows_word && shown.trace->has(map) ? shown.trace->extent(map).rows : 0;
}

Result<FilmSteps> film_of_page(const PageInputs& shown, const FigureSize& size, const ComputePass& compute) {
  const PageRecord& record = page_record(shown.session.view);
  PageMemo memo;
  FilmSteps steps;
  steps.n = n_film_steps(shown, memo);
  if (steps.n == 0)
    return failure("there is no film of “" + std::string(record.title) +
                   (record.name == PageName::train
                        ? "” yet: train the model, and its steps become one"
                        : "” here: it has no steps, and does not depend on the selected word"));
  steps.is_animated = record.steps.is_animated;
  steps.pace = [pace = record.steps.pace](int /*step*/) { return pace; };
  steps.on_paper = [size](Figure figure) { return on_paper(std::move(figure), size); };
  steps.figure = [shown, size, compute, left_out = steps.left_out](
                     int step, float share, const MeasureText& measure) -> Result<Figure> {
    auto in = inputs_at(shown, step, compute);
    if (!in) return tl::unexpected(in.error());
    in->step_progress = share;
    std::string cut;
    auto figure = figure_off_paper(*in, size, measure, &cut);
    // The texts differ in the size of the whole page, and that of the highest one shows every step.
    if (std::pair(cut.size(), cut) > std::pair(left_out->size(), *left_out)) *left_out = std::move(cut);
    return figure;
  };
  return steps;
}

Result<void> draw_film(const FilmSteps& steps, int scale, const FilmOptions& options,
                       const std::shared_ptr<FontFaces>& fonts, const FrameSink& take,
                       const FilmProgress& progress) {
  const MeasureText measure = measure_with(fonts);
  const auto frames = checked_frames(steps, options);
  if (!frames) return tl::unexpected(frames.error());
  // The pictures are drawn twice rather than kept: first for the size that all of them need.
  float width = steps.size ? steps.size->width : 1.0F;
  float height = steps.size ? steps.size->height : 1.0F;
  for (const FilmFrame& frame : *frames) {
    if (steps.size || frame.share < 1.0F) continue;
    const auto figure = steps.figure(frame.step, frame.share, measure);
    if (!figure) return tl::unexpected(figure.error());
    width = std::max(width, figure->width);
    height = std::max(height, figure->height);
  }
  int drawn = 0;
  for (const FilmFrame& frame : *frames) {
    auto figure = steps.figure(frame.step, frame.share, measure);
    if (!figure) return tl::unexpected(figure.error());
    figure->width = width;
    figure->height = height;
    const auto image = rasterized(steps.on_paper(std::move(*figure)), static_cast<float>(scale), *fonts);
    if (!image) return tl::unexpected(image.error());
    if (auto taken = take(*image, frame.milliseconds); !taken) return taken;
    if (!progress(++drawn, static_cast<int>(frames->size()))) return failure("the film was stopped");
  }
  return {};
}

Result<std::string> film_bytes(const FilmSteps& steps, int scale, const FilmOptions& options, FilmType type,
                               const std::shared_ptr<FontFaces>& fonts, const FilmProgress& progress) {
  std::unique_ptr<FilmEncoder> encoder;
  const FrameSink take = [&](const Image& image, int milliseconds) -> Result<void> {
    if (!encoder) {
      auto started = film_encoder(type, image.width, image.height);
      if (!started) return tl::unexpected(started.error());
      encoder = std::move(*started);
    }
    return encoder->add(image, milliseconds);
  };
  if (auto drawn = draw_film(steps, scale, options, fonts, take, progress); !drawn)
    return tl::unexpected(drawn.error());
  return encoder->take();
}

}  // namespace headscope
