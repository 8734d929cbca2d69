#include "core/page/page_numbers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/engine/attribution.h"
#include "core/engine/decoding.h"
#include "core/engine/head_circuits.h"
#include "core/page/pages.h"
#include "core/text/number_text.h"
#include "tests/unit/page/page_helpers.h"

namespace headscope {
namespace {

using Json = nlohmann::json;
using test::inputs_of;

Json numbers(const PageInputs& in, PageName page) {
  const PageNumbers tables = numbers_of_page(in, page);
  if (!tables) return {{"refused", tables.error().message}};
  return Json::parse(json_of_numbers(*tables, page, in.session))["tables"];
}

PageInputs inputs_of_model(const std::string& name) {
  const auto model = open_model(name, {HEADSCOPE_SOURCE_DIR "/assets/models"});
  if (!model) ADD_FAILURE() << model.error().message;
  return inputs_of(reduce(default_session(), opening_action(*model)));
}

double sum_of(const Json& rows, const char* column) {
  double sum = 0.0;
  for (const Json& row : rows) sum += row.at(column).is_null() ? 0.0 : row.at(column).get<double>();
  return sum;
}

/// Every page of every usual session must give complete tables, or the reason why it has none.
TEST(PageNumbers, AreWholeTablesOrAReason) {
  int n_tables = 0;
  for (const Session& session : test::usual_sessions()) {
    const PageInputs in = inputs_of(session);
    ASSERT_NE(in.trace, nullptr);
    for (const PageRecord& page : page_records()) {
      SCOPED_TRACE(page.title);
      const PageNumbers tables = numbers_of_page(in, page.name);
      if (page.numbers == nullptr) {
        ASSERT_FALSE(tables);
        EXPECT_NE(tables.error().message.find("effects, "), std::string::npos)
            << "it names those that have some";
        continue;
      }
      if (!tables) {
        EXPECT_GT(tables.error().message.size(), 20U);
        continue;
      }
      for (const DataTable& table : *tables) {
        ++n_tables;
        EXPECT_FALSE(table.rows.empty()) << table.name;
        for (const auto& row : table.rows) ASSERT_EQ(row.size(), table.columns.size()) << table.name;
      }
    }
  }
  EXPECT_GT(n_tables, 60);
}

TEST(PageNumbers, OfEffectsAddUpToThePredictionOfThePass) {
  const PageInputs in = inputs_of_model("pronouns");
  const Json tables = numbers(in, PageName::effects);
  const Json& asked = tables.at("prediction").at(0);
  const StageId logits{.kind = StageKind::logits};
  const StageId probabilities{.kind = StageKind::probabilities};
  const auto prediction = explained_prediction(in);
  ASSERT_TRUE(prediction);
  EXPECT_EQ(asked.at("position"), prediction->row);
  EXPECT_EQ(asked.at("logit").get<float>(), in.trace->number(logits, prediction->row, prediction->word));
  EXPECT_EQ(asked.at("probability").get<float>(),
            in.trace->number(probabilities, prediction->row, prediction->word));
  const Json& heads = tables.at("heads");
  EXPECT_EQ(heads.size(), heads_of(in.trace->architecture()).size());
  const auto effects = part_effects(*in.trace, *prediction).finish();
  const Json& others = tables.at("other_parts");
  std::size_t n_heads = 0;
  std::size_t n_others = 0;
  for (const PartEffect& effect : effects.parts) {
    const bool is_head = effect.part.kind == ModelPart::Kind::head;
    const Json& row = is_head ? heads.at(n_heads++) : others.at(n_others++);
    EXPECT_EQ(row.at("probability_lost_when_off").get<double>(), effects.probability - effect.probability)
        << "what the part adds is positive";
    EXPECT_EQ(row.at("layer").get<int>(), effect.part.place.layer);
  }
  EXPECT_EQ(n_heads, heads.size());
  EXPECT_EQ(n_others, others.size());
  std::map<std::string, double> by_head;
  for (const Json& source : tables.at("sources"))
    by_head[source.at("head").get<std::string>()] += source.at("direct_logit").get<double>();
  for (const Json& head : heads)
    EXPECT_NEAR(by_head.at(head.at("head").get<std::string>()), head.at("direct_logit").get<double>(), 1e-4);
  const Json& parts = tables.at("parts");
  double sum = 0.0;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) sum += parts[i].at("logit").get<double>();
  EXPECT_NEAR(sum, parts.back().at("logit").get<double>(), 1e-9);
  EXPECT_NEAR(sum, asked.at("logit").get<double>(), 1e-3);
}

/// The columns of all heads and keys must be those of the attribution, and the direct paths of a pass that of
/// the circuits, which reads the same numbers.
TEST(PageNumbers, OfEffectsHoldTheAttributionAndTheCircuits) {
  const PageInputs in = inputs_of_model("pronouns");
  const Json tables = numbers(in, PageName::effects);
  const auto prediction = explained_prediction(in);
  ASSERT_TRUE(prediction);
  const Attribution attributed = attribution(*in.trace, *prediction).finish();
  ASSERT_EQ(attributed.absent, "");
  for (std::size_t i = 0; i < attributed.heads.size(); ++i)
    EXPECT_EQ(tables.at("heads").at(i).at("attention_x_gradient").get<double>(), attributed.heads[i].total());
  const std::vector<double>& inputs = attributed.inputs_of(Stack::encoder);
  ASSERT_EQ(tables.at("gradient_x_input").size(), inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i)
    EXPECT_EQ(tables.at("gradient_x_input").at(i).at("gradient_x_input").get<double>(), inputs[i]);
  const HeadCircuits circuits =
      head_circuits(*in.trace, head_of(in.at(StageKind::weights)), prediction->row).finish();
  for (std::size_t i = 0; i < circuits.qk_singular.size(); ++i)
    EXPECT_EQ(tables.at("singular_values").at(i).at("qk").get<double>(), circuits.qk_singular[i]);
  EXPECT_EQ(tables.at("ov").at(0).at("logit").get<double>(),
            circuits.written.front().promoted.front().second);
  EXPECT_EQ(tables.at("qk").at(1).at("score").get<float>(), circuits.scores.at(0, 1));
}

/// The tooltip of a head must name the token from which most of its direct part comes.
TEST(PageNumbers, OfEffectsNameTheTokensThatAHeadReads) {
  const PageInputs in = inputs_of_model("pronouns");
  const auto prediction = explained_prediction(in);
  ASSERT_TRUE(prediction);
  PageMemo memo;
  PageTools tools{test::uniform_measure(), 0, memo};
  const HeadId head{in.trace->architecture().last_stack(), AttentionKind::self, 1, 0};
  const std::vector<double> shares = direct_sources(*in.trace, *prediction, head);
  const auto greatest = std::ranges::max_element(shares, {}, [](double share) { return std::fabs(share); });
  const std::string token = in.trace->tokens()[static_cast<std::size_t>(greatest - shares.begin())].text;
  const std::string said = describe_effect(in, tools, {.place = head});
  EXPECT_NE(said.find("Of its direct part, " + rounded_text(*greatest) + " comes from “" + token + "”"),
            std::string::npos)
      << said;
}

TEST(PageNumbers, OfTheDivisionAreThoseOfThePass) {
  const PageInputs in = inputs_of_model("pronouns");
  const Json tables = numbers(in, PageName::scale);
  const Json& row = tables.at("row");
  const int query = in.session.selection.token.value();
  const StageId weights = in.at(StageKind::weights);
  const StageId raw = in.at(StageKind::raw);
  for (const Json& cell : row) {
    const int key = cell.at("key").get<int>();
    EXPECT_NEAR(cell.at("weight_divided").get<double>(), in.trace->number(weights, query, key), 1e-6);
    EXPECT_NEAR(cell.at("score_undivided").get<double>(), in.trace->number(raw, query, key), 1e-4);
  }
  EXPECT_NEAR(sum_of(row, "weight_divided"), 1.0, 1e-9);
  EXPECT_NEAR(sum_of(row, "weight_undivided"), 1.0, 1e-9);
  EXPECT_NEAR(sum_of(tables.at("jacobian"), "divided"), 0.0, 1e-12) << "its rows add up to 0";
  EXPECT_EQ(tables.at("random").back().at("d_k"), 512);
}

TEST(PageNumbers, OfTilesEndInThePlainSoftmax) {
  PageInputs in = inputs_of_model("pronouns");
  const int n_columns = 3;  // 11 keys in tiles of 4
  in.session.tiles = {.queries = 4, .keys = 4, .step = n_columns};
  const Json tables = numbers(in, PageName::tiles);
  EXPECT_EQ(tables.at("tiles").size(), 9U);
  EXPECT_EQ(sum_of(tables.at("tiles"), "is_current"), 1.0);
  const StageId output = in.at(StageKind::output);
  for (const Json& cell : tables.at("output")) {
    EXPECT_NEAR(cell.at("o_divided_by_l").get<double>(), cell.at("plain_softmax").get<double>(), 1e-12);
    EXPECT_NEAR(cell.at("plain_softmax").get<double>(),
                in.trace->number(output, cell.at("query").get<int>(), cell.at("dimension").get<int>()), 1e-4);
  }
  // If nothing stays near the processor, the plain way writes two maps of 11 × 11 numbers that tiles do not.
  EXPECT_GT(tables.at("traffic").at(0).at("numbers_written"),
            tables.at("traffic").at(1).at("numbers_written"));
}

TEST(PageNumbers, OfWritingAndOfHeadsAreWhatThePassHas) {
  const PageInputs in = inputs_of_model("copying");
  const Json tables = numbers(in, PageName::decoding);
  const Json& tokens = tables.at("tokens");
  ASSERT_EQ(tokens.size(), in.trace->tokens().size());
  const Architecture& a = in.trace->architecture();
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    EXPECT_LT(tokens[i].at("difference").get<double>(), 1e-4);
    EXPECT_EQ(tokens[i].at("numbers_kept").get<std::int64_t>(),
              std::int64_t{2} * a.n_layers * a.d_model * static_cast<std::int64_t>(i + 1));
  }
  const Json heads = numbers(in, PageName::heads).at("heads");
  EXPECT_EQ(heads.size(), static_cast<std::size_t>(a.n_layers) * static_cast<std::size_t>(a.n_heads));
  for (const Json& head : heads) {
    EXPECT_GE(head.at("induction").get<double>(), 0.0);
    EXPECT_LE(head.at("induction").get<double>(), 1.0);
    EXPECT_TRUE(head.at("noun").is_null()) << "these words have no pronoun";
  }
}

TEST(PageNumbers, OfEffectsNameNoWordWhereTheLogitsAreNotFinite) {
  Session session = inputs_of_model("pronouns").session;
  const StageId query = session.selection.at(StageKind::query);
  const Extent size = inputs_of(session).trace->extent(query);
  OwnedMatrix given(size.rows, size.cols);
  std::ranges::fill(given.values, 1e38F);
  session = reduce(session, SetGiven{path(query), std::move(given)});
  EXPECT_NE(
      numbers(inputs_of(session), PageName::effects).at("refused").get<std::string>().find("not finite"),
      std::string::npos);
}

TEST(PageNumbers, CsvIsOneTableWithTheSameNumbersInFullDigits) {
  const PageInputs in = inputs_of_model("pronouns");
  const PageNumbers tables = numbers_of_page(in, PageName::effects);
  ASSERT_TRUE(tables);
  std::istringstream csv(csv_of_numbers(*tables));
  std::string line;
  const auto fields_of = [](const std::string& text) {
    std::vector<std::string> fields{""};
    for (const char c : text.substr(0, text.find('\r'))) {
      if (c == ',') {
        fields.emplace_back();
      } else {
        fields.back() += c;
      }
    }
    return fields;
  };
  ASSERT_TRUE(std::getline(csv, line));
  const std::vector<std::string> head = fields_of(line);
  EXPECT_EQ(head.front(), "table");
  for (const DataTable& table : *tables) {
    const auto at = std::ranges::find(head, table.columns.back()) - head.begin();
    ASSERT_LT(at, std::ssize(head));
    for (const auto& row : table.rows) {
      ASSERT_TRUE(std::getline(csv, line));
      const std::vector<std::string> fields = fields_of(line);
      ASSERT_EQ(fields.size(), head.size()) << line;
      EXPECT_EQ(fields.front(), table.name);
      const auto* number = std::get_if<double>(&row.back());
      if (number != nullptr) {
        EXPECT_EQ(std::stod(fields[static_cast<std::size_t>(at)]), *number);
      }
    }
  }
  EXPECT_FALSE(std::getline(csv, line));
}

TEST(PageNumbers, ATextWithACommaOrAFormulaStaysOneField) {
  const std::vector<DataTable> tables{
      {"t", {"a", "b"}, {{std::string("x, \"y\""), std::string("=1+1")}, {}}}};
  std::vector<DataTable> whole = tables;
  whole[0].rows[1] = {TableCell(), -std::numeric_limits<double>::infinity()};
  EXPECT_EQ(csv_of_numbers(whole), "a,b\r\n\"x, \"\"y\"\"\",'=1+1\r\n,-inf\r\n");
  const Json json = Json::parse(json_of_numbers(whole, PageName::effects, default_session()));
  EXPECT_EQ(json["tables"]["t"][0]["a"], "x, \"y\"");
  EXPECT_TRUE(json["tables"]["t"][1]["a"].is_null());
  EXPECT_TRUE(json["tables"]["t"][1]["b"].is_null());
  EXPECT_EQ(json["page"], "effects");
  EXPECT_TRUE(json["session"].contains("sentence"));
}

}  // namespace
}  // namespace headscope
