// Tests changes of settings by key: what they adjust, what they refuse, and that they are one step of undo.
#include "core/session/setting_change.h"

#include <gtest/gtest.h>

#include "core/session/history.h"
#include "core/session/presets.h"
#include "core/session/settings.h"
#include "tests/unit/session/invariants.h"
#include "tests/unit/session/random_session.h"

namespace headscope {
namespace {

Session changed(const Session& session, std::vector<SettingChange> changes) {
  return reduce(session, ChangeSettings{std::move(changes)});
}

std::string refusal(const Session& session, const SettingChange& change) {
  const auto made = with_changes(session, std::span(&change, 1));
  return made ? "" : made.error().message;
}

TEST(ChangeSettings, GivesEveryKindOfValue) {
  const Session next = changed(default_session(), {{"architecture.layers", 3.0},
                                                   {"attention.temperature", 0.5},
                                                   {"attention.window", 2.0},
                                                   {"attention.train", true},
                                                   {"architecture.init", std::string("normal")},
                                                   {"architecture.seed", 7.0},
                                                   {"attention.mask_value", -1e4}});
  EXPECT_EQ(next.architecture.n_layers, 3);
  EXPECT_FLOAT_EQ(next.attention.temperature, 0.5F);
  EXPECT_EQ(next.attention.mask.window, 2);
  EXPECT_TRUE(next.attention.train);
  EXPECT_EQ(next.architecture.init, Init::normal);
  EXPECT_EQ(next.architecture.seed, 7U);
  EXPECT_FLOAT_EQ(next.attention.mask_value, -1e4F);
  EXPECT_FALSE(changed(next, {{"attention.window", std::monostate()}}).attention.mask.window);
  expect_invariants(next);
}

TEST(ChangeSettings, EmptyAList) {
  Session session = default_session();
  session.attention.mask.padding = {1, 2};
  EXPECT_TRUE(changed(session, {{"attention.padding", std::monostate()}}).attention.mask.padding.empty());
}

TEST(ChangeSettings, AreOneStepOfUndoAndARunOfOneSettingIsOne) {
  History history(default_session());
  history.apply(ChangeSettings{{{"architecture.d_model", 60.0}, {"architecture.heads", 5.0}}}, false);
  EXPECT_EQ(history.present().architecture.n_heads, 5);
  history.apply(ChangeSettings{{{"attention.temperature", 0.5}}}, false);
  history.apply(ChangeSettings{{{"attention.temperature", 0.6}}}, true);
  history.undo();
  EXPECT_FLOAT_EQ(history.present().attention.temperature, 1.0F);
  history.undo();
  EXPECT_EQ(history.present(), default_session());
  EXPECT_FALSE(history.can_undo());
}

TEST(ChangeSettings, AllOrNothing) {
  const Session session = default_session();
  EXPECT_EQ(changed(session, {{"attention.temperature", 0.5}, {"architecture.heads", 5.0}}), session);
  EXPECT_EQ(changed(session, {{"attention.temperature", 0.5}, {"attention.dropout", 7.0}}), session);
  EXPECT_EQ(changed(session, {{"attention.temperature", 0.5}, {"no.setting", 1.0}}), session);
  EXPECT_EQ(changed(session, {{"architecture.heads", true}}), session) << "of another kind";
}

TEST(ChangeSettings, MarksFollowTheirTokensWhenASentenceIsGivenByItsKey) {
  Session session = default_session();
  session.attention.mask.padding = {1};
  const Session later = changed(session, {{"sentence", "Look: " + session.sentence}});
  EXPECT_EQ(later.attention.mask.padding, std::vector{3}) << "of “animal”";
  EXPECT_EQ(later.selection.token, *session.selection.token + 2);
}

TEST(ChangeSettings, SizesThatDoNotHoldTogetherAreRefusedWithTheNearest) {
  const Session session = default_session();
  EXPECT_NE(refusal(session, {"architecture.d_model", 65.0}).find("65 is not divisible by 4 heads"),
            std::string::npos);
  const Setting& d_model = setting("architecture.d_model");
  EXPECT_FALSE(is_possible_value(session, d_model, 65));
  EXPECT_EQ(nearest_possible(session, d_model, 65, 1, 4096), (std::vector<int>{64, 68}));
  EXPECT_EQ(nearest_possible(session, setting("architecture.heads"), 5, 1, 128), (std::vector<int>{4, 8}));
  Session wrong = session;
  wrong.architecture.d_model = 65;
  wrong.architecture.positions = Positions::none;
  EXPECT_EQ(changed(wrong, {{"architecture.d_model", 67.0}}).architecture.d_model, 67)
      << "sizes that a file brought are mended one by one";
}

TEST(ChangeSettings, LinearAttentionTakesAwayWhatHasNoPlaceBesideIt) {
  Session session = default_session();
  session.architecture.sinks = true;
  session.architecture.softcap = 50.0F;
  session.architecture.score_scale = 0.5F;
  session.architecture.kv_latent = 16;
  session.architecture.positions = Positions::alibi;
  const Architecture a = changed(session, {{"architecture.linear_attention", true}}).architecture;
  EXPECT_TRUE(a.linear_attention);
  EXPECT_FALSE(a.sinks || a.softcap > 0.0F || a.score_scale > 0.0F || a.kv_latent);
  EXPECT_EQ(a.positions, Positions::sinusoidal);
  Session linear = default_session();
  linear.architecture.linear_attention = true;
  EXPECT_NE(refusal(linear, {"architecture.sinks", true}), "");
  EXPECT_NE(refusal(linear, {"architecture.positions", std::string("rotary")}), "");
}

TEST(ChangeSettings, AParallelBlockHasResidualsAndANormThatBothRead) {
  Session session = default_session();
  session.architecture.d_ff = 128;
  session.architecture.norm = Norm::post;
  session = changed(session, {{"architecture.block", std::string("parallel")}});
  EXPECT_TRUE(session.architecture.residual);
  EXPECT_EQ(session.architecture.norm, Norm::pre);
  EXPECT_EQ(changed(session, {{"architecture.norm", std::string("post")}}).architecture.block,
            Block::sequential);
  EXPECT_EQ(changed(session, {{"architecture.residual", false}}).architecture.block, Block::sequential);
}

TEST(ChangeSettings, ALatentLeavesSomethingToMakeKeysOf) {
  Session session = default_session();
  session.architecture.positions = Positions::rotary;
  session = changed(session, {{"architecture.kv_latent", 16.0}});
  EXPECT_GT(session.architecture.per_head_key_width(AttentionKind::self, no_layer), 0);
  EXPECT_TRUE(validate(session.architecture));
}

TEST(ChangeSettings, CausalAndPrefixGiveWayToEachOther) {
  Session session = changed(default_session(), {{"attention.prefix", 3.0}});
  session = changed(session, {{"attention.causal", true}});
  EXPECT_FALSE(session.attention.mask.prefix);
  EXPECT_FALSE(changed(session, {{"attention.prefix", 2.0}}).attention.mask.causal);
}

TEST(ChangeSettings, ADecoderAloneIsCausal) {
  const Session decoder = changed(default_session(), {{"architecture.stacks", std::string("decoder")}});
  EXPECT_TRUE(decoder.attention.mask.causal);
  EXPECT_FALSE(changed(decoder, {{"architecture.stacks", std::string("encoder")}}).attention.mask.causal);
}

TEST(ChangeSettings, AMasksSettingIsThatOfTheSelectedAttention) {
  Session session = default_session();
  const Setting& window = setting("attention.window");
  EXPECT_EQ(of_selected_mask(session, window).key, "attention.window");
  session.architecture.stacks = Stacks::encoder_decoder;
  session.selection.stack = Stack::decoder;
  EXPECT_EQ(of_selected_mask(session, window).key, "attention.target_mask.window");
  session.selection.attention = AttentionKind::cross;
  EXPECT_EQ(of_selected_mask(session, window).key, "attention.cross_mask.window");
  EXPECT_EQ(of_selected_mask(session, setting("attention.scale")).key, "attention.scale");
}

TEST(ChangeSettings, NoChangeOfOneSettingLeavesASizeThatDoesNotHold) {
  RandomSession random(31);
  for (int i = 0; i < 2000; ++i) {
    Session session = default_session();
    for (int n = 0; n < 8; ++n) {
      const Setting& one =
          all_settings[static_cast<std::size_t>(random.whole(0, static_cast<int>(all_settings.size()) - 1))];
      SettingInput input = static_cast<double>(random.whole(0, 70));
      if (std::holds_alternative<field::Flag>(one.field)) input = random.coin();
      if (const auto* choice = std::get_if<field::Choice>(&one.field))
        input = std::string(choice->names[static_cast<std::size_t>(
            random.whole(0, static_cast<int>(choice->names.size()) - 1))]);
      session = changed(session, {{one.key, input}});
      ASSERT_TRUE(validate(session.architecture)) << one.key;
      expect_invariants(session);
    }
  }
}

TEST(RestoreDefaults, TakesTheSettingsBackInOneStepAndLeavesTheSentence) {
  const Session preset = reduce(default_session(), load_preset("The paper’s Transformer"));
  Session session = reduce(preset, SetSentence{"another sentence"});
  History history(session);
  history.apply(ChangeSettings{{{"architecture.heads", 4.0}, {"attention.temperature", 0.5}}}, false);
  history.apply(RestoreDefaults{preset.subject()}, false);
  EXPECT_EQ(history.present().architecture, preset.architecture);
  EXPECT_EQ(history.present().attention, preset.attention);
  EXPECT_EQ(history.present().sentence, "another sentence");
  history.undo();
  EXPECT_EQ(history.present().architecture.n_heads, 4);
  EXPECT_EQ(with_defaults(session, preset), session.subject()) << "nothing differs";
}

}  // namespace
}  // namespace headscope
