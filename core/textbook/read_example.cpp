#include <algorithm>
#include <cmath>
#include <limits>

#include "core/io/json_text.h"
#include "core/session/setting_json.h"
#include "core/textbook/example_limits.h"
#include "core/textbook/origin_json.h"
#include "core/textbook/worked_examples.h"

namespace headscope {
namespace {

using Json = nlohmann::json;

constexpr int example_version = 1;
constexpr int most_digits = 12;
constexpr std::size_t most_cases = 100;
constexpr std::size_t most_quantities = 200;
constexpr std::size_t most_reductions = 16;
/// A limit on the JSON that is parsed again for each case.
constexpr std::size_t most_bytes_of_cases = std::size_t{8} << 20U;

/// Reads a matrix, a row or a single number. "-inf" stands for −∞.
std::optional<NumberTable> table_of(const Json& json) {
  const Json row = json.is_array() ? json : Json::array({json});
  const Json rows = !row.empty() && row.front().is_array() ? row : Json::array({row});
  NumberTable table;
  table.rows = static_cast<int>(rows.size());
  table.cols = static_cast<int>(rows.front().size());
  table.values.reserve(rows.size() * rows.front().size());
  for (const Json& each : rows) {
    if (!each.is_array() || each.empty() || each.size() != rows.front().size()) return std::nullopt;
    for (const Json& number : each) {
      if (!number.is_number() && number != "-inf") return std::nullopt;
      table.values.push_back(number.is_number() ? number.get<double>()
                                                : -std::numeric_limits<double>::infinity());
    }
  }
  return table;
}

std::string all_reductions() {
  std::string names;
  for (const std::string_view name : names_of<Reduction>)
    names += (names.empty() ? "" : ", ") + std::string(name);
  return names;
}

/// Reads one example and keeps the first error.
class ExampleReader {
 public:
  ExampleReader(const Json& json, const ExampleFile& file) : fields_(json, "", error_), file_(file) {}

  Result<WorkedExample> read() {
    if (fields_.whole("version", 0, example_version, example_version) != example_version && error_.empty())
      error_ = "version must be " + std::to_string(example_version);
    example_.name = file_.name;
    example_.author = fields_.text("author");
    example_.title = fields_.text("title");
    example_.where = fields_.text("where");
    example_.heading = fields_.text("heading");
    example_.shows = fields_.text("shows");
    example_.note = fields_.text("note", "");
    example_.impossible = fields_.text("impossible", "");
    if (error_.empty() && example_.impossible.empty()) {
      read_cases();
      read_quantities();
      read_left_out();
      fields_.refuse_others();
    }
    if (error_.empty()) error_ = too_large(example_);
    if (!error_.empty())
      return failure("cannot read the worked example “" + std::string(file_.name) + "”: " + error_);
    return std::move(example_);
  }

 private:
  /// Makes a session from settings. It has the sizes of a model that is only counted.
  Session session_of(const Json& settings) {
    if (const std::string unread = unread_field(settings); !unread.empty())
      fields_.refuse("the session's " + unread + " is not allowed here: correct its name, or remove it");
    if (!error_.empty()) return {};
    Json whole = settings;
    whole["version"] = 1;
    auto session = session_from_json(json_text(whole));
    if (!session) {
      if (error_.empty()) error_ = session.error().message;
      return {};
    }
    session->textbook = example_.name;
    return std::move(*session);
  }

  void read_sizes(const JsonFields& sizes, Architecture& architecture) {
    constexpr int most = 1 << 20;
    constexpr int most_parts = 1 << 10;
    architecture.n_layers = sizes.whole("layers", architecture.n_layers, 1, most_parts);
    architecture.d_model = sizes.whole("d_model", architecture.d_model, 1, most);
    architecture.n_heads = sizes.whole("heads", architecture.n_heads, 1, most_parts);
    architecture.d_head = sizes.whole("d_head", architecture.head_width(), 1, most);
    architecture.d_value = sizes.whole("d_value", *architecture.d_head, 1, most);
    architecture.d_ff = sizes.whole("d_ff", architecture.d_ff, 0, most);
    sizes.refuse_others();
  }

  void add_case(std::string name, const Json& settings) {
    Json of_session = settings;
    of_session.erase("sizes");
    ExampleCase added{std::move(name), session_of(of_session)};
    if (const auto sizes = settings.find("sizes"); sizes != settings.end()) {
      example_.is_counted = true;
      read_sizes(JsonFields(*sizes, "sizes.", error_), added.session.architecture);
    }
    example_.cases.push_back(std::move(added));
  }

  void read_cases() {
    const Json base = fields_.object("session");
    const Json cases = fields_.list("cases");
    example_.is_counted = fields_.flag("counted");
    if (cases.empty()) return add_case("", base);
    if (cases.size() > most_cases || cases.size() * file_.text.size() > most_bytes_of_cases)
      return fields_.refuse("there are " + std::to_string(cases.size()) +
                            " cases, more than a worked example may have: split it into several files");
    example_.cases.reserve(cases.size());
    for (std::size_t i = 0; i < cases.size() && error_.empty(); ++i) {
      const JsonFields each(cases[i], "cases[" + std::to_string(i) + "].", error_);
      Json settings = base;
      settings.merge_patch(each.object("changes"));
      const std::string name = each.text("name");
      if (std::ranges::find(example_.cases, name, &ExampleCase::name) != example_.cases.end())
        each.refuse(each.name("name") + " is “" + name +
                    "”, but an earlier case has this name: choose another");
      each.refuse_others();
      add_case(name, settings);
    }
  }

  void read_quantities() {
    const Json list = fields_.list("quantities");
    if (list.empty()) fields_.refuse("quantities is empty");
    if (list.size() > most_quantities)
      return fields_.refuse("there are " + std::to_string(list.size()) +
                            " quantities, but a worked example may have at most " +
                            std::to_string(most_quantities));
    example_.quantities.reserve(list.size());
    for (std::size_t i = 0; i < list.size() && error_.empty(); ++i) {
      const JsonFields each(list[i], "quantities[" + std::to_string(i) + "].", error_);
      example_.quantities.push_back(quantity_of(each));
      each.refuse_others();
    }
  }

  void read_left_out() {
    const Json list = fields_.list("left_out");
    example_.left_out.reserve(list.size());
    for (std::size_t i = 0; i < list.size() && error_.empty(); ++i) {
      const JsonFields each(list[i], "left_out[" + std::to_string(i) + "].", error_);
      example_.left_out.push_back({each.text("name"), each.text("why")});
      each.refuse_others();
    }
  }

  std::size_t case_named(const std::string& name) {
    const auto found = std::ranges::find(example_.cases, name, &ExampleCase::name);
    if (found != example_.cases.end()) return static_cast<std::size_t>(found - example_.cases.begin());
    if (error_.empty()) error_ = "there is no case “" + name + "”";
    return 0;
  }

  Quantity quantity_of(const JsonFields& fields) {
    Quantity quantity;
    quantity.name = fields.text("name");
    quantity.title = fields.text("title");
    const std::vector<std::string> cases = fields.texts("case");
    quantity.cases.reserve(cases.size() + 1);
    for (const std::string& name : cases) quantity.cases.push_back(case_named(name));
    if (quantity.cases.empty()) quantity.cases.push_back(0);
    if (example_.cases.empty()) return quantity;  // One of the cases was refused.
    const ExampleCase& first = example_.cases[quantity.cases.front()];
    quantity.origin = read_origin(fields, first.session.selection);
    quantity.rows = fields.indices("rows");
    quantity.cols = fields.indices("columns");
    const std::vector<std::string> reductions = fields.texts("then");
    if (reductions.size() > most_reductions)
      fields.refuse(fields.name("then") + " has more than " + std::to_string(most_reductions) +
                    " reductions");
    quantity.then.reserve(reductions.size());
    for (const std::string& name : reductions) {
      const auto reduction = value_named<Reduction>(name);
      if (!reduction && error_.empty())
        error_ = "there is no reduction “" + name + "”: there are " + all_reductions();
      quantity.then.push_back(reduction.value_or(Reduction::sum));
    }
    quantity.times = fields.number("times", 1.0);
    quantity.digits = fields.whole("digits", quantity.digits, 0, most_digits);
    quantity.reason = fields.text("reason", "");
    if (const Json* printed = fields.find("printed")) {
      quantity.printed = table_of(*printed);
      if (!quantity.printed && error_.empty())
        error_ = fields.name("printed") + " is " + shown(*printed) + ", but must be rows of numbers";
    }
    return quantity;
  }

  std::string error_;
  JsonFields fields_;
  const ExampleFile& file_;
  WorkedExample example_;
};

}  // namespace

Result<WorkedExample> read_example(const ExampleFile& file) {
  const auto json = parse_json(file.text);
  if (!json)
    return failure("cannot read the worked example “" + std::string(file.name) +
                   "”: " + json.error().message);
  return ExampleReader(*json, file).read();
}

}  // namespace headscope
