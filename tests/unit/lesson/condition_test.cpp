// Tests what conditions find in a session and in the numbers of its pass, and the messages for wrong
// conditions.
#include "core/lesson/condition.h"

#include <gtest/gtest.h>

#include "core/engine/engine.h"
#include "core/session/action.h"
#include "core/session/settings.h"

namespace headscope {
namespace {

class Conditions : public testing::Test {
 protected:
  void SetUp() override { look(default_session()); }
  void look(Session session) {
    session_ = std::move(session);
    const auto trace = engine_.compute(request_of(session_));
    ASSERT_TRUE(trace) << trace.error().message;
    trace_ = *trace;
  }
  bool hold(const std::string& text) {
    const auto condition = read_condition(text);
    EXPECT_TRUE(condition) << condition.error().message;
    return condition && holds(*condition, {session_, trace_.get()});
  }

  Engine engine_;
  Session session_;
  std::shared_ptr<const Trace> trace_;
};

TEST_F(Conditions, AskForSettings) {
  EXPECT_FALSE(hold("setting attention.causal = on"));
  EXPECT_TRUE(hold("setting attention.causal = off and setting attention.window = none"));
  EXPECT_TRUE(hold("setting attention.temperature < 1.5"));
  EXPECT_TRUE(hold("setting attention.temperature = 1"));
  EXPECT_TRUE(hold("setting sentence contains street"));
  EXPECT_TRUE(hold("setting sentence contains \"cross the street because\""));
  look(reduce(session_, ChangeSettings{{{"attention.causal", true}, {"attention.temperature", 0.1}}}));
  EXPECT_TRUE(hold("setting attention.causal = on"));
  EXPECT_TRUE(hold("setting attention.temperature = 0.1"));
  EXPECT_FALSE(hold("setting attention.causal = on and setting attention.temperature > 0.2"));
}

TEST_F(Conditions, NameWhatWasDone) {
  const Session before = session_;
  const auto done = [&] { return condition_from_changes(before, {session_, trace_.get()}); };
  EXPECT_EQ(done(), "");
  look(reduce(before, ChangeSettings{{{"attention.causal", true}, {"attention.temperature", 0.1}}}));
  EXPECT_EQ(done(), "setting attention.temperature = 0.1 and setting attention.causal = on");
  look(reduce(before, SelectToken{1}));
  EXPECT_EQ(done(), "row = animal");
  look(reduce(before, SelectToken{4}));
  EXPECT_EQ(done(), "row = the:1");
  look(reduce(before, open_head({0, 1})));
  EXPECT_EQ(done(), "head = 0.1");
  const StageId map = before.selection.at(StageKind::weights);
  look(reduce(before, PinCell{{map, 7, 1}}));
  EXPECT_EQ(done(), "cell = it animal");
  look(reduce(before, SetView{PageName::heads}));
  EXPECT_EQ(done(), "page = heads");
  look(reduce(before, SetSentence{"a cat and a dog"}));
  EXPECT_EQ(done().find("setting sentence"), std::string::npos) << "“and” joins conditions: " << done();
  look(reduce(reduce(before, set_to("picture.theme", std::string("dark"))), set_to("diagram.step", 3)));
  EXPECT_EQ(done(), "") << "how it looks is no answer";
  look(reduce(reduce(before, SetSentence{"well , it is ."}), SelectToken{1}));
  EXPECT_NE(done().find("row = ,"), std::string::npos) << done();
}

TEST_F(Conditions, EverySettingWithASingleValueHoldsItsOwn) {
  int n_read = 0;
  for (const Setting& setting : all_settings) {
    const auto condition = read_condition("setting " + std::string(setting.key) + " != 12345");
    if (!condition) continue;
    ++n_read;
    EXPECT_TRUE(holds(*condition, {session_, trace_.get()})) << setting.key;
  }
  EXPECT_GT(n_read, 60);
}

TEST_F(Conditions, AskForWhatIsSelected) {
  EXPECT_TRUE(hold("page = explore"));
  EXPECT_TRUE(hold("stage = weights"));
  EXPECT_TRUE(hold("head = 0.0"));
  EXPECT_TRUE(hold("row = it"));
  EXPECT_FALSE(hold("row = animal"));
  EXPECT_TRUE(hold("cell = none"));
  session_ = reduce(session_, PinCell{{{.kind = StageKind::weights}, 8, 0}});
  EXPECT_TRUE(hold("cell = was the"));
  EXPECT_FALSE(hold("cell = was the:1"));
}

TEST_F(Conditions, AskForNumbersOfThePass) {
  const float weight = trace_->number({.kind = StageKind::weights}, 1, 2);
  const std::string near = std::to_string(weight);
  EXPECT_TRUE(hold("weights(0.0, animal, didn't) > 0"));
  EXPECT_TRUE(hold("weights(animal, didn't) < 1"));
  EXPECT_TRUE(hold("weights(1, 2) >= " + std::to_string(weight - 0.01F)));
  EXPECT_FALSE(hold("weights(1, 2) > " + std::to_string(weight + 0.01F))) << near;
  EXPECT_TRUE(hold("encoder.layers.0.self.heads.0.weights(1, 2) < " + std::to_string(weight + 0.01F)));
  EXPECT_TRUE(hold("entropy(0.0) > 0 and entropy(0.0) < 1"));
  EXPECT_FALSE(hold("weights(nowhere, animal) > 0")) << "what is not there does not hold";
  EXPECT_FALSE(hold("weights(7.0, it, animal) > 0"));
  EXPECT_FALSE(holds(*read_condition("weights(1, 2) > 0"), {session_, nullptr})) << "nor without a pass";
}

TEST_F(Conditions, TellRepeatedTokensApart) {
  const StageId id{.kind = StageKind::weights};
  EXPECT_EQ(column_named(*trace_, id, "the"), 0);
  EXPECT_EQ(column_named(*trace_, id, "The"), 0);
  EXPECT_EQ(column_named(*trace_, id, "the:1"), 4);
  EXPECT_EQ(column_named(*trace_, id, "the:2"), std::nullopt);
  EXPECT_EQ(column_named(*trace_, id, "3"), 3);
  EXPECT_EQ(column_named(*trace_, id, "-1"), std::nullopt);
  EXPECT_EQ(column_named(*trace_, id, "11"), std::nullopt) << "there are 11 tokens, counted from 0";
  EXPECT_EQ(row_named(*trace_, {.kind = StageKind::w_query}, "3"), 3) << "a number where there are no words";
}

TEST_F(Conditions, FindTheStrongestKey) {
  const StageNumbers row = trace_->read({.kind = StageKind::weights}, {7, 0, 1, 11});
  const auto numbers = row.view.row(0);
  const auto at = std::ranges::max_element(numbers) - numbers.begin();
  EXPECT_EQ(column_named(*trace_, {.kind = StageKind::weights},
                         trace_->tokens()[static_cast<std::size_t>(at)].text),
            at);
  EXPECT_TRUE(hold("strongest(0.0, 7) = " + trace_->tokens()[static_cast<std::size_t>(at)].text));
  EXPECT_FALSE(hold("strongest(0.0, 7) = nowhere"));
}

TEST_F(Conditions, TellWhatIsWrongAndPossible) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "a condition is empty. Possible are setting attention.causal = on"},
      {"attention = 1", "nothing is called “attention” in a condition"},
      {"setting attention.mask = on", "there is no setting “attention.mask”"},
      {"setting attention.causal = blue", "“blue” is neither on nor off"},
      {"setting attention.causal > on", "only numbers are greater or less"},
      {"setting attention.softmax = rows", "cannot be “rows”, only keys, queries"},
      {"setting attention.temperature = warm", "is not a number"},
      {"page", "compares nothing"},
      {"page =", "has no value"},
      {"weights = 1", "lacks its brackets: weights(1.0, it, street) > 0.8"},
      {"weights(1.0, a, b, c) > 1", "hold too much or too little"},
      {"weights(1.0, it, street > 1", "is not a condition"},
      {"page = heads and ", "a condition is empty"},
      {"setting attention.padding = 1", "has no single value"},
  };
  for (const auto& [text, message] : cases) {
    const auto condition = read_condition(text);
    ASSERT_FALSE(condition) << text;
    EXPECT_NE(condition.error().message.find(message), std::string::npos)
        << text << " says: " << condition.error().message;
  }
}

}  // namespace
}  // namespace headscope
