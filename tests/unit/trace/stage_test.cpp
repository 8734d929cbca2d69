#include "core/model/stage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

namespace headscope {
namespace {

/// Every stage that a model of 3 layers and 4 heads could have.
std::vector<StageId> many_ids() {
  std::set<StageId> ids;
  for (const StageInfo& line : all_stage_kinds()) {
    for (const Stack stack : {Stack::encoder, Stack::decoder}) {
      for (const AttentionKind attention : {AttentionKind::self, AttentionKind::cross}) {
        for (int layer = 0; layer < 3; ++layer) {
          for (int head = 0; head < 4; ++head) {
            ids.insert(normalized({line.kind, stack, layer, attention, head}));
          }
        }
      }
    }
  }
  return {ids.begin(), ids.end()};
}

TEST(StagePath, round_trips_for_every_kind_and_is_unique) {
  std::set<std::string> paths;
  for (const StageId& id : many_ids()) {
    const std::string text = path(id);
    const auto parsed = parse_path(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(*parsed, id) << text;
    EXPECT_TRUE(paths.insert(text).second) << text << " names two stages";
  }
}

TEST(StagePath, is_as_agreed) {
  const StageId weights{StageKind::weights, Stack::encoder, 1, AttentionKind::self, 3};
  EXPECT_EQ(path(weights), "encoder.layers.1.self.heads.3.weights");
  EXPECT_EQ(path({StageKind::w_query, Stack::decoder, 0, AttentionKind::cross, 12}),
            "decoder.layers.0.cross.heads.12.W_Q");
  EXPECT_EQ(path({.kind = StageKind::w_output}), "encoder.layers.0.self.W_O");
  EXPECT_EQ(path({.kind = StageKind::concat}), "encoder.layers.0.self.concat");
  EXPECT_EQ(path({.kind = StageKind::layer_output}), "encoder.layers.0.output");
  EXPECT_EQ(path({StageKind::norm_gain, Stack::decoder, 2, AttentionKind::cross}),
            "decoder.layers.2.cross.norm.gain");
  EXPECT_EQ(path({.kind = StageKind::feed_forward_output}), "encoder.layers.0.feed_forward.output");
  EXPECT_EQ(path({.kind = StageKind::feed_forward_norm_gain}), "encoder.layers.0.feed_forward.norm.gain");
  EXPECT_EQ(path({.kind = StageKind::final_norm_gain}), "encoder.norm.gain");
  EXPECT_EQ(path({.kind = StageKind::stack_output}), "encoder.output");
  EXPECT_EQ(path({.kind = StageKind::embedding}), "encoder.embedding");
  EXPECT_EQ(path({.kind = StageKind::embedding_table}), "embedding.table");
  EXPECT_EQ(path({.kind = StageKind::positions_table}), "positions.table");
  EXPECT_EQ(path({.kind = StageKind::logits}), "logits");
}

TEST(StagePath, rejects_what_names_no_stage) {
  for (const char* text : {"",
                           ".",
                           "encoder",
                           "encoder.",
                           "encoder.weights",
                           "weights",
                           "encoder.layers.0",
                           "encoder.layers.0.",
                           "encoder.layers.-1.input",
                           "encoder.layers.x.input",
                           "encoder.layers.00.input",
                           "encoder.layers..input",
                           "encoder.layers.0.self.heads.0",
                           "encoder.layers.0.self.heads.0.weights.",
                           "encoder.layers.0.self.heads.0.",
                           "encoder.layers.0.self.heads.1e3.weights",
                           "encoder.layers.99999999999.input",
                           "encoder.layers.0.self.heads.0.concat",
                           "encoder.layers.0.self.weights",
                           "encoder.layers.0.both.concat",
                           "Encoder.input",
                           "encoder.layers.0.self.heads.0.Weights",
                           " encoder.input",
                           "encoder.embedding.table",
                           "encoder.logits",
                           "encoder.layers.0.feed_forward",
                           "encoder.layers.0.feed_forward.W_3",
                           "encoder.layers.0.self.feed_forward.W_1",
                           "embedding.table.0",
                           "encoder.layers.0.self.heads. 1.raw"}) {
    EXPECT_FALSE(parse_path(text)) << text;
  }
}

TEST(StageTable, has_one_complete_line_per_kind) {
  int index = 0;
  for (const StageInfo& line : all_stage_kinds()) {
    EXPECT_EQ(static_cast<int>(line.kind), index++);
    EXPECT_EQ(info(line.kind).name, line.name);
    EXPECT_FALSE(line.symbol.empty()) << line.name;
    EXPECT_FALSE(line.title.empty()) << line.name;
    EXPECT_EQ(line.meaning.back(), '.') << line.name;
  }
}

TEST(StageTable, marks_in_its_sentences_only_what_a_cell_has) {
  const std::vector<std::string_view> known{"At",    "column", "head", "key",    "query",   "row",
                                            "token", "value",  "word", "expert", "distance"};
  for (const StageInfo& line : all_stage_kinds()) {
    std::string_view rest = line.sentence;
    for (std::size_t mark = rest.find('{'); mark != std::string_view::npos; mark = rest.find('{')) {
      const std::size_t end = rest.find('}');
      ASSERT_TRUE(end != std::string_view::npos && end > mark) << line.sentence;
      EXPECT_NE(std::ranges::find(known, rest.substr(mark + 1, end - mark - 1)), known.end())
          << line.sentence;
      rest.remove_prefix(end + 1);
    }
    EXPECT_TRUE(line.sentence.empty() || line.sentence.find("{value}") != std::string_view::npos)
        << line.sentence;
  }
}

TEST(KindNamed, finds_the_innermost_scope_and_minds_the_case) {
  EXPECT_EQ(parse_stage_kind("weights"), StageKind::weights);
  EXPECT_EQ(parse_stage_kind("W_Q"), StageKind::w_query);
  EXPECT_EQ(parse_stage_kind("output"), StageKind::output);
  EXPECT_EQ(parse_stage_kind("input"), StageKind::layer_input);
  EXPECT_EQ(parse_stage_kind("embedding.table"), StageKind::embedding_table);
  EXPECT_EQ(parse_stage_kind("w_q"), std::nullopt);
  EXPECT_EQ(parse_stage_kind("Weights"), std::nullopt);
  EXPECT_EQ(parse_stage_kind(""), std::nullopt);
}

TEST(Normalized, sets_to_zero_what_the_kind_does_not_use) {
  const StageId full{StageKind::weights, Stack::decoder, 2, AttentionKind::cross, 3};
  EXPECT_EQ(normalized(full), full);
  StageId id = full;
  id.kind = StageKind::concat;
  EXPECT_EQ(normalized(id), (StageId{StageKind::concat, Stack::decoder, 2, AttentionKind::cross, 0}));
  id.kind = StageKind::layer_output;
  EXPECT_EQ(normalized(id), (StageId{StageKind::layer_output, Stack::decoder, 2, AttentionKind::self, 0}));
  id.kind = StageKind::input;
  EXPECT_EQ(normalized(id), (StageId{StageKind::input, Stack::decoder, 0, AttentionKind::self, 0}));
  id.kind = StageKind::embedding_table;
  EXPECT_EQ(normalized(id), (StageId{.kind = StageKind::embedding_table}));
}

}  // namespace
}  // namespace headscope
