#include "core/engine/engine.h"

#include <gtest/gtest.h>

#include <cstring>

#include "core/engine/request.h"
#include "tests/unit/engine/passes.h"

namespace headscope {
namespace {

/// The shape of a pass over this many tokens per sentence with every part that options can add.
PassShape largest_shape(const Architecture& architecture, int n_tokens) {
  AttentionOptions dropping;
  dropping.train = true;
  PassShape shape;
  shape.graph = std::make_shared<const Graph>(architecture, dropping);
  shape.n_source = shape.n_target = n_tokens;
  shape.vocabulary = architecture.output_layer == OutputLayer::none ? 0 : 2 * n_tokens;
  shape.mask_changes_scores = shape.target_mask_changes_scores = shape.cross_mask_changes_scores = true;
  return shape;
}

TEST(Engine, FourHeadsOfTheSecondDocument) {
  Engine engine;
  Request request = request_for("The sky is blue and world is round", 32, 4);
  request.tokenizer = TokenizerKind::seed1;
  const SharedTrace trace = computed(engine, request);
  ASSERT_TRUE(trace);
  EXPECT_EQ(shape_text(stage(*trace, StageKind::input)), "[8 × 32]");
  EXPECT_EQ(shape_text(stage(*trace, StageKind::projected)), "[8 × 32]");
  for (int head = 0; head < 4; ++head) {
    EXPECT_EQ(shape_text(stage(*trace, StageKind::weights, head)), "[8 × 8]");
    EXPECT_EQ(shape_text(stage(*trace, StageKind::query, head)), "[8 × 8]");
  }
  EXPECT_FALSE(trace->has({StageKind::weights, Stack::encoder, 0, AttentionKind::self, 4}));
  EXPECT_EQ(stage(*trace, StageKind::embedding_table).rows, seed1_vocabulary);
  // Both occurrences of “is” are the same row of the table, but their positions differ.
  const MatrixView embedding = stage(*trace, StageKind::embedding);
  EXPECT_TRUE(std::ranges::equal(embedding.row(2), embedding.row(6)));
  const MatrixView input = stage(*trace, StageKind::input);
  EXPECT_FALSE(std::ranges::equal(input.row(2), input.row(6)));
}

TEST(Engine, VarianceGrowsByDHeadWithoutScaling) {
  Engine engine;
  const SharedTrace trace = computed(engine, request_for(words(12), 64, 4));
  for (int head = 0; head < 4; ++head) {
    const auto raw = numbers(stage(*trace, StageKind::raw, head));
    const auto scaled = numbers(stage(*trace, StageKind::scaled, head));
    for (std::size_t i = 0; i < raw.size(); ++i) ASSERT_FLOAT_EQ(raw[i], scaled[i] * 4.0F);
  }
}

TEST(Engine, RefusesWhatCannotBeComputed) {
  Engine engine;
  for (const char* sentence : {"", " ", "\t\n"}) {
    const auto trace = engine.compute(request_for(sentence, 64, 4));
    ASSERT_FALSE(trace);
    EXPECT_NE(trace.error().message.find("no words"), std::string::npos);
  }
  const auto sizes = engine.compute(request_for("a", 65, 8));
  ASSERT_FALSE(sizes);
  EXPECT_EQ(sizes.error().kind, Error::Kind::usage);
  EXPECT_NE(sizes.error().message.find("64 or 72"), std::string::npos);
  Request masked = request_for("a b", 64, 4);
  auto mask = std::make_shared<LoadedMask>();
  mask->rows = mask->cols = 3;
  mask->values.resize(9, 1.0F);
  masked.attention.mask.loaded = {mask};
  EXPECT_FALSE(engine.compute(masked));
  EXPECT_TRUE(engine.compute(request_for("a", 64, 4))) << "a refusal leaves the engine as good as before";
}

TEST(Engine, TheTableOfTheSecondDocumentHasOneHundredRows) {
  Engine engine;
  Request request = request_for(words(100), 16, 2);
  request.tokenizer = TokenizerKind::seed1;
  EXPECT_TRUE(engine.compute(request));
  request.sentence = words(101);
  const auto trace = engine.compute(request);
  ASSERT_FALSE(trace);
  EXPECT_NE(trace.error().message.find("100 rows"), std::string::npos);
}

TEST(Engine, AWordBeyondTheTableIsRefusedInAnySentenceOfABatch) {
  Engine engine;
  Request request = request_for(words(3), 16, 2);
  request.tokenizer = TokenizerKind::seed1;
  request.architecture.output_layer = OutputLayer::tied;
  request.batch = {words(3), words(100)};
  EXPECT_TRUE(engine.compute(request));
  request.batch = {words(3), words(101)};
  const auto trace = engine.compute(request);
  ASSERT_FALSE(trace);
  EXPECT_NE(trace.error().message.find("100 rows"), std::string::npos);
}

TEST(Engine, TooLongIsCutOrRefused) {
  Engine engine;
  Request request = request_for(words(50), 16, 2);
  request.max_bytes = 20'000;
  const int most = max_tokens(request);
  ASSERT_GT(most, 1);
  ASSERT_LT(most, 50);
  const auto refused = engine.compute(request, TooLong::refuse);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, Error::Kind::failure);
  EXPECT_NE(refused.error().message.find(std::to_string(most)), std::string::npos) << "the limit is stated";
  const auto cut = engine.compute(request, TooLong::cut);
  ASSERT_TRUE(cut);
  EXPECT_EQ((*cut)->n_tokens(), most);
  EXPECT_EQ((*cut)->n_sentence_tokens(), 50);
  request.sentence = words(most);
  EXPECT_TRUE(engine.compute(request, TooLong::refuse)) << "the longest that fits";
  request.max_bytes = 100;
  EXPECT_FALSE(engine.compute(request, TooLong::cut)) << "not even one token fits";
}

TEST(Engine, MaxTokensHoldsAndIsTight) {
  RandomStream random(3);
  for (int i = 0; i < 200; ++i) {
    Request request = random_request(static_cast<std::uint64_t>(i));
    request.attention = {};
    request.attention.target_mask = {};
    request.attention.softmax = SoftmaxAxis::queries;  // This requires that everything is kept.
    request.batch.clear();
    request.output_words.clear();
    request.model = {};
    const Architecture& a = request.architecture;
    const std::size_t bytes = std::size_t{1} << static_cast<unsigned>(pick(random, 12, 33));
    request.max_bytes = bytes;
    const int most = max_tokens(request);
    const auto bytes_for = [&](int n) { return largest_shape(a, n).floats() * sizeof(float); };
    if (most > 0) {
      EXPECT_LE(bytes_for(most), bytes);
    }
    EXPECT_GT(bytes_for(most + 1), bytes);
  }
}

TEST(Engine, StopGivesUpWithoutATrace) {
  Engine engine;
  StopFlags stop;
  stop.pass = true;
  const auto trace = engine.compute(request_for(words(20), 64, 4), TooLong::cut, &stop);
  ASSERT_TRUE(trace);
  EXPECT_EQ(*trace, nullptr);
}

TEST(Engine, SameRequestSameBytes) {
  Engine engine;
  Engine other;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Request request = random_request(seed);
    const SharedTrace first = computed(engine, request);
    computed(engine, random_request(seed + 100));  // This leaves other numbers in the memory that is reused.
    const SharedTrace again = computed(engine, request);
    const SharedTrace elsewhere = computed(other, request);
    for (const StageId& id : first->stages()) {
      const auto expected = numbers(first->value(id));
      for (const SharedTrace& trace : {again, elsewhere}) {
        const auto got = numbers(trace->value(id));
        ASSERT_EQ(got.size(), expected.size());
        ASSERT_EQ(std::memcmp(got.data(), expected.data(), got.size() * sizeof(float)), 0) << path(id);
      }
    }
  }
}

TEST(Engine, AnotherSeedIsAnotherModel) {
  Engine engine;
  Request request = request_for("one two", 16, 2);
  const SharedTrace first = computed(engine, request);
  request.architecture.seed = 1;
  const SharedTrace second = computed(engine, request);
  for (const StageKind kind : {StageKind::embedding, StageKind::w_query, StageKind::b_key,
                               StageKind::w_output, StageKind::weights}) {
    EXPECT_NE(numbers(stage(*first, kind)), numbers(stage(*second, kind))) << info(kind).name;
  }
}

TEST(Engine, ManyThreadsComputeWhatOneDoes) {
  Engine one(1);
  Engine many(4);
  EXPECT_EQ(one.n_threads(), 1);
  EXPECT_EQ(many.n_threads(), 4);
  for (const int n : {5, 300}) {  // 300 words are enough work for the pool to be used.
    const Request request = request_for(words(n), 128, 8);
    const SharedTrace a = computed(one, request);
    const SharedTrace b = computed(many, request);
    for (const StageId& id : a->stages()) {
      const auto expected = numbers(a->value(id));
      const auto got = numbers(b->value(id));
      ASSERT_EQ(got.size(), expected.size());
      for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], expected[i], 1e-4) << path(id);
    }
  }
}

TEST(Engine, ATraceOutlivesItsEngineAndItsSuccessors) {
  SharedTrace kept;
  std::vector<float> before;
  {
    Engine engine;
    kept = computed(engine, request_for(words(9), 32, 2));
    before = numbers(stage(*kept, StageKind::weights, 1));
    for (int i = 1; i < 10; ++i) computed(engine, request_for(words(i), 32, 2));
  }
  EXPECT_EQ(numbers(stage(*kept, StageKind::weights, 1)), before);
}

TEST(Engine, AWordsEmbeddingDoesNotDependOnTheOthers) {
  Engine engine;
  const SharedTrace first = computed(engine, request_for("the cat sat", 32, 2));
  const SharedTrace second = computed(engine, request_for("A new word, the CAT", 32, 2));
  const auto row = [](const SharedTrace& trace, int token) {
    const auto numbers = stage(*trace, StageKind::embedding).row(token);
    return std::vector<float>(numbers.begin(), numbers.end());
  };
  EXPECT_EQ(row(first, 0), row(second, 4));
  EXPECT_EQ(row(first, 1), row(second, 5));
  EXPECT_NE(row(first, 0), row(first, 1));
}

TEST(Engine, ChangingTheHeadsKeepsHeadZerosWeights) {
  Engine engine;
  Request request = request_for("a b c", 64, 4);
  request.architecture.d_head = 16;
  const SharedTrace four = computed(engine, request);
  request.architecture.n_heads = 7;
  const SharedTrace seven = computed(engine, request);
  for (const StageKind kind : {StageKind::w_query, StageKind::b_query, StageKind::w_key, StageKind::b_key,
                               StageKind::w_value, StageKind::b_value, StageKind::weights}) {
    EXPECT_EQ(numbers(stage(*four, kind)), numbers(stage(*seven, kind))) << info(kind).name;
  }
}

TEST(Engine, PredictsTheSameIfPredictionsAreNotKept) {
  Request request;
  request.architecture.output_layer = OutputLayer::linear;
  request.sentence = "once upon a time there was a cat";
  for (int word = 0; word <= many_words; ++word) request.output_words += "w" + std::to_string(word) + " ";
  Engine engine(1);
  const auto kept = engine.compute(request);
  ASSERT_TRUE(kept) << kept.error().message;
  ASSERT_NE((*kept)->kept().at({.kind = StageKind::logits}), nullptr);
  request.max_bytes = (*kept)->bytes();
  const auto made = engine.compute(request);
  ASSERT_TRUE(made) << made.error().message;
  ASSERT_EQ((*made)->kept().at({.kind = StageKind::logits}), nullptr);
  for (const StageKind kind : {StageKind::logits, StageKind::probabilities}) {
    const StageId id{.kind = kind};
    const Extent size = (*made)->extent(id);
    ASSERT_EQ(size, (*kept)->extent(id));
    const MatrixView all = (*made)->value(id);
    for (int row = 0; row < size.rows; ++row) {
      const StageNumbers expected = (*kept)->read_row(id, row);
      const StageNumbers read = (*made)->read_row(id, row);
      for (int col = 0; col < size.cols; ++col) {
        ASSERT_NEAR(read.view(0, col), expected.view(0, col), 1e-4F) << row << ", " << col;
        ASSERT_NEAR(all(row, col), expected.view(0, col), 1e-4F) << row << ", " << col;
      }
    }
  }
}

}  // namespace
}  // namespace headscope
