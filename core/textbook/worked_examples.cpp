#include "core/textbook/worked_examples.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "core/engine/request.h"
#include "core/io/json_text.h"
#include "core/session/setting_json.h"
#include "core/session/setting_value.h"
#include "core/split_text.h"
#include "core/text/number_text.h"

namespace headscope {
namespace {

using Json = nlohmann::json;

/// The prefixes of the names of each source's examples, in the order of the list.
constexpr std::array<std::string_view, 10> sources{"raschka-",     "kv-",   "alammar-",   "karpathy-",
                                                   "3blue1brown-", "d2l-",  "annotated-", "cs224n-",
                                                   "vaswani-",     "flash-"};

std::ptrdiff_t place_of_source(const WorkedExample& example) {
  return std::ranges::find_if(sources,
                              [&](std::string_view begin) { return example.name.starts_with(begin); }) -
         sources.begin();
}

constexpr int max_tokens = 1024;
constexpr std::size_t max_parts = 2000;  ///< The matrices of all quantities.
constexpr double max_bytes =
    0.5 * static_cast<double>(default_trace_bytes);  ///< The memory of a case with its model.
constexpr double max_multiplications = 1e10;         ///< In all passes.
constexpr double max_counted_heads = 300'000;  ///< The heads of all models whose parameters are counted.

/// For example, "its longest text has 20,000 tokens, but at most 1,024 are allowed in a worked example".
[[noreturn]] void refuse_many(const std::string& what, double number, const std::string& unit, double limit) {
  refuse(failure(what + " " + grouped(static_cast<long long>(number)) + " " + unit + ", but at most " +
                 grouped(static_cast<long long>(limit)) + " are allowed in a worked example"));
}

/// Approximate number of multiplications in a pass: each parameter with each token, and each query with each
/// key.
double multiplications(const Architecture& a, double n_tokens) {
  const double stacks = a.has_cross() ? 3.0 : 1.0;
  const double of_pair = static_cast<double>(a.n_heads) * (a.head_width(no_layer) + a.value_width(no_layer));
  return count_parameters(a) * n_tokens + stacks * a.n_layers * of_pair * n_tokens * n_tokens;
}

/// Checks the passes of these cases.
void check_passes(const WorkedExample& example, const std::set<std::size_t>& cases) {
  double all = 0.0;
  for (const std::size_t index : cases) {
    const Session& session = example.cases[index].session;
    const int n_tokens = longest_text(texts_of(session), session.batch.size());
    if (n_tokens > max_tokens) refuse_many("its longest text has", n_tokens, "tokens", max_tokens);
    constexpr double mebibyte = 1024.0 * 1024.0;
    const double bytes = memory_of(request_of(session));
    if (bytes > max_bytes)
      refuse_many("its model and numbers take", bytes / mebibyte, "MiB", max_bytes / mebibyte);
    all += multiplications(session.architecture, n_tokens);
  }
  if (all > max_multiplications)
    refuse(failure(
        "its passes would take too long to compute: use fewer cases, shorter texts or a smaller model"));
}

/// Throws if an example is too large to compute while the user waits.
void check_size(const WorkedExample& example) {
  std::set<std::size_t> with_pass;
  std::size_t parts = 0;
  double heads_counted = 0.0;
  for (const Quantity& quantity : example.quantities) {
    parts += quantity.cases.size() * quantity.origin.n_matrices();
    for (const std::size_t index : quantity.cases) {
      const Architecture& a = example.cases[index].session.architecture;
      if (quantity.origin.needs_pass) with_pass.insert(index);
      if (quantity.origin.counts_parameters) heads_counted += static_cast<double>(a.n_layers) * a.n_heads;
    }
  }
  if (parts > max_parts)
    refuse_many("its quantities have", static_cast<double>(parts), "matrices",
                static_cast<double>(max_parts));
  if (heads_counted > max_counted_heads)
    refuse_many("its counts have", heads_counted, "heads", max_counted_heads);
  check_passes(example, with_pass);
}

constexpr int example_version = 1;
constexpr int max_digits = 12;
constexpr std::size_t max_cases = 100;
constexpr std::size_t max_quantities = 200;
constexpr std::size_t max_reductions = 16;
/// A limit on the JSON that is parsed again for each case.
constexpr std::size_t max_case_bytes = std::size_t{8} << 20U;

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

void read_sizes(const JsonFields& sizes, Architecture& architecture) {
  constexpr int limit = 1 << 20;
  constexpr int most = 1 << 10;
  architecture.n_layers = sizes.whole("layers", architecture.n_layers, 1, most);
  architecture.d_model = sizes.whole("d_model", architecture.d_model, 1, limit);
  architecture.n_heads = sizes.whole("heads", architecture.n_heads, 1, most);
  architecture.d_head = sizes.whole("d_head", architecture.head_width(no_layer), 1, limit);
  architecture.d_value = sizes.whole("d_value", *architecture.d_head, 1, limit);
  architecture.d_ff = sizes.whole("d_ff", architecture.d_ff, 0, limit);
  sizes.reject_unread_fields();
}

/// Adds a session made from settings. It has the sizes of a model that is only counted.
void add_case(std::string name, const Json& settings, WorkedExample& example) {
  Json whole = settings;
  whole.erase("sizes");
  reject_unread_settings(whole);
  whole["version"] = 1;
  ExampleCase added{std::move(name), session_from_json(json_text(whole)).value()};
  added.session.textbook = example.name;
  if (const auto sizes = settings.find("sizes"); sizes != settings.end()) {
    example.counts_only = true;
    read_sizes(JsonFields(*sizes, "sizes."), added.session.architecture);
  }
  example.cases.push_back(std::move(added));
}

/// Calls `take` with the fields of each object of a list.
template <class Take>
void for_each_in(const std::string& key, const Json& list, const Take& take) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const JsonFields each(list[i], key + "[" + std::to_string(i) + "].");
    take(each);
    each.reject_unread_fields();
  }
}

void read_cases(const JsonFields& fields, std::size_t file_size, WorkedExample& example) {
  const Json base = fields.object("session");
  const Json cases = fields.list("cases");
  example.counts_only = fields.flag("counted");
  if (cases.empty()) return add_case("", base, example);
  if (cases.size() > max_cases || cases.size() * file_size > max_case_bytes)
    fields.reject("there are " + std::to_string(cases.size()) +
                  " cases, more than a worked example may have: split it into several files");
  for_each_in("cases", cases, [&](const JsonFields& each) {
    Json settings = base;
    settings.merge_patch(each.object("changes"));
    const std::string name = each.text("name");
    if (std::ranges::find(example.cases, name, &ExampleCase::name) != example.cases.end())
      each.reject(each.name("name") + " is “" + name +
                  "”, but an earlier case has this name: choose another");
    add_case(name, settings, example);
  });
}

std::size_t case_named(const std::string& name, const JsonFields& fields, const WorkedExample& example) {
  const auto found = std::ranges::find(example.cases, name, &ExampleCase::name);
  if (found != example.cases.end()) return static_cast<std::size_t>(found - example.cases.begin());
  fields.reject("there is no case “" + name + "”");
}

Quantity quantity_of(const JsonFields& fields, const WorkedExample& example) {
  Quantity quantity;
  quantity.name = fields.text("name");
  quantity.title = fields.text("title");
  for (const std::string& name : fields.texts("case"))
    quantity.cases.push_back(case_named(name, fields, example));
  if (quantity.cases.empty()) quantity.cases.push_back(0);
  quantity.origin = read_origin(fields, example.cases[quantity.cases.front()].session.selection);
  quantity.rows = fields.indices("rows");
  quantity.cols = fields.indices("columns");
  const std::vector<std::string> names = fields.texts("then");
  if (names.size() > max_reductions)
    fields.reject(fields.name("then") + " has more than " + std::to_string(max_reductions) + " reductions");
  for (const std::string& name : names) {
    const auto found = std::ranges::find(reductions(), name, &Reduction::name);
    if (found == reductions().end())
      fields.reject("there is no reduction “" + name + "”: there are " +
                    join_texts(reductions(), ", ", &Reduction::name));
    quantity.then.push_back(&*found);
  }
  quantity.times = fields.number("times", 1.0);
  quantity.digits = fields.whole("digits", quantity.digits, 0, max_digits);
  quantity.reason = fields.text("reason", "");
  if (const Json* printed = fields.find("printed")) {
    quantity.printed = table_of(*printed);
    if (!quantity.printed)
      fields.reject(fields.name("printed") + " is " + shown(*printed) + ", but must be rows of numbers");
  }
  return quantity;
}

void read_quantities(const JsonFields& fields, WorkedExample& example) {
  const Json list = fields.list("quantities");
  if (list.empty()) fields.reject("quantities is empty");
  if (list.size() > max_quantities)
    fields.reject("there are " + std::to_string(list.size()) +
                  " quantities, but a worked example may have at most " + std::to_string(max_quantities));
  for_each_in("quantities", list,
              [&](const JsonFields& each) { example.quantities.push_back(quantity_of(each, example)); });
}

/// Reads one example. Throws its first error.
WorkedExample example_of(const Json& json, const EmbeddedFile& file) {
  const JsonFields fields(json, "");
  if (fields.whole("version", 0, example_version, example_version) != example_version)
    fields.reject("version must be " + std::to_string(example_version));
  WorkedExample example;
  example.name = file.name;
  example.author = fields.text("author");
  example.title = fields.text("title");
  example.where = fields.text("where");
  example.heading = fields.text("heading");
  example.shows = fields.text("shows");
  example.note = fields.text("note", "");
  example.lesson = fields.text("lesson", "");
  example.impossible = fields.text("impossible", "");
  if (example.impossible.empty()) {
    read_cases(fields, file.text.size(), example);
    read_quantities(fields, example);
    for_each_in("left_out", fields.list("left_out"), [&](const JsonFields& each) {
      example.left_out.push_back({each.text("name"), each.text("why")});
    });
    fields.reject_unread_fields();
  }
  check_size(example);
  return example;
}

}  // namespace

const std::vector<WorkedExample>& worked_examples() {
  static const std::vector<WorkedExample> all = [] {
    std::vector<WorkedExample> read;
    read.reserve(example_files().size());
    for (const EmbeddedFile& file : example_files()) {
      if (auto example = read_example(file)) read.push_back(std::move(*example));
    }
    std::ranges::stable_sort(read, {}, place_of_source);
    return read;
  }();
  return all;
}

const WorkedExample* worked_example(std::string_view name) {
  const auto& all = worked_examples();
  const auto found = std::ranges::find(all, name, &WorkedExample::name);
  return found == all.end() ? nullptr : &*found;
}

Result<WorkedExample> read_example(const EmbeddedFile& file) {
  return result_of("cannot read the worked example “" + std::string(file.name) + "”: ",
                   [&] { return example_of(parse_json(file.text).value(), file); });
}

}  // namespace headscope
