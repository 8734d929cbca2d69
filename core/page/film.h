#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/lesson/walk.h"
#include "core/page/page.h"
#include "core/paint/film_file.h"
#include "core/paint/font_faces.h"
#include "core/result.h"
#include "core/session/shown_figure.h"

namespace headscope {

/// Which steps a film shows, and how fast.
struct FilmOptions {
  int first = 1;            ///< The first step, counted from 1.
  std::optional<int> last;  ///< The last step. Empty for the last one of the page.
  double seconds = 2.0;     ///< The duration of a step, including its animation.
  int rate = 20;            ///< Frames per second while a step is animated.
  bool operator==(const FilmOptions&) const = default;
};

/// What a film shows, step by step.
struct FilmSteps {
  int n = 0;
  bool is_animated = false;  ///< Whether steps are animated.
  /// The figure of a step, from 1 to n, at a share of its animation from 0 to 1.
  std::function<Result<Figure>(int step, float share, const MeasureText& measure)> figure;
  /// Puts a figure, made as large as the largest one, on the paper of the film: so the parts that steps share
  /// stay where they are.
  std::function<Figure(Figure)> on_paper = [](Figure figure) { return figure; };
  /// What a figure that was drawn lacks of its page, as figure_of() says it.
  std::shared_ptr<std::string> left_out = std::make_shared<std::string>();
  /// How many times longer than FilmOptions::seconds a step stays.
  std::function<double(int step)> pace = [](int /*step*/) { return 1.0; };
  std::optional<PageSize> size = {};  ///< The size of all figures. Empty if they differ.
};

/// The number of steps in a film of the shown page: the captures that were pushed, the steps of the page, or
/// else the words of the selected attention, which the film selects in turn. 0 if there are none.
int n_film_steps(const PageInputs& shown, PageMemo& memo);

/// These steps, as they look in a file of this size. `compute` computes the pass of a step that has other
/// weights than the shown one, such as a snapshot of a training. Fails if the page has no steps.
Result<FilmSteps> film_of_page(const PageInputs& shown, const FigureSize& size, const ComputePass& compute);

/// Called after each frame. Returns whether to continue.
using FilmProgress = std::function<bool(int drawn, int all)>;

/// Receives a frame and its duration.
using FrameSink = std::function<Result<void>(const Image& image, int milliseconds)>;

/// Draws the frames of a film one by one, all equally large, with `scale` pixels per unit, and passes each to
/// `take`. Fails if there are no such steps, if the film would take more than an hour, if a frame
/// cannot be drawn or taken, or if `progress` returns false.
Result<void> draw_film(const FilmSteps& steps, int scale, const FilmOptions& options,
                       const std::shared_ptr<FontFaces>& fonts, const FrameSink& take,
                       const FilmProgress& progress);

/// The film as the bytes of a file.
Result<std::string> film_bytes(const FilmSteps& steps, int scale, const FilmOptions& options, FilmType type,
                               const std::shared_ptr<FontFaces>& fonts, const FilmProgress& progress);

/// A lesson on paper: its text, a figure of each scene, and the questions, with the answers on the last
/// pages. The pages are A4, in points, with light colours. Fails if a scene cannot be computed.
Result<std::vector<Figure>> handout_of(const Lesson& lesson, const ComputePass& compute,
                                       const MeasureText& measure);

/// A lesson as a film: a slide of 960 × 540 units for each step, with its text beside its picture, and one
/// for the answer to each question. A slide stays as long as its text takes to read.
FilmSteps film_of_lesson(const Lesson& lesson, const ComputePass& compute);

}  // namespace headscope
