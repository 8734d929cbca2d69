// Tests which pictures a film has, and that each is the figure of its step.
#include "core/page/film.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "core/engine/opening.h"
#include "core/page/figure_file.h"
#include "core/paint/rasterize.h"
#include "tests/unit/page/page_helpers.h"
#include "tests/unit/scene/pushed.h"

namespace headscope {
namespace {

struct Taken {
  std::vector<Image> images;
  std::vector<int> times;
};

class Film : public testing::Test {
 protected:
  Film() : fonts_(FontFaces::open_installed().value()) {}

  static PageInputs opening(PageName view) {
    Session session = *startup_session({HEADSCOPE_SOURCE_DIR "/assets/models"});
    session.view = view;
    return test::inputs_of(session);
  }
  Result<Taken> film(const PageInputs& in, const FilmOptions& options) const {
    Taken taken;
    const FrameSink take = [&](const Image& image, int milliseconds) -> Result<void> {
      taken.images.push_back(image);
      taken.times.push_back(milliseconds);
      return {};
    };
    const auto steps = film_of_page(in, size_, test::computed);
    if (!steps) return tl::unexpected(steps.error());
    auto drawn = draw_film(*steps, size_.scale, options, fonts_, take, [](int, int) { return true; });
    if (!drawn) return tl::unexpected(drawn.error());
    return taken;
  }

  std::shared_ptr<FontFaces> fonts_;
  FigureSize size_{.width = 640, .height = 400, .scale = 1};
};

TEST_F(Film, StepsThroughWhatWasPushed) {
  std::vector<Snapshot> pushed;
  for (const int step : {0, 1, 2}) pushed.push_back(test::pushed_capture(step));
  const Session session = reduce(default_session(), opening_action(pushed.back()));
  PageInputs in = test::inputs_of(session);
  in.pushed = pushed;
  const auto steps = film_of_page(in, size_, test::computed);
  ASSERT_TRUE(steps) << steps.error().message;
  ASSERT_EQ(steps->n, 3);
  for (const int step : {1, 2, 3}) {
    PageInputs alone = in;
    alone.session = reduce(session, ShowWeights{pushed[static_cast<std::size_t>(step) - 1]});
    alone.trace = test::computed(alone.session).value();
    const auto drawn = steps->figure(step, 1.0F, measure_with(fonts_));
    ASSERT_TRUE(drawn);
    EXPECT_TRUE(*drawn == figure_of(alone, size_, measure_with(fonts_)).value()) << step;
  }
}

TEST_F(Film, StepsHappenBitByBit) {
  const auto found = film(opening(PageName::watch), {.first = 2, .last = 4, .seconds = 1.0, .rate = 10});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->images.size(), 1U + 2U * (5U + 1U))
      << "half of the time of a step at 10 pictures a second";
  EXPECT_EQ(std::accumulate(found->times.begin(), found->times.end(), 0), 3000);
  for (const Image& image : found->images) {
    EXPECT_EQ(image.width, found->images.front().width);
    EXPECT_EQ(image.height, found->images.front().height);
  }
  for (std::size_t i = 1; i < found->images.size(); ++i)
    EXPECT_NE(found->images[i].pixels, found->images[i - 1].pixels) << i;
}

TEST_F(Film, OtherPagesGoFromWordToWord) {
  const PageInputs in = opening(PageName::lines);
  const auto found = film(in, {.first = 2, .last = 3, .seconds = 0.5});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->times, (std::vector{500, 500}));
  PageInputs third = in;
  third.session = reduce(in.session, SelectToken{2});
  const auto figure = figure_of(third, size_, measure_with(fonts_));
  ASSERT_TRUE(figure);
  const auto image = rasterized(*figure, 1.0F, *fonts_);
  ASSERT_TRUE(image);
  EXPECT_EQ(found->images.back().pixels.size(), image->pixels.size());
  EXPECT_EQ(found->images.back().pixels, image->pixels) << "the same picture as the figure";
}

TEST_F(Film, OfATrainingComputesThePassOfEachSnapshot) {
  PageInputs in = opening(PageName::train);
  ThreadPool pool;
  auto progress = std::make_shared<TrainingProgress>();
  for (const int steps : {0, 40}) {
    auto snapshot = std::make_shared<TrainedModel>(*in.session.model);
    snapshot->steps = steps;
    if (steps == 0)
      snapshot->model = random_model(in.session.architecture, in.session.model->vocabulary.size(), pool);
    progress->kept.push_back(snapshot);
  }
  progress->newest = in.session.model;
  in.training = progress;
  const auto found = film(in, {});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->times, (std::vector{300, 300, 300}));
  PageInputs second = in;
  second.session.model = progress->kept.back();
  second.trace_model = second.session.model;
  second.trace = *test::computed(second.session);
  auto figure = figure_of(second, size_, measure_with(fonts_));
  ASSERT_TRUE(figure);
  figure->width = static_cast<float>(found->images[1].width);
  figure->height = static_cast<float>(found->images[1].height);
  const auto image = rasterized(*figure, 1.0F, *fonts_);
  ASSERT_TRUE(image);
  EXPECT_EQ(found->images[1].pixels, image->pixels) << "the same picture as when one looks back";
  EXPECT_NE(found->images[0].pixels, found->images[1].pixels);
}

TEST_F(Film, OfSlidesKeepsItsPlaceAndSaysWhatItLacks) {
  size_ = size_on(Paper::slide, {});
  size_.scale = 1;
  const PageInputs in = opening(PageName::effects);
  const auto found = film(in, {.first = 3, .last = 4, .seconds = 0.5});
  ASSERT_TRUE(found) << found.error().message;
  const auto top = [](const Image& image) {
    const auto is_drawn = [&](const Color& pixel) { return pixel != image.pixels.front(); };
    return (std::ranges::find_if(image.pixels, is_drawn) - image.pixels.begin()) / image.width;
  };
  EXPECT_EQ(top(found->images[0]), top(found->images[1])) << "though the second figure is lower";
  const auto steps = film_of_page(in, size_, test::computed);
  ASSERT_TRUE(steps && steps->left_out->empty());
  ASSERT_TRUE(steps->figure(3, 1.0F, measure_with(fonts_)));
  std::string left_out;
  ASSERT_TRUE(figure_of(in, size_, measure_with(fonts_), &left_out));
  const std::size_t until_size = left_out.find(" (--size");
  ASSERT_NE(until_size, std::string::npos);
  EXPECT_TRUE(steps->left_out->starts_with(left_out.substr(0, until_size))) << *steps->left_out;
}

TEST_F(Film, CanBeStopped) {
  int n = 0;
  const FrameSink take = [&n](const Image&, int) -> Result<void> {
    ++n;
    return {};
  };
  const auto steps = film_of_page(opening(PageName::watch), size_, test::computed);
  ASSERT_TRUE(steps);
  const auto stopped = draw_film(*steps, 1, {}, fonts_, take, [](int drawn, int) { return drawn < 3; });
  EXPECT_FALSE(stopped);
  EXPECT_EQ(n, 3);
}

TEST_F(Film, SaysWhichStepsThereAre) {
  const auto beyond = film(opening(PageName::watch), {.first = 3, .last = 12});
  ASSERT_FALSE(beyond);
  EXPECT_NE(beyond.error().message.find("1 to 9"), std::string::npos) << beyond.error().message;
  const auto lessons = film(opening(PageName::lessons), {});
  ASSERT_FALSE(lessons);
  EXPECT_NE(lessons.error().message.find("no film"), std::string::npos);
}

}  // namespace
}  // namespace headscope
