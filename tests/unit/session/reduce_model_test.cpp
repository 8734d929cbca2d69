// Tests which actions open trained weights in a session, and which make the weights random again.
#include <gtest/gtest.h>

#include "core/model/parameters.h"
#include "core/model/trained_model.h"
#include "core/session/action.h"
#include "core/session/history.h"
#include "core/session/presets.h"
#include "core/session/repair.h"
#include "core/session/settings.h"
#include "tests/unit/session/with.h"

namespace headscope {
namespace {

std::shared_ptr<const TrainedModel> small_model(Stacks stacks = Stacks::encoder,
                                                const std::vector<std::string>& more = {}) {
  Architecture a;
  a.stacks = stacks;
  a.n_layers = 2;
  a.d_model = 16;
  a.n_heads = 4;
  a.output_layer = OutputLayer::tied;
  std::vector<std::string> words{"[pad]", "[blank]", "[new0]", "[new1]", "the", "sky"};
  words.insert(words.end(), more.begin(), more.end());
  const ParameterLayout layout = layout_of(a, static_cast<int>(words.size()));
  return std::make_shared<const TrainedModel>(
      TrainedModel{"somewhere", "pronouns", 7, 1, 3, model_of(layout, std::vector<float>(layout.size, 0.5F)),
                   *Vocabulary::make(words)});
}

Session opened(Stacks stacks = Stacks::encoder) {
  return reduce(Session{}, OpenModel{small_model(stacks)});
}

TEST(ReduceModel, LeavesTheTitleOfAnotherSceneBehind) {
  Session session;
  session.title = "My work";
  session.note = "About other weights";
  session = reduce(session, OpenModel{small_model()});
  EXPECT_EQ(session.title + session.note, "");
}

TEST(ReduceModel, OpensOnTheHeadThatShowsMost) {
  const Session session = opened();
  ASSERT_TRUE(session.model);
  EXPECT_EQ(session.architecture, session.model->model.architecture);
  EXPECT_EQ(session.selection.layer, 1);
  EXPECT_EQ(session.selection.head, 3);
  EXPECT_FALSE(session.attention.mask.causal);
  EXPECT_TRUE(opened(Stacks::decoder).attention.mask.causal);
  EXPECT_EQ(opened(Stacks::encoder_decoder).selection.attention, AttentionKind::cross);
}

TEST(ReduceModel, IdsThatTheProgramChoseAreNoTextForAnotherModel) {
  const auto model = small_model(Stacks::encoder, {"0", ",", "1", "2"});
  Session session;
  session.sentence = "0, 1, 2";
  EXPECT_EQ(reduce(session, OpenModel{model, "the sky"}).sentence, "the sky");
  session.sentence = "0, 1, 1";
  EXPECT_EQ(reduce(session, OpenModel{model, "the sky"}).sentence, "0, 1, 1");
}

TEST(ReduceModel, LeavesThePageOfAHeadByHandAndTheHeadsOfAnother) {
  Session session = reduce(default_session(), SetView{PageName::by_hand});
  session.selection.heads = {{0, 1}, {0, 2}};
  session = reduce(session, OpenModel{small_model()});
  EXPECT_EQ(session.view, PageName::explore);
  EXPECT_TRUE(session.selection.heads.empty());
  session = reduce(session, load_preset("Your own 2 × 2"));
  EXPECT_EQ(session.view, PageName::by_hand);
  EXPECT_EQ(reduce(session, load_preset("GPT-2")).view, PageName::explore);
  session = reduce(reduce(session, SetView{PageName::words}), OpenModel{small_model()});
  EXPECT_EQ(session.view, PageName::words);
}

TEST(ReduceModel, AComparisonOutlivesStartingPointsButNotNumbersByHand) {
  const Session comparison = reduce(reduce(default_session(), SetView{PageName::explore}), SetCompared{});
  ASSERT_EQ(comparison.compared.size(), 1U);
  EXPECT_EQ(reduce(comparison, load_preset("GPT-2")).compared.size(), 1U);
  const Session by_hand = reduce(comparison, load_preset("Your own 2 × 2"));
  EXPECT_TRUE(by_hand.compared.empty());
  EXPECT_FALSE(by_hand.difference);
}

TEST(ReduceModel, AnotherShapeSeedTokenizerOrPresetIsUntrained) {
  const Session session = opened();
  Architecture wider = session.architecture;
  wider.d_model = 32;
  Architecture reseeded = session.architecture;
  reseeded.seed = 9;
  EXPECT_FALSE(reduce(session, test::with(session, wider)).model);
  EXPECT_FALSE(reduce(session, test::with(session, reseeded)).model);
  EXPECT_FALSE(reduce(session, set_to("tokenizer", "seed1")).model);
  EXPECT_FALSE(reduce(session, load_preset(presets().back().name)).model);
  const Session untrained = reduce(session, OpenModel{nullptr});
  EXPECT_FALSE(untrained.model);
  EXPECT_EQ(untrained.architecture, session.architecture);
  EXPECT_TRUE(reduce(session, SetSentence{"the sky"}).model);
  EXPECT_TRUE(reduce(session, test::with(session, session.architecture)).model);
}

TEST(ReduceModel, UndoBringsItBack) {
  History history(opened());
  const auto model = history.present().model;
  history.apply(OpenModel{nullptr}, false);
  EXPECT_FALSE(history.present().model);
  history.undo();
  EXPECT_EQ(history.present().model, model);
}

TEST(ReduceModel, ItsWordsAreWhatItPredicts) {
  const Session session = opened();
  EXPECT_EQ(predicted_words(session), session.model->vocabulary.words());
  EXPECT_EQ(axis_size(session, {StageKind::logits}, Axis::vocabulary), 6);
  EXPECT_EQ(axis_size(session, {StageKind::embedding_table}, Axis::table_rows), 6);
  const Session pinned = reduce(session, PinCell{{{StageKind::embedding_table}, 5, 0}});
  EXPECT_TRUE(pinned.selection.pin);
  EXPECT_FALSE(reduce(session, PinCell{{{StageKind::embedding_table}, 6, 0}}).selection.pin);
}

TEST(ReduceModel, JsonNamesItAndHoldsNoWeights) {
  const std::string json = to_json(opened());
  EXPECT_NE(json.find("\"model\": \"somewhere\""), std::string::npos);
  const auto read = session_from_json(json);
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->model);
  EXPECT_EQ(read->architecture, opened().architecture);
}

}  // namespace
}  // namespace headscope
