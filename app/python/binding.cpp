#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/figure_output.h"
#include "app/cli/figure_session.h"
#include "app/cli/option_values.h"
#include "app/cli/run_command_line.h"
#include "app/cli/stage_options.h"
#include "core/checkpoint/saved_session.h"
#include "core/engine/export.h"
#include "core/engine/part_effects.h"
#include "core/page/figure_file.h"
#include "core/page/page_numbers.h"
#include "core/page/pages.h"
#include "core/paint/font_faces.h"
#include "core/system/process.h"
#include "core/trace/explain.h"
#include "core/trace/guess.h"
#include "core/trace/lens_names.h"

/// The module headscope._core: what the command line does, in this process. The classes that people use are
/// in the Python files beside it, and what is described there is not described here again.
namespace headscope {
namespace {

namespace py = pybind11;
using Words = std::vector<std::string>;
using WithoutLock = py::call_guard<py::gil_scoped_release>;

/// Raises a Python exception: a ValueError if other arguments would help.
[[noreturn]] void raise(const Error& error) {
  if (error.kind == Error::Kind::usage) throw py::value_error(error.message);
  throw std::runtime_error(error.message);
}

void require(const Result<void>& done) {
  if (!done) raise(done.error());
}

template <class Value>
Value value_or_raise(Result<Value> value) {
  if (!value) raise(value.error());
  return std::move(*value);
}

/// A session with the passes of its subjects, from which everything else is made.
struct Pass {
  Session session;
  std::vector<std::shared_ptr<const Trace>> passes;

  const Trace& trace() const { return *passes.front(); }
  PageInputs inputs() const { return inputs_of(session, passes); }
};

struct ParsedCommand {
  CommandOptions options;
  Session session;
};

/// What the words of `headscope render` describe, as changes of `base` if there is one. `extension` is that
/// of a figure.
ParsedCommand parse_command(Words words, const Session* base, const std::string& extension = ".svg") {
  words.push_back("--out=figure" + extension);
  CommandOptions options = value_or_raise(render_options(std::move(words)));
  ResourceLoader loader = files();
  const bool has_base = base != nullptr && !options.scene;
  if (has_base) {
    options.scene = "the session";
    loader.scene = [base](const std::string&) -> Result<Session> { return *base; };
  }
  Session session = value_or_raise(figure_session(options, loader));
  if (has_base) options.scene.reset();
  return {std::move(options), std::move(session)};
}

/// The passes of a session, reusing those of `known` for the same requests.
Pass compute(const Session& session, const Pass* known = nullptr) {
  Pass pass{session, {}};
  if (known != nullptr) {
    const std::vector<Session> before = subjects_of(known->session);
    for (const Session& subject : subjects_of(session)) {
      const auto same = std::ranges::find_if(
          before, [&](const Session& each) { return request_of(each) == request_of(subject); });
      if (same != before.end())
        pass.passes.push_back(known->passes[static_cast<std::size_t>(same - before.begin())]);
    }
    if (pass.passes.size() == session.compared.size() + 1) return pass;
  }
  pass.passes = value_or_raise(compute_passes(session));
  return pass;
}

/// The stage with a path or a name of TransformerLens, which the pass must have.
StageId find_stage(const Pass& pass, const std::string& name) {
  CommandOptions options;
  options.values[setting("selection.stage").option] = {name};
  const auto id = stage_id_of(options, pass.session);
  if (!id) throw py::key_error(id.error().message);
  if (const auto there = check_stage(pass.trace(), *id); !there) throw py::key_error(there.error().message);
  return *id;
}

/// The numbers of a stage, which stay valid as long as the pass.
MatrixView numbers_of(const Pass& pass, const std::string& name) {
  const py::gil_scoped_release unlocked;
  const MatrixView view = pass.trace().value(find_stage(pass, name));
  require(pass.trace().check_files());
  return view;
}

/// A read-only view into the pass, which it keeps alive.
py::array array_view(const py::object& pass, std::vector<py::ssize_t> shape, std::vector<py::ssize_t> strides,
                     const float* data) {
  for (py::ssize_t& stride : strides) stride *= static_cast<py::ssize_t>(sizeof(float));
  py::array array(py::dtype::of<float>(), std::move(shape), std::move(strides), data, pass);
  array.attr("setflags")(py::arg("write") = false);
  return array;
}

py::array array_of(const py::object& self, const std::string& name) {
  const MatrixView view = numbers_of(self.cast<const Pass&>(), name);
  return array_view(self, {view.rows, view.cols}, {view.stride, 1}, view.data);
}

/// The stages of several heads as one array [heads, rows, columns]. None if they do not lie at equal
/// distances.
py::object stack_of(const py::object& self, const Words& names) {
  std::vector<MatrixView> views;
  for (const std::string& name : names) views.push_back(numbers_of(self.cast<const Pass&>(), name));
  if (views.empty()) raise({Error::Kind::usage, "there are no stages to stack"});
  const MatrixView& first = views.front();
  const auto address = [](const MatrixView& view) { return reinterpret_cast<std::uintptr_t>(view.data); };
  const std::uintptr_t step = views.size() > 1 ? address(views[1]) - address(first) : 0;
  // Matrices that lie in one array are its columns, or follow one another. Others may have equal distances by
  // chance.
  const auto size = [](std::ptrdiff_t numbers) {
    return static_cast<std::uintptr_t>(numbers) * sizeof(float);
  };
  const bool are_columns =
      step == size(first.cols) && first.stride >= static_cast<std::ptrdiff_t>(views.size()) * first.cols;
  if (views.size() > 1 && !are_columns && step != size(std::ptrdiff_t{first.rows} * first.stride))
    return py::none();
  for (std::size_t i = 0; i < views.size(); ++i) {
    const bool is_even = address(views[i]) == address(first) + i * step && views[i].stride == first.stride &&
                         views[i].rows == first.rows && views[i].cols == first.cols;
    if (!is_even) return py::none();
  }
  return array_view(self, {static_cast<py::ssize_t>(views.size()), first.rows, first.cols},
                    {static_cast<py::ssize_t>(step / sizeof(float)), first.stride, 1}, first.data);
}

Words stage_names(const Pass& pass) {
  Words names;
  for (const StageId& id : pass.trace().stages()) names.push_back(path(id));
  return names;
}

/// A tensor of TransformerLens: its name, where its axis of heads is, the path of the stage of head 0, and
/// what its numbers are multiplied by.
using LensName = std::tuple<std::string, int, std::string, float>;

std::vector<LensName> lens_names(const Pass& pass) {
  const auto factor = static_cast<float>(pass.trace().architecture().embedding_factor());
  std::vector<LensName> names;
  for (const LensTensor& tensor : lens_tensors(pass.trace(), true))
    names.emplace_back(tensor.name, static_cast<int>(tensor.heads), path(tensor.stage),
                       tensor.stage.kind == StageKind::embedding_table ? factor : 1.0F);
  return names;
}

/// The texts of the tokens of the queries of the last stack, or of the keys of the model's source.
Words tokens_of(const Pass& pass, bool is_source) {
  const Trace& trace = pass.trace();
  Words texts;
  for (const Token& token : is_source ? trace.tokens() : trace.tokens(trace.architecture().last_stack()))
    texts.push_back(token.text);
  return texts;
}

std::pair<Words, Words> labels_of(const Pass& pass, const std::string& name) {
  const Trace& trace = pass.trace();
  const StageId id = find_stage(pass, name);
  const Extent extent = trace.extent(id);
  std::pair<Words, Words> labels;
  for (int row = 0; row < extent.rows; ++row)
    labels.first.push_back(trace.full_label(id, info(id.kind).rows, row));
  for (int column = 0; column < extent.cols; ++column)
    labels.second.push_back(trace.full_label(id, info(id.kind).cols, column));
  return labels;
}

py::dict explained(const Pass& pass, const std::string& name, const std::string& row,
                   const std::string& column) {
  const StageId id = find_stage(pass, name);
  CommandOptions options;
  options.values["--row"] = {row};
  options.values["--column"] = {column};
  const int r = value_or_raise(row_of(options, pass.session, id));
  const int c = value_or_raise(column_of(options, pass.session, id));
  const Explanation found = [&] {
    const py::gil_scoped_release unlocked;
    Explanation explanation = value_or_raise(explain(pass.trace(), id, r, c));
    require(pass.trace().check_files());
    return explanation;
  }();
  py::list steps, strips;
  for (const Explanation::Step& step : found.steps)
    steps.append(py::make_tuple(step.label, step.value, step.note));
  for (const Explanation::Strip& strip : found.strips)
    strips.append(py::make_tuple(strip.label, strip.values, strip.names));
  using py::literals::operator""_a;
  return py::dict("stage"_a = path(found.stage), "row"_a = found.row, "column"_a = found.col,
                  "headline"_a = found.headline, "formula"_a = found.formula, "value"_a = found.value,
                  "stored"_a = found.stored, "steps"_a = steps, "strips"_a = strips,
                  "text"_a = to_text(found) + notes_on_row(pass.trace(), found.stage, r));
}

/// A column of a table with its cells.
using Columns = std::vector<std::pair<std::string, std::vector<TableCell>>>;

std::map<std::string, Columns> tables_of(const Pass& pass, const std::string& page) {
  const auto name = value_or_raise(choice<PageName>("--page", page));
  const PageInputs in = pass.inputs();
  const auto tables = value_or_raise(numbers_of_page(in, name));
  require(in.check_files());
  std::map<std::string, Columns> found;
  for (const DataTable& table : tables) {
    Columns& columns = found[table.name];
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      columns.emplace_back(table.columns[i], std::vector<TableCell>());
      for (const std::vector<TableCell>& row : table.rows) columns.back().second.push_back(row[i]);
    }
  }
  return found;
}

/// The logit difference after patching one part of A at a time into B: that of A, that of B, the two words,
/// the row, and for each part its kind, its layer, its head and the position of its token, −1 for all, and
/// the difference.
using PatchEffects = std::tuple<double, double, std::string, std::string, int,
                                std::vector<std::tuple<std::string, int, int, int, double>>>;

/// A word of the logits. Without a name, the likeliest one.
int find_word(const Pass& pass, const Trace& trace, int row, const std::optional<std::string>& name) {
  const StageId logits{.kind = StageKind::logits};
  return name ? value_or_raise(index_along("--word", name, pass.session, logits, Axis::vocabulary))
              : likeliest_word(trace, row);
}

PatchEffects patched(const Pass& pass, const std::optional<std::string>& word,
                     const std::optional<std::string>& other) {
  const StageId logits{.kind = StageKind::logits};
  const Trace& b = pass.trace();
  const Trace& a = *pass.passes.at(1);
  for (const Trace* trace : {&a, &b}) require(check_stage(*trace, logits));
  const auto explained_in_b = explained_prediction(pass.inputs());
  if (!explained_in_b) raise({Error::Kind::failure, "this model predicts no words"});
  const int row = explained_in_b->row;
  if (row >= a.extent(logits).rows)
    raise({Error::Kind::usage, "the text of A has no such token: compare texts of one length"});
  // The difference is positive where A's answer is expected.
  const LogitDifference asked{row, find_word(pass, a, row, word), find_word(pass, b, row, other)};
  const std::string names[] = {b.full_label(logits, Axis::vocabulary, asked.word),
                               b.full_label(logits, Axis::vocabulary, asked.other)};
  if (asked.word == asked.other)
    raise({Error::Kind::usage,
           "both A and B give “" + names[0] + "”, and a word has no difference from itself"});
  const PatchMap map = patch_map(a, b, asked).finish();
  if (!map.absent.empty()) raise({Error::Kind::failure, map.absent});
  PatchEffects found(map.of_a, map.of_b, names[0], names[1], row, {});
  for (const auto* parts : {&map.parts, &map.head_rows, &map.feed_forward_rows, &map.layer_rows}) {
    for (const PatchedPart& part : *parts) {
      using Kind = ModelPart::Kind;
      const Kind kind = part.part.kind;
      std::get<5>(found).emplace_back(kind == Kind::head    ? "head"
                                      : kind == Kind::layer ? "layer"
                                                            : "feed_forward",
                                      part.part.place.layer, kind == Kind::head ? part.part.place.head : -1,
                                      part.token.value_or(-1), part.difference);
    }
  }
  return found;
}

/// The bytes of a figure of the session as the words change it: .png, .svg, .pdf or .html.
std::string figure_of_words(const Pass& pass, Words words, const std::string& extension) {
  const auto [options, session] = parse_command(std::move(words), &pass.session, extension);
  const FigureOutput output = value_or_raise(figure_output(options, session));
  const PageInputs in = compute(session, &pass).inputs();
  if (output.type == FileType::html) return value_or_raise(web_page(in, output.size));
  const auto fonts = value_or_raise(FontFaces::open_installed());
  const Figure figure = value_or_raise(figure_of(in, output.size, measure_with(fonts)));
  return value_or_raise(figure_bytes(figure, output.type, output.size, *fonts, metadata_of(in, output.size)));
}

void save(const Pass& pass, const std::string& out, bool with_lens_names) {
  require(write_trace(pass.trace(), out, to_json(pass.session),
                      with_lens_names ? TracedParameters::left_out : default_parameters(pass.session.model),
                      with_lens_names ? TensorNames::transformer_lens : TensorNames::headscope));
}

}  // namespace
}  // namespace headscope

PYBIND11_MODULE(_core, module) {
  using namespace headscope;
  module.def("window_socket", [] { return window_socket_path().string(); });
  py::class_<Session, std::shared_ptr<Session>>(module, "Session")
      .def(py::init([](Words words, const Session* base) {
             return std::make_shared<Session>(parse_command(std::move(words), base).session);
           }),
           WithoutLock())
      .def(
          "compute", [](const Session& session) { return compute(session); }, WithoutLock());
  py::class_<Pass, std::shared_ptr<Pass>>(module, "Pass")
      .def("array", &array_of)
      .def("stack", &stack_of)
      .def("path", [](const Pass& pass, const std::string& name) { return path(find_stage(pass, name)); })
      .def("names", &stage_names, WithoutLock())
      .def("lens_names", &lens_names, WithoutLock())
      .def("tokens", &tokens_of, WithoutLock())
      .def("labels", &labels_of, WithoutLock())
      .def("explain", &explained)
      .def("tables", &tables_of, WithoutLock())
      .def("patch", &patched, WithoutLock())
      .def("figure",
           [](const Pass& pass, Words words, const std::string& extension) {
             std::string bytes;
             {
               const py::gil_scoped_release unlocked;
               bytes = figure_of_words(pass, std::move(words), extension);
             }
             return py::bytes(bytes);
           })
      .def("save", &save, WithoutLock())
      .def(
          "save_scene",
          [](const Pass& pass, const std::string& file, Words words) {
            const Session shown =
                words.empty() ? pass.session : parse_command(std::move(words), &pass.session).session;
            require(write_scene(file, shown));
          },
          WithoutLock());
}
