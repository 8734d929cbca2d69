#include <gtest/gtest.h>

#include <deque>

#include "tests/unit/page/page_helpers.h"

// Tests pages of passes that do not keep everything, and pages whose maps are drawn later.

namespace headscope {
namespace {

using test::page_names;
using test::uniform_measure;

constexpr PageSize page_size_of_test{912.0F, 752.0F};

Session long_session() {
  Session session = default_session();
  session.sentence.clear();
  for (int t = 0; t < 220; ++t) session.sentence += " word" + std::to_string(t * t % 37);
  session.architecture.d_model = 32;
  session.architecture.n_heads = 4;
  session.architecture.n_layers = 2;
  session.architecture.d_ff = 48;
  session.architecture.residual = true;
  session.attention.mask.causal = true;
  session.selection.layer = 1;
  session.selection.token = 100;
  session.selection.pin = Pin{{.kind = StageKind::weights, .layer = 1}, 120, 30};
  return session;
}

PageInputs inputs_in(std::size_t max_bytes, const Session& session = long_session()) {
  PageInputs in;
  in.session = session;
  Request request = request_of(session);
  request.max_bytes = max_bytes;
  Engine engine(1);
  if (const auto trace = engine.compute(request, TooLong::refuse)) in.trace = *trace;
  return in;
}

/// Keeps jobs until a test carries them out.
struct Later {
  std::deque<Job> jobs;
  RunJob run_job = [this](Job job) { jobs.push_back(std::move(job)); };

  void all() {
    for (; !jobs.empty(); jobs.pop_front()) finish(jobs.front());
  }
};

TEST(LargePass, DrawsTheSamePagesAsOneThatKeepsEverything) {
  constexpr std::size_t no_maps = std::size_t{3} << 20U;
  constexpr std::size_t little = 900 * 1024;
  const PageInputs whole = inputs_in(default_trace_bytes);
  ASSERT_NE(whole.trace, nullptr);
  for (const std::size_t bytes : {no_maps, little}) {
    const PageInputs frugal = inputs_in(bytes);
    ASSERT_NE(frugal.trace, nullptr);
    ASSERT_LE(frugal.trace->bytes(), bytes);
    for (const PageName name : page_names) {
      const Figure expected = figure_of_page(whole, name, page_size_of_test, uniform_measure(), true);
      EXPECT_TRUE(figure_of_page(frugal, name, page_size_of_test, uniform_measure(), true) == expected)
          << "page " << static_cast<int>(name) << " in " << bytes << " bytes";
    }
  }
}

TEST(LargePass, WhatIsDrawnLaterIsWhatIsDrawnAtOnce) {
  for (const std::size_t bytes : {default_trace_bytes, std::size_t{900} * 1024}) {
    const PageInputs in = inputs_in(bytes);
    ASSERT_NE(in.trace, nullptr);
    for (const PageName name : page_names) {
      PageMemo memo;
      Later later;
      PageTools tools{uniform_measure(), 0, memo, later.run_job};
      Page page = page_of(in, name, page_size_of_test, tools);
      for (int frame = 0; frame < 20 && !later.jobs.empty(); ++frame) {
        later.all();
        page = page_of(in, name, page_size_of_test, tools);
      }
      EXPECT_TRUE(later.jobs.empty());
      EXPECT_TRUE(page.figure == test::page_of_session(in, name, page_size_of_test, uniform_measure()).figure)
          << "page " << static_cast<int>(name);
    }
  }
}

/// The images of the maps on a page.
std::vector<std::shared_ptr<const Image>> images_of(const Page& page) {
  std::vector<std::shared_ptr<const Image>> images;
  for (const Raster& raster : test::items_of<Raster>(page.figure)) images.push_back(raster.image);
  return images;
}

TEST(LargePass, ThePictureBeforeStaysUntilTheNewOneIsThere) {
  PageInputs in = inputs_in(default_trace_bytes);
  PageMemo memo;
  Later later;
  PageTools tools{uniform_measure(), 0, memo, later.run_job};
  const auto draw = [&] { return page_of(in, PageName::heads, page_size_of_test, tools); };
  EXPECT_TRUE(images_of(draw()).empty()) << "nothing is shown before it was read";
  while (!later.jobs.empty()) {
    later.all();
    draw();
  }
  const auto before = images_of(draw());
  ASSERT_EQ(before.size(), 9U) << "8 heads, and the selected one large";

  Session other = long_session();
  ++other.architecture.seed;
  in = inputs_in(default_trace_bytes, other);
  EXPECT_EQ(images_of(draw()), before) << "of the same stage";
  in.session = reduce(in.session, select_stage(StageKind::scaled));
  EXPECT_TRUE(images_of(draw()).empty()) << "no picture stands in for another stage";
  while (!later.jobs.empty()) {
    later.all();
    draw();
  }
  EXPECT_EQ(images_of(draw()).size(), 9U);
}

TEST(LargePass, JobsOfMapsThatNobodyWantsAnyMoreDoNothing) {
  const PageInputs in = inputs_in(default_trace_bytes);
  Later later;
  {
    PageMemo memo;
    PageTools tools{uniform_measure(), 0, memo, later.run_job};
    page_of(in, PageName::heads, page_size_of_test, tools);
    ASSERT_FALSE(later.jobs.empty());
  }
  later.all();
  EXPECT_FALSE(in.trace->cached_stats(in.at(StageKind::weights)));
}

}  // namespace
}  // namespace headscope
