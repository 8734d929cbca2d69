// Tests reduce() with stacks, targets, batches and words.
#include <gtest/gtest.h>

#include "core/engine/engine.h"
#include "core/session/settings.h"
#include "tests/unit/session/invariants.h"
#include "tests/unit/session/random_session.h"
#include "tests/unit/session/with.h"

namespace headscope {
namespace {

const SessionEdit cross = select_place(Stack::decoder, 0, AttentionKind::cross);
const SessionEdit decoder_self = select_place(Stack::decoder, 0, AttentionKind::self);

Session translating() {
  Session session;
  session.sentence = "the cat sat here";
  session.target = "die Katze saß da";
  session.architecture.stacks = Stacks::encoder_decoder;
  session.architecture.n_layers = 3;
  session.architecture.output_layer = OutputLayer::tied;
  return session;
}

Session after(Session session, const std::vector<Action>& actions) {
  for (const Action& action : actions) session = reduce(session, action);
  return session;
}

TEST(ReduceTarget, MarksOfTheDecoderFollowTheTarget) {
  Session session =
      after(translating(), {decoder_self, SelectToken{1}, paint_cell({2, 1}, true), toggle_padding(3),
                            PinCell{{{StageKind::weights, Stack::decoder}, 2, 1}}});
  session = reduce(session, SetTarget{"und die Katze saß nicht da"});
  EXPECT_EQ(session.selection.token, 2);
  EXPECT_EQ(session.attention.target_mask.painted, (std::vector<Cell>{{3, 2}}));
  EXPECT_EQ(session.attention.target_mask.padding, std::vector<int>{5});
  ASSERT_TRUE(session.selection.pin);
  EXPECT_EQ(session.selection.pin->row, 3);
  EXPECT_EQ(session.selection.pin->col, 2);
  EXPECT_EQ(reduce(session, SetSentence{"x"}).attention.target_mask, session.attention.target_mask)
      << "the source is another sentence";
}

TEST(ReduceTarget, CrossAttentionFollowsBothSentences) {
  Session session =
      after(translating(), {cross, paint_cell({1, 2}, true), toggle_padding(3),
                            PinCell{{{StageKind::weights, Stack::decoder, 0, AttentionKind::cross}, 1, 2}}});
  session = after(session, {SetSentence{"now the cat sat here"}, SetTarget{"und die Katze saß da"}});
  EXPECT_EQ(session.attention.cross_mask.painted, (std::vector<Cell>{{2, 3}}));
  EXPECT_EQ(session.attention.cross_mask.padding, std::vector<int>{4});
  ASSERT_TRUE(session.selection.pin);
  EXPECT_EQ(session.selection.pin->row, 2);
  EXPECT_EQ(session.selection.pin->col, 3);
}

/// The words are: the cat sat here die katze saß da.
TEST(ReduceTarget, APinnedLogitFollowsItsTargetTokenAndItsWord) {
  Session session = reduce(translating(), PinCell{{{StageKind::logits}, 2, 4}});
  ASSERT_TRUE(session.selection.pin);
  session = reduce(session, SetTarget{"und die Katze saß da"});
  ASSERT_TRUE(session.selection.pin);
  EXPECT_EQ(session.selection.pin->row, 3);
  EXPECT_EQ(session.selection.pin->col, 5) << "“und” is a word before “die” now";
  EXPECT_EQ(predicted_words(session)[5], "die");
  session = reduce(session, SetSentence{"the dog sat"});
  ASSERT_TRUE(session.selection.pin);
  EXPECT_EQ(session.selection.pin->row, 3);
  EXPECT_EQ(predicted_words(session)[static_cast<std::size_t>(session.selection.pin->col)], "die");
  EXPECT_FALSE(reduce(session, SetTarget{"und eine Katze saß da"}).selection.pin) << "the word went";
}

TEST(ReduceMasks, ChangeTheAttentionThatIsSelected) {
  Session session = reduce(translating(), toggle_padding(0));
  EXPECT_EQ(session.attention.mask.padding, std::vector<int>{0});
  session = after(session, {decoder_self, toggle_padding(1), paint_cell({1, 1}, true)});
  EXPECT_EQ(session.attention.target_mask.padding, std::vector<int>{1});
  EXPECT_EQ(session.attention.target_mask.painted, (std::vector<Cell>{{1, 1}}));
  session = after(session, {cross, toggle_padding(2), paint_cell({3, 3}, true), clear_painted()});
  EXPECT_EQ(session.attention.cross_mask.padding, std::vector<int>{2});
  EXPECT_TRUE(session.attention.cross_mask.painted.empty());
  EXPECT_EQ(session.attention.target_mask.painted, (std::vector<Cell>{{1, 1}})) << "the others keep theirs";
  EXPECT_EQ(session.attention.mask.padding, std::vector<int>{0});
}

TEST(ReduceMasks, ALoneDecoderIsCausalByNature) {
  Session session;
  Architecture a = session.architecture;
  a.stacks = Stacks::decoder;
  session = reduce(session, test::with(session, a));
  EXPECT_TRUE(session.attention.mask.causal);
  EXPECT_EQ(session.selection.stack, Stack::decoder);
  AttentionOptions open = session.attention;
  open.mask.causal = false;
  session = reduce(session, test::with(session, open));
  a.d_ff = 64;
  session = reduce(session, test::with(session, a));
  EXPECT_FALSE(session.attention.mask.causal) << "what was switched off by hand stays off";
  session.attention.mask.causal = true;
  a.stacks = Stacks::encoder;
  EXPECT_FALSE(reduce(session, test::with(session, a)).attention.mask.causal);
  a.stacks = Stacks::encoder_decoder;
  session = reduce(session, test::with(session, a));
  EXPECT_FALSE(session.attention.mask.causal);
  EXPECT_TRUE(session.attention.target_mask.causal);
}

TEST(ReducePlace, IsOneThatTheModelHas) {
  Session session = reduce(translating(), select_place(Stack::decoder, 2, AttentionKind::cross));
  EXPECT_EQ(session.selection.at(StageKind::weights),
            (StageId{StageKind::weights, Stack::decoder, 2, AttentionKind::cross}));
  session = reduce(session, select_place(Stack::encoder, 7, AttentionKind::cross));
  EXPECT_EQ(session.selection.layer, 2);
  EXPECT_EQ(session.selection.attention, AttentionKind::self) << "an encoder looks at nothing else";
  session = reduce(session, select_place(Stack::decoder, 1, AttentionKind::cross));
  Architecture a = session.architecture;
  a.stacks = Stacks::encoder;
  a.n_layers = 1;
  session = reduce(session, test::with(session, a));
  EXPECT_EQ(session.selection.stack, Stack::encoder);
  EXPECT_EQ(session.selection.attention, AttentionKind::self);
  EXPECT_EQ(session.selection.layer, 0);
}

TEST(ReducePlace, APinGoesWhereItsLayerGoes) {
  Session session = reduce(translating(), PinCell{{{StageKind::weights, Stack::decoder, 2}, 1, 1}});
  ASSERT_TRUE(session.selection.pin);
  Architecture a = session.architecture;
  a.n_layers = 2;
  EXPECT_FALSE(reduce(session, test::with(session, a)).selection.pin);
  a.n_layers = 3;
  a.stacks = Stacks::encoder;
  EXPECT_FALSE(reduce(session, test::with(session, a)).selection.pin);
  EXPECT_FALSE(reduce(session, select_place(Stack::encoder, 0, AttentionKind::self)).selection.pin);
}

TEST(ReduceBatch, TheSentenceIsOneOfIt) {
  Session session = reduce(Session{}, SetBatch{{"one two", "three", "four five six"}});
  EXPECT_EQ(session.sentence, "one two");
  session = reduce(session, set_to("sequence", 2));
  EXPECT_EQ(session.sentence, "four five six");
  session = reduce(session, SetSentence{"four five"});
  EXPECT_EQ(session.batch, (std::vector<std::string>{"one two", "three", "four five"}));
  for (const int none : {-1, 3, 100}) EXPECT_EQ(reduce(session, set_to("sequence", none)), session);
  session = reduce(session, SetBatch{{"a", "b"}});
  EXPECT_EQ(session.sequence, 1);
  EXPECT_EQ(session.sentence, "b");
  session = reduce(session, SetBatch{{}});
  EXPECT_EQ(session.sequence, 0);
  EXPECT_EQ(session.sentence, "b") << "the one that was there stays";
  EXPECT_EQ(reduce(session, set_to("sequence", 0)), session);
}

TEST(ReduceBatch, InvalidTextIsReplacedOnEntry) {
  const Session session = reduce(Session{}, SetBatch{{"a\xFF"}});
  EXPECT_EQ(session.batch, std::vector<std::string>{"a\uFFFD"});
  EXPECT_EQ(session.sentence, "a\uFFFD");
  EXPECT_EQ(reduce(Session{}, SetTarget{"b\xFF"}).target, "b\uFFFD");
}

TEST(ReduceNumbers, OfDropoutAndSamplingStayWithinTheirLimits) {
  AttentionOptions attention;
  attention.dropout = 2.0F;
  EXPECT_EQ(reduce(Session{}, test::with(Session{}, attention)).attention.dropout, max_dropout);
  attention.dropout = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(reduce(Session{}, test::with(Session{}, attention)).attention.dropout,
            AttentionOptions{}.dropout);
  attention.mask.prefix = -4;
  EXPECT_EQ(reduce(Session{}, test::with(Session{}, attention)).attention.mask.prefix, 0);
  Sampling sampling;
  sampling.temperature = 0.0F;
  sampling.top_k = -1;
  sampling.top_p = 7.0F;
  const Sampling mended = reduce(Session{}, test::with(Session{}, sampling)).sampling;
  EXPECT_EQ(mended.temperature, min_sampling_temperature);
  EXPECT_EQ(mended.top_k, 0);
  EXPECT_EQ(mended.top_p, 1.0F);
}

TEST(UndoRoles, OfTheNewActions) {
  EXPECT_TRUE(undo_role(SetTarget{}).is_step);
  EXPECT_EQ(undo_role(SetTarget{}).merge_key, "target");
  EXPECT_NE(undo_role(SetTarget{}).merge_key, undo_role(SetSentence{}).merge_key);
  EXPECT_TRUE(undo_role(SetBatch{}).is_step);
  EXPECT_TRUE(undo_role(set_to("sampling.top_k", 3)).is_step);
  EXPECT_FALSE(undo_role(cross).is_step);
  EXPECT_FALSE(undo_role(set_to("sequence", 1)).is_step);
}

/// The cells that a view can pin must be those that the pass has.
TEST(AxisSize, IsTheSizeThatTheStageHas) {
  RandomSession random(41);
  Engine engine(1);
  int n_passes = 0;
  for (int run = 0; run < 150; ++run) {
    Session session = random.session();
    session.batch.clear();  // the session does not know a batch's padding
    if (!validate(session.architecture)) continue;
    const auto trace = engine.compute(request_of(session));
    if (!trace) continue;
    ++n_passes;
    for (const StageId& id : (*trace)->stages()) {
      const MatrixView view = (*trace)->value(id);
      ASSERT_EQ(axis_size(session, id, info(id.kind).rows), view.rows) << path(id);
      ASSERT_EQ(axis_size(session, id, info(id.kind).cols), view.cols) << path(id);
    }
  }
  EXPECT_GT(n_passes, 30);
}

TEST(PredictedWords, AreTheColumnsOfThePass) {
  Engine engine(1);
  const auto trace = engine.compute(request_of(translating()));
  ASSERT_TRUE(trace);
  EXPECT_EQ((*trace)->vocabulary(), predicted_words(translating()));
  for (const int sequence : {0, 1}) {
    const Session session =
        after(translating(), {SetBatch{{"a dog", "the cat was here too"}}, set_to("sequence", sequence)});
    const auto padded = engine.compute(request_of(session));
    ASSERT_TRUE(padded);
    EXPECT_EQ((*padded)->vocabulary(), predicted_words(session));
  }
}

}  // namespace
}  // namespace headscope
