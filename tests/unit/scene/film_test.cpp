#include "core/scene/film.h"

#include <gtest/gtest.h>

namespace headscope {
namespace {

Snapshot snapshot(int steps) {
  return std::make_shared<const TrainedModel>(TrainedModel{
      "", "copying", steps, 0, 0, {}, *Vocabulary::make({"word"}), {}, TaskSource{"copying", 1}});
}

TEST(Film, EndsWithTheNewestWeightsOnce) {
  Scene scene{default_session()};
  EXPECT_TRUE(film_of(scene).empty());
  scene.training.run.emplace();
  EXPECT_TRUE(film_of(scene).empty());
  TrainingProgress training;
  training.kept = {snapshot(0), snapshot(10)};
  const auto film_with = [&](const Snapshot& newest) {
    training.newest = newest;
    scene.training.progress = std::make_shared<const TrainingProgress>(training);
    return film_of(scene);
  };
  EXPECT_EQ(film_with(training.kept.back()).size(), 2U);
  const std::vector<Snapshot> film = film_with(snapshot(13));
  ASSERT_EQ(film.size(), 3U);
  EXPECT_EQ(film.back()->steps, 13);
}

TEST(Film, TheNearestSnapshot) {
  const std::vector<Snapshot> film{snapshot(0), snapshot(10), snapshot(100)};
  EXPECT_EQ(snapshot_near(film, -5.0), 0U);
  EXPECT_EQ(snapshot_near(film, 6.0), 1U);
  EXPECT_EQ(snapshot_near(film, 54.0), 1U);
  EXPECT_EQ(snapshot_near(film, 56.0), 2U);
  EXPECT_EQ(snapshot_near(film, 1e9), 2U);
}

TEST(Film, ShowsEverySnapshotInItsTimeAndStopsAtTheLast) {
  std::vector<Snapshot> film;
  for (int i = 0; i < 48; ++i) film.push_back(snapshot(i * 10));
  FilmState state;
  state.start(film, film.back());
  EXPECT_TRUE(state.is_playing);
  EXPECT_EQ(state.advance(film, 0.0), 0U) << "from the beginning";
  std::size_t before = 0;
  double seconds = 0.0;
  while (state.is_playing && seconds < 60.0) {
    const std::size_t at = state.advance(film, 0.02);
    EXPECT_TRUE(at == before || at == before + 1) << at << " after " << before;
    before = at;
    seconds += 0.02;
  }
  EXPECT_EQ(before, film.size() - 1);
  EXPECT_NEAR(seconds, film_seconds(film.size()), 0.05);
  EXPECT_NEAR(seconds, 6.0, 0.05);
}

TEST(Film, GoesOnFromWhatIsShown) {
  const std::vector<Snapshot> film{snapshot(0), snapshot(10), snapshot(20), snapshot(30)};
  FilmState state;
  state.start(film, film[2]);
  EXPECT_EQ(state.advance(film, 0.0), 2U);
  state.start(film, nullptr);
  EXPECT_EQ(state.advance(film, 0.0), 0U);
  state.start({}, nullptr);
  EXPECT_FALSE(state.is_playing);
}

TEST(Film, AChangeStopsItAndALookAroundDoesNot) {
  EXPECT_TRUE(stops_film(Edit{SetSentence{"a"}}));
  EXPECT_TRUE(stops_film(Edit{ShowWeights{}}));
  EXPECT_TRUE(stops_film(SceneOrder::undo));
  EXPECT_TRUE(stops_film(SceneOrder::toggle_training));
  EXPECT_FALSE(stops_film(Edit{SetView{PageName::explore}}));
  EXPECT_FALSE(stops_film(Edit{select_head(1)}));
  EXPECT_FALSE(stops_film(TrainingProgressed{}));
}

}  // namespace
}  // namespace headscope
