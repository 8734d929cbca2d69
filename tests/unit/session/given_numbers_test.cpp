#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "core/session/history.h"
#include "core/session/placed.h"
#include "core/session/presets.h"
#include "core/session/repair.h"
#include "tests/unit/session/with.h"

namespace headscope {
namespace {

Session with_numbers(const std::string& path, OwnedMatrix numbers) {
  return reduce(default_session(), SetGiven{path, std::move(numbers)});
}

TEST(SessionJson, KeepsGivenNumbersToTheBit) {
  OwnedMatrix numbers(2, 3);
  numbers.values = {0.1F, -0.0F, 1e-45F, 3.4028235e38F, 1.0F / 3.0F, -16777217.0F};
  const Session session = with_numbers("encoder.layers.0.self.heads.1.W_Q", numbers);
  const auto back = session_from_json(to_json(session));
  ASSERT_TRUE(back) << back.error().message;
  const auto given = back->given.at("encoder.layers.0.self.heads.1.W_Q");
  ASSERT_NE(given, nullptr);
  ASSERT_EQ(given->values.size(), numbers.values.size());
  EXPECT_EQ(std::memcmp(given->values.data(), numbers.values.data(), sizeof(float) * numbers.values.size()),
            0);
}

TEST(GivenNumbers, OfWhatHeadsShareGoByTheFirstOnesName) {
  Session session = default_session();
  session.architecture.d_model = 8;
  session.architecture.n_heads = 4;
  session.architecture.n_kv_heads = 2;
  session = reduce(session, SetGiven{"encoder.layers.0.self.heads.3.W_K", OwnedMatrix(8, 2)});
  EXPECT_NE(session.given.at("encoder.layers.0.self.heads.2.W_K"), nullptr);
  EXPECT_EQ(session.given.all.size(), 1U);
  session = reduce(session, SetGiven{"encoder.layers.0.self.heads.3.W_Q", OwnedMatrix(8, 2)});
  EXPECT_NE(session.given.at("encoder.layers.0.self.heads.3.W_Q"), nullptr) << "queries are each head's own";
  session = reduce(session, SetGiven{"encoder.layers.0.self.heads.3.W_K", std::nullopt});
  EXPECT_EQ(session.given.all.size(), 1U);

  // When heads begin to share, the numbers of the first head in each group stay.
  Session apart = session;
  apart.architecture.n_kv_heads.reset();
  for (const float number : {1.0F, 2.0F, 3.0F}) {
    OwnedMatrix matrix(8, 2);
    matrix.values.assign(16, number);
    const std::string head = std::to_string(static_cast<int>(number));
    apart = reduce(apart, SetGiven{"encoder.layers.0.self.heads." + head + ".W_V", matrix});
  }
  apart.architecture.n_kv_heads = 2;
  const Session shared = repaired(apart, apart);
  ASSERT_NE(shared.given.at("encoder.layers.0.self.heads.0.W_V"), nullptr) << "head 1’s, as head 0 had none";
  EXPECT_EQ(shared.given.at("encoder.layers.0.self.heads.0.W_V")->at(0, 0), 1.0F);
  EXPECT_EQ(shared.given.at("encoder.layers.0.self.heads.2.W_V")->at(0, 0), 2.0F);
  EXPECT_EQ(shared.given.at("encoder.layers.0.self.heads.3.W_V"), nullptr);
}

TEST(GivenNumbers, OfOneTableOfRelativePositionsAreThoseOfBothStacks) {
  Session session = default_session();
  session.architecture.stacks = Stacks::encoder_decoder;
  session.architecture.positions = Positions::relative;
  const Architecture& a = session.architecture;
  OwnedMatrix table(a.n_heads, a.relative_width());
  table.at(1, 2) = 0.5F;
  session = reduce(session, SetGiven{"positions.table", table});
  EXPECT_EQ(session.given.at("positions.table"), nullptr);
  for (const char* path : {"encoder.positions.biases", "decoder.positions.biases"}) {
    ASSERT_NE(session.given.at(path), nullptr) << path;
    EXPECT_EQ(session.given.at(path)->at(1, 2), 0.5F);
  }
  table.at(1, 2) = 0.25F;
  session = reduce(session, SetGiven{"decoder.positions.biases", table});
  EXPECT_EQ(session.given.at("encoder.positions.biases")->at(1, 2), 0.5F);
  EXPECT_EQ(session.given.at("decoder.positions.biases")->at(1, 2), 0.25F);
  const auto back = session_from_json(to_json(session));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->given, session.given);
}

TEST(Presets, DropNothingButTheOneThatIsAboutIt) {
  for (const Preset& preset : presets()) {
    const bool has_dropout = preset.session.attention.has_dropout();
    EXPECT_EQ(has_dropout, preset.name == "Annotated attention") << preset.name;
  }
}

TEST(SessionJson, RefusesWhatCannotBeGiven) {
  const auto refusal = [](const char* given) {
    const auto session = session_from_json(std::string(R"({"version": 1, "given": )") + given + "}");
    return session ? std::string() : session.error().message;
  };
  EXPECT_NE(refusal("3").find("given is 3, but must be an object"), std::string::npos) << refusal("3");
  EXPECT_NE(refusal(R"({"encoder.input": [[1, 2], [3]]})").find("given.encoder.input[1]"), std::string::npos);
  EXPECT_NE(refusal(R"({"encoder.input": [[1, "x"]]})").find("given.encoder.input[0][1]"), std::string::npos);
  EXPECT_NE(refusal(R"({"encoder.input": [[1, 1e300]]})").find("a finite number"), std::string::npos);
  EXPECT_NE(refusal(R"({"encoder.input": []})").find("a list of rows"), std::string::npos);
  EXPECT_NE(refusal(R"({"encoder.layers.0.self.heads.0.weights": [[1]]})").find("no numbers can be given"),
            std::string::npos);
}

TEST(GivenNumbers, AreUndoneAndTakenBack) {
  History history(default_session());
  const std::string path = "encoder.layers.0.self.heads.0.raw";
  history.apply(SetGiven{path, OwnedMatrix(11, 11)}, false);
  EXPECT_NE(history.present().given.at(path), nullptr);
  history.apply(SetGiven{path, std::nullopt}, false);
  EXPECT_TRUE(history.present().given.empty());
  history.undo();
  EXPECT_NE(history.present().given.at(path), nullptr);
  history.undo();
  EXPECT_EQ(history.present(), default_session());
}

TEST(GivenNumbers, WithoutAPlaceOrThatAreNotFiniteChangeNothing) {
  const Session session = default_session();
  OwnedMatrix infinite(1, 1);
  infinite.at(0, 0) = INFINITY;
  EXPECT_EQ(reduce(session, SetGiven{"encoder.layers.0.self.heads.4.raw", OwnedMatrix(2, 2)}), session);
  EXPECT_EQ(reduce(session, SetGiven{"encoder.layers.0.self.heads.0.weights", OwnedMatrix(2, 2)}), session);
  EXPECT_EQ(reduce(session, SetGiven{"nothing", OwnedMatrix(2, 2)}), session);
  EXPECT_EQ(reduce(session, SetGiven{"encoder.input", infinite}), session);
  EXPECT_EQ(reduce(session, SetGiven{"encoder.input", OwnedMatrix(0, 3)}), session);
  EXPECT_FALSE(check_given(with_numbers("encoder.input", OwnedMatrix(2, 2))));
}

TEST(GivenNumbers, GoWithThePlaceThatTheyWereGivenFor) {
  Session session = with_numbers("encoder.layers.0.self.heads.3.W_Q", OwnedMatrix(64, 16));
  ASSERT_FALSE(session.given.empty());
  Architecture fewer = session.architecture;
  fewer.n_heads = 2;
  EXPECT_TRUE(reduce(session, test::with(session, fewer)).given.empty());
  Architecture wider = session.architecture;
  wider.d_model = 128;
  EXPECT_FALSE(reduce(session, test::with(session, wider)).given.empty()) << "only their size does not fit";
}

}  // namespace
}  // namespace headscope
