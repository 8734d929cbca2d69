#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
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
#include "core/page/page_record.h"
#include "core/page/pages.h"
#include "core/system/process.h"
#include "core/trace/explain.h"
#include "core/trace/guess.h"
#include "core/trace/lens_names.h"

/// The module headscope._core: what the command line does, in this process, for the classes beside it.
namespace headscope {
namespace {

namespace py = pybind11;
using Words = std::vector<std::string>;
using WithoutLock = py::call_guard<py::gil_scoped_release>;

/// Names options as Python names arguments, `score_scale` for `--score-scale`, but keeps what is in quotes.
std::string with_arguments(std::string_view message) {
  const auto is_in_name = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  std::string text;
  bool is_quoted = false, is_name = false;
  for (char before = ' '; !message.empty(); before = message.front(), message.remove_prefix(1)) {
    if (message.starts_with("“") || message.starts_with("”")) is_quoted = message.starts_with("“");
    const bool begins = !is_quoted && before == ' ' && message.starts_with("--");
    if (begins) message.remove_prefix(2);
    is_name = begins || (is_name && is_in_name(message.front()));
    text += is_name && message.front() == '-' ? '_' : message.front();
  }
  return text;
}

/// An Error is a ValueError if other arguments would help, and otherwise a RuntimeError.
void translate_error(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(std::move(thrown));
  } catch (const tl::bad_expected_access<Error>& failed) {
    PyErr_SetString(failed.error().kind == Error::Kind::usage ? PyExc_ValueError : PyExc_RuntimeError,
                    with_arguments(failed.error().message).c_str());
  }
}

/// A session with the passes of its subjects, from which everything else is made.
struct Pass {
  Session session;
  std::vector<std::shared_ptr<const Trace>> passes;

  const Trace& trace() const { return *passes.front(); }
  PageInputs inputs() const { return inputs_of(session, passes); }
};

/// What the words of `headscope render` describe, as changes of `base` if there is one.
std::pair<CommandOptions, Session> parse_command(Words words, const Session* base,
                                                 const std::string& out = "figure.svg") {
  words.push_back("--out=" + out);
  CommandOptions options = render_options(std::move(words)).value();
  ResourceLoader loader = files();
  const bool has_base = base != nullptr && !options.scene;
  if (has_base) {
    options.scene = "the session";
    loader.scene = [base](const std::string&) -> Result<Session> { return *base; };
  }
  Session session = figure_session(options, loader).value();
  if (has_base) options.scene.reset();
  return {std::move(options), std::move(session)};
}

/// The passes of a session: those of `known` if it requests the same.
Pass compute(const Session& session, const Pass* known = nullptr) {
  const auto requests = [](const Session& all) {
    std::vector<Request> each;
    for (const Session& subject : subjects_of(all)) each.push_back(request_of(subject));
    return each;
  };
  const bool is_known = known != nullptr && requests(session) == requests(known->session);
  return {session, is_known ? known->passes : compute_passes(session).value()};
}

/// The stage with a path or a name of TransformerLens, which the pass must have.
StageId find_stage(const Pass& pass, const std::string& name) {
  CommandOptions options;
  options.values[setting("selection.stage").option] = {name};
  const auto id = result_of([&] { return stage_id_of(options, pass.session); });
  if (!id) throw py::key_error(with_arguments(id.error().message));
  if (const auto there = check_stage(pass.trace(), *id); !there)
    throw py::key_error(with_arguments(there.error().message));
  return *id;
}

/// The numbers of a stage, as a read-only view into the pass, which it keeps alive.
py::array array_of(const py::object& self, const std::string& name) {
  const auto& pass = self.cast<const Pass&>();
  const MatrixView view = [&] {
    const py::gil_scoped_release unlocked;
    const MatrixView numbers = pass.trace().value(find_stage(pass, name));
    ensure(pass.trace().check_files());
    return numbers;
  }();
  constexpr auto size = static_cast<py::ssize_t>(sizeof(float));
  py::array array(py::dtype::of<float>(), {view.rows, view.cols}, {view.stride * size, size}, view.data,
                  self);
  array.attr("setflags")(py::arg("write") = false);
  return array;
}

Words stage_names(const Pass& pass) {
  Words names;
  for (const StageId& id : pass.trace().stages()) names.push_back(path(id));
  return names;
}

/// The tensors of TransformerLens: their names, where their axis of heads is, the path of the stage of head
/// 0, and what their numbers are multiplied by.
auto lens_names(const Pass& pass) {
  const auto factor = static_cast<float>(pass.trace().architecture().embedding_factor());
  std::vector<std::tuple<std::string, int, std::string, float>> names;
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
  const StageId id = find_stage(pass, name);
  const auto along = [&](Axis axis, int n) {
    Words labels;
    for (int i = 0; i < n; ++i) labels.push_back(pass.trace().full_label(id, axis, i));
    return labels;
  };
  const Extent extent = pass.trace().extent(id);
  return {along(info(id.kind).rows, extent.rows), along(info(id.kind).cols, extent.cols)};
}

/// The fields of the class Explanation in Python.
using Explained = std::tuple<std::string, int, int, std::string, std::string, double, double,
                             std::vector<std::tuple<std::string, double, std::string>>,
                             std::vector<std::tuple<std::string, std::vector<float>, Words>>, std::string>;

Explained explained(const Pass& pass, const std::string& name, const std::string& row,
                    const std::string& column) {
  const StageId id = find_stage(pass, name);
  CommandOptions options;
  options.values["--row"] = {row};
  options.values["--column"] = {column};
  const int r = row_of(options, pass.session, id);
  const int c = column_of(options, pass.session, id);
  const Explanation found = explain(pass.trace(), id, r, c).value();
  ensure(pass.trace().check_files());
  Explained fields(path(found.stage), found.row, found.col, found.headline, found.formula, found.value,
                   found.stored, {}, {}, to_text(found) + notes_on_row(pass.trace(), found.stage, r));
  for (const auto& step : found.steps) std::get<7>(fields).emplace_back(step.label, step.value, step.note);
  for (const auto& strip : found.strips)
    std::get<8>(fields).emplace_back(strip.label, strip.values, strip.names);
  return fields;
}

/// The tables of a page: their names, columns and rows.
auto tables_of(const Pass& pass, const std::string& page) {
  const PageInputs in = pass.inputs();
  const auto tables = numbers_of_page(in, choice<PageName>("--page", page_name_of(page)).value()).value();
  ensure(in.check_files());
  std::vector<std::tuple<std::string, Words, std::vector<std::vector<TableCell>>>> found;
  for (const DataTable& table : tables) found.emplace_back(table.name, table.columns, table.rows);
  return found;
}

/// The logit difference of A and of B, its two words, its row, and what it is after one part of A at a time
/// is patched into B: the kind of the part, its layer, its head and its token, −1 for all, and the
/// difference.
using PatchEffects = std::tuple<double, double, std::pair<std::string, std::string>, int,
                                std::vector<std::tuple<std::string, int, int, int, double>>>;

/// Without a name, a word is the likeliest one.
PatchEffects patched(const Pass& pass, const std::optional<std::string>& word,
                     const std::optional<std::string>& other) {
  const Trace& b = pass.trace();
  const Trace& a = *pass.passes.at(1);
  for (const Trace* trace : {&a, &b}) ensure(check_stage(*trace, logits_stage));
  if (const std::string why = why_not_patched(a, b); !why.empty()) throw py::value_error(why);
  const auto explained_in_b = explained_prediction(pass.inputs());
  if (!explained_in_b) throw std::runtime_error("this model predicts no words");
  const int row = explained_in_b->row;
  const auto find = [&](const Trace& trace, const std::optional<std::string>& name) {
    if (!name) return likeliest_word(trace, row);
    return index_along("--word", name, pass.session, logits_stage, Axis::vocabulary);
  };
  // The difference is positive where A's answer is expected.
  const LogitDifference asked{row, find(a, word), find(b, other)};
  const auto text = [&](int index) { return b.full_label(logits_stage, Axis::vocabulary, index); };
  if (asked.word == asked.other)
    throw py::value_error("both A and B give “" + text(asked.word) + "”, so nothing differs");
  const PatchMap map = patch_map(a, b, asked).finish();
  PatchEffects found(map.of_a, map.of_b, {text(asked.word), text(asked.other)}, row, {});
  for (const auto* parts : {&map.parts, &map.head_rows, &map.feed_forward_rows, &map.layer_rows}) {
    for (const auto& [part, token, difference] : *parts) {
      const bool is_head = part.kind == ModelPart::Kind::head;
      const char* const kind = is_head                               ? "head"
                               : part.kind == ModelPart::Kind::layer ? "layer"
                                                                     : "feed_forward";
      std::get<4>(found).emplace_back(kind, part.place.layer, is_head ? part.place.head : -1,
                                      token.value_or(-1), difference);
    }
  }
  return found;
}

/// Writes the figure of the session as the words change it. Returns what there is to say about it.
Remarks write_figure(const Pass& pass, Words words, const std::string& out) {
  auto [options, session] = parse_command(std::move(words), &pass.session, out);
  select_default_row(options, session);
  const PageInputs in = compute(session, &pass).inputs();
  return write_output({&in, 1}, figure_output(options, session));
}

void save(const Pass& pass, const std::string& out, bool with_lens_names) {
  const auto parameters =
      with_lens_names ? TracedParameters::left_out : default_parameters(pass.session.model);
  const auto names = with_lens_names ? TensorNames::transformer_lens : TensorNames::headscope;
  ensure(write_trace(pass.trace(), out, to_json(pass.session), parameters, names));
}

void save_scene(const Pass& pass, const std::string& file, Words words) {
  ensure(write_scene(file,
                     words.empty() ? pass.session : parse_command(std::move(words), &pass.session).second));
}

}  // namespace
}  // namespace headscope

PYBIND11_MODULE(_core, module) {
  using namespace headscope;
  py::register_local_exception_translator(&translate_error);
  module.def("window_socket", [] { return window_socket_path().string(); });
  py::class_<Session, std::shared_ptr<Session>>(module, "Session")
      .def(py::init([](Words words, const Session* base) {
             return std::make_shared<Session>(parse_command(std::move(words), base).second);
           }),
           WithoutLock())
      .def(
          "compute", [](const Session& session) { return compute(session); }, WithoutLock());
  py::class_<Pass, std::shared_ptr<Pass>>(module, "Pass")
      .def("array", &array_of)
      .def("names", &stage_names, WithoutLock())
      .def("lens_names", &lens_names, WithoutLock())
      .def("tokens", &tokens_of, WithoutLock())
      .def("labels", &labels_of, WithoutLock())
      .def("explain", &explained, WithoutLock())
      .def("tables", &tables_of, WithoutLock())
      .def("patch", &patched, WithoutLock())
      .def("write_figure", &write_figure, WithoutLock())
      .def("save", &save, WithoutLock())
      .def("save_scene", &save_scene, WithoutLock());
}
