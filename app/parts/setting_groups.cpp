#include "app/parts/setting_groups.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "app/parts/intervention_controls.h"
#include "app/parts/page_part.h"
#include "app/widgets/controls.h"
#include "app/widgets/slider.h"
#include "app/widgets/text.h"
#include "core/engine/opening.h"
#include "core/page/page_record.h"
#include "core/page/pages.h"
#include "core/page/parts/covered.h"
#include "core/session/settings.h"
#include "core/text/number_text.h"

namespace headscope {
namespace {

void axis_notice(Frame& frame) {
  const bool over_queries = frame.session.attention.softmax == SoftmaxAxis::queries;
  if (!over_queries || frame.session.architecture.linear_attention) return;
  notice(
      frame.ui,
      "A common mistake: now columns sum to 1, and rows need not. Outputs are no longer averages of values.",
      NoticeKind::warning);
}

void with_and_without_scale(Frame& frame) {
  if (!frame.session.attention.scale) return;
  compare_link(frame, "Compare with and without scaling",
               "Shows the same without scaling, as A, beside what you see", unscaled_variant);
}

/// The items of a group with the settings whose records name it, which follow the item of another setting.
std::vector<PanelItem> with_own_settings(std::string_view group, std::span<const PanelItem> items,
                                         SettingKey before) {
  std::vector<PanelItem> all(items.begin(), items.end());
  auto place = std::ranges::find(all, before.record, &PanelItem::setting) + 1;
  for (const Setting& own : all_settings)
    if (own.control.panel == group) place = all.insert(place, {&own}) + 1;
  return all;
}

constexpr std::array attention_panel{
    item("attention.scale"),          PanelItem{nullptr, with_and_without_scale, "compare without scaling"},
    item("architecture.score_scale"), item("architecture.d_head"),
    item("architecture.d_value"),     item("architecture.kv_heads"),
    item("architecture.kv_latent"),   item("architecture.linear_attention"),
    item("architecture.softcap"),     item("attention.softmax"),
    PanelItem{nullptr, axis_notice},  item("attention.train"),
    item("attention.dropout"),        item("attention.dropout_seed"),
};

std::string scale_summary(const Session& session) {
  if (!session.attention.scale) return "not scaled";
  const float own = session.architecture.score_scale;
  return own > 0.0F ? "scaled by " + number_text(static_cast<double>(own)) : "scaled by 1/√d_head";
}

/// States the size of the model, so that the user knows it before waiting for it.
void size_line(Frame& frame) {
  const Architecture& a = frame.session.architecture;
  if (!validate(a)) return;
  constexpr double million = 1e6;
  constexpr double bytes_in_megabyte = 1e6;
  const double parameters = count_parameters(a);
  const std::string count = parameters < million ? grouped(static_cast<long long>(parameters))
                                                 : number_text(parameters / million, 3) + " million";
  paragraph(frame.ui, count + " parameters besides the word tables, taking " +
                          number_text(model_bytes(a) / bytes_in_megabyte, 3) + " MB");
}

/// Lists the output words if they differ from the words of the sentences.
void output_words(Frame& frame) {
  const Session& session = frame.session;
  const bool listed = session.architecture.output_layer != OutputLayer::none && !session.model &&
                      session.tokenizer == TokenizerKind::word && !session.output_words.empty();
  if (!listed) return;
  paragraph(frame.ui, "Output words: " + session.output_words);
  if (link(frame.ui, "use the sentences' words##output words", "Predict the words of the sentences instead"))
    frame.emit(set_to("output_words", ""));
}

constexpr std::array layer_panel{
    item("architecture.stacks"),
    item("architecture.residual"),
    item("architecture.norm"),
    item("architecture.norm_kind"),
    item("architecture.norm_epsilon"),
    item("architecture.d_ff"),
    item("architecture.activation"),
    item("architecture.gated"),
    item("architecture.bias.feed_forward"),
    item("architecture.block"),
    item("architecture.sliding_window"),
    item("architecture.global_every"),
    item("architecture.output_layer"),
    item("architecture.output_bias"),
    item("architecture.logit_softcap"),
    item("output_words", output_words, "Output words"),
    PanelItem{nullptr, size_line},
};

std::string norm_summary(const Architecture& a) {
  constexpr auto places = make_enum_table<Norm, std::string_view>(
      "no norm", "pre-norm", "post-norm", "norms of outputs", "norms before and after");
  const std::string place(places[index_of(a.norm)]);
  return a.norm == Norm::none || a.norm_kind == NormKind::layer ? place : place + " (RMS)";
}

std::string activation_summary(const Architecture& a) {
  constexpr auto plain = make_enum_table<Activation, std::string_view>("ReLU", "GELU", "GELU", "SiLU");
  constexpr auto gated = make_enum_table<Activation, std::string_view>("ReGLU", "GEGLU", "GEGLU", "SwiGLU");
  return std::string((a.gated ? gated : plain)[index_of(a.activation)]);
}

void new_seed(Frame& frame) {
  if (link(frame.ui, "new seed", "Draw new random weights", text_size::control, ButtonStyle::quiet))
    frame.emit(CommandId::new_seed);
}

/// The switches for the biases of attention's four projections, side by side.
void biases(Frame& frame) {
  constexpr std::array all{&setting("architecture.bias.query"), &setting("architecture.bias.key"),
                           &setting("architecture.bias.value"), &setting("architecture.bias.output")};
  constexpr float widest_button = 28.0F;
  constexpr float word = 48.0F;
  const Ui& ui = frame.ui;
  const float gap = ui.px(4.0F);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float room = ImGui::GetContentRegionAvail().x;
  const auto n = static_cast<float>(all.size());
  const float each = std::clamp((room - ui.px(word) - gap * (n - 1.0F)) / n, 1.0F, ui.px(widest_button));
  const float width = each * n + gap * (n - 1.0F);
  ImGui::SetCursorScreenPos({corner.x, corner.y + ui.px(6.0F)});
  text(frame.ui, "biases", Font::sans, text_size::body, ui.theme().text);
  ImGui::SetCursorScreenPos({corner.x + room - width, corner.y});
  for (const Setting* const bias : all) {
    const bool on = std::get<field::Flag>(bias->field).value.read(frame.session);
    const ButtonStyle look = on ? ButtonStyle::plain : ButtonStyle::quiet;
    if (button(frame.ui, bias->control.label.data(), bias->sentence, "", look, each))
      change_setting(frame, *bias, !on);
    if (bias != all.back()) ImGui::SameLine(0.0F, gap);
  }
}

constexpr std::array architecture_panel{
    item("architecture.init"),
    item("architecture.seed"),
    PanelItem{nullptr, new_seed, "new seed"},
    item("architecture.bias.query", biases, "biases Q K V O"),
    item("architecture.output_projection"),
};

/// Draws the slider for the share of each row that is drawn. Only the page with lines uses it.
void share_of_row(Frame& frame) {
  if (frame.session.view != PageName::lines) return;
  setting_control(frame, "lines.share");
}

constexpr std::array picture_panel{
    item("picture.details"),  item("picture.all_numbers"),    item("picture.numbers"),
    item("picture.range"),    item("picture.fixed_high"),     item("picture.transfer"),
    item("picture.gamma"),    item("picture.sequential"),     item("picture.diverging"),
    item("picture.surprise"), item("picture.line_threshold"), item("lines.share", share_of_row),
};

/// The choices for the cells that are covered.
enum class Covered { all, half, chessboard, chosen };

Covered covered_cells(const Cover& cover) {
  const bool has_list = !cover.rows.empty() || !cover.columns.empty() || !cover.cells.empty();
  if (cover.all && !has_list) return Covered::all;
  if (cover.share > 0.0F && cover.every == 0 && !has_list) return Covered::half;
  return cover.every == 2 && !has_list ? Covered::chessboard : Covered::chosen;
}

/// A cover of the same stage by another rule. Chosen cells start as those of the current rule.
Cover covered_by(const Cover& before, Covered which) {
  if (which == Covered::chosen) return before;
  Cover cover;
  cover.stage = before.stage;
  cover.all = which == Covered::all;
  cover.share = which == Covered::half ? 0.5F : 0.0F;
  cover.every = which == Covered::chessboard ? 2 : 0;
  return cover;
}

void which_cells(Frame& frame) {
  const Cover& cover = frame.session.cover;
  static const std::array<std::string, 4> names{"all", "some", "half", "chosen"};
  int which = static_cast<int>(covered_cells(cover));
  if (segmented(
          frame.ui, "covered cells", names, which,
          "All numbers, some chosen at random, every second one as on a chessboard, or cells that you choose with the mouse")) {
    const auto wanted = static_cast<Covered>(which);
    frame.emit(set_cover(covered_by(cover, wanted)));
    if (wanted == Covered::chosen && !frame.screen.is(ClickMode::covering))
      frame.emit(CommandId::toggle_cover_mode);
  }
  if (covered_cells(cover) != Covered::half) return;
  float share = cover.share;
  if (slider_float(frame.ui, "share", share, {0.05F, 1.0F, 2, false},
                   "How many of the numbers are covered")) {
    Cover other = cover;
    other.share = share;
    frame.emit(set_cover(other));
  }
  if (link(frame.ui, "draw others", "Covers other cells, the same number on average")) {
    Cover other = covered_by(cover, Covered::half);
    other.share = cover.share;
    other.seed = cover.seed + 1;
    frame.emit(set_cover(other));
  }
}

std::string attention_summary(const Session& session) {
  const Architecture& a = session.architecture;
  std::string words;
  add_word(words, a.linear_attention ? "linear" : scale_summary(session));
  if (a.d_head) add_word(words, "d_head " + std::to_string(*a.d_head));
  if (a.d_value) add_word(words, "d_value " + std::to_string(*a.d_value));
  if (a.shares_keys(no_layer)) add_word(words, a.kv_heads(no_layer) == 1 ? "multi-query" : "grouped-query");
  if (a.kv_latent) add_word(words, "latent " + std::to_string(*a.kv_latent));
  if (a.softcap > 0.0F) add_word(words, "softcap " + number_text(static_cast<double>(a.softcap)));
  if (a.sinks) add_word(words, "sinks");
  if (a.qk_norm) add_word(words, "norm of queries and keys");
  if (a.output_gate) add_word(words, "gate");
  if (session.attention.softmax == SoftmaxAxis::queries) add_word(words, "softmax over queries");
  if (session.attention.train)
    add_word(words, "dropout " + number_text(static_cast<double>(session.attention.dropout)));
  return words;
}

std::string block_summary(const Session& session) {
  const Architecture& a = session.architecture;
  constexpr auto stacks =
      make_enum_table<Stacks, std::string_view>("", "decoder", "encoder and decoder", "cross");
  std::string words;
  if (a.stacks != Stacks::encoder) add_word(words, stacks[index_of(a.stacks)]);
  const bool is_bare = a.norm == Norm::none && a.d_ff == 0 && !a.residual;
  if (is_bare) add_word(words, "attention alone");
  if (!is_bare) add_word(words, norm_summary(a));
  if (!is_bare && !a.residual) add_word(words, "no residual");
  if (a.d_ff > 0) add_word(words, activation_summary(a));
  if (a.is_parallel()) add_word(words, "parallel");
  if (a.sliding_window) add_word(words, "window " + std::to_string(*a.sliding_window));
  return words;
}

std::string weight_summary(const Session& session) {
  std::string words;
  const bool is_from_file = session.model && session.model->is_foreign() && !corpus_of(session.model);
  const bool is_random = !session.model || (!is_from_file && session.model->steps == 0);
  if (!is_random) add_word(words, is_from_file ? "from a file" : "trained");
  if (!session.given.empty()) add_word(words, "numbers by hand");
  if (is_random && session.given.empty())
    add_word(words, "seed " + std::to_string(session.architecture.seed));
  return words;
}

std::string picture_summary(const Session& session) {
  const PictureOptions& picture = session.picture;
  std::string words;
  if (picture.range == RangeMode::fixed) {
    add_word(words, number_text(picture.fixed_low) + " to " + number_text(picture.fixed_high));
  } else if (picture.range != RangeMode::usual) {
    add_word(words, control::ranges[index_of(picture.range)]);
  }
  if (picture.transfer != Transfer::linear) add_word(words, control::transfers[index_of(picture.transfer)]);
  add_word(words, picture.numbers ? "numbers" : "no numbers");
  return words;
}

std::string cover_summary(const Session& session) {
  return session.cover.stage ? "covers " + std::string(info(session.cover.stage->kind).name) : "none";
}

void cover_controls(Frame& frame) {
  const Cover& cover = frame.session.cover;
  bool covers = cover.is_over(
      canonical(frame.session.architecture, selected_stage(frame, frame.session.selection.stage)));
  if (toggle(frame.ui, "Cover the numbers", covers, setting("cover.cells").sentence))
    frame.emit(CommandId::toggle_cover);
  bool chooses = frame.screen.is(ClickMode::covering);
  if (toggle(frame.ui, "Choose covered cells", chooses,
             "While this is on, drag over a map to cover its cells or uncover them"))
    frame.emit(CommandId::toggle_cover_mode);
  if (cover.stage && frame.trace) {
    if (covers) which_cells(frame);
    bool shows = cover.solution;
    if (toggle(frame.ui, "Show the solution", shows, setting("cover.solution").sentence)) {
      Cover other = cover;
      other.solution = shows;
      frame.emit(set_cover(other));
    }
    const std::string where = covers ? "" : std::string(info(cover.stage->kind).title) + ": ";
    PageTools tools = page_tools(frame);
    paragraph(frame.ui, where + cover_statement(page_inputs(frame), *cover.stage, tools));
  }
  if (is_offered(ExportKind::worksheet) &&
      link(frame.ui, "Worksheet…", "Saves an exercise for paper, and its solution, as PDF"))
    frame.screen.export_form.show(ExportKind::worksheet);
}

constexpr int min_positions = 2;
constexpr int max_positions = 256;
constexpr int document_positions = 20;
constexpr int document_width = 512;

bool counts_distances(Positions kind) {
  return kind == Positions::relative || kind == Positions::alibi;
}

constexpr std::array position_panel{
    item("architecture.positions"),         item("architecture.rotary.base"),
    item("architecture.rotary.local_base"), item("architecture.rotary.fraction"),
    item("architecture.rotary.pairing"),    item("architecture.rotary.scaling"),
    item("architecture.rotary.factor"),     item("architecture.rotary.original_length"),
    item("architecture.relative_buckets"),
};

/// One slider in the row of controls.
void size_slider(Frame& frame, const char* label, int& value, const IntRange& range, const char* hint) {
  const float width = std::min(frame.ui.px(160.0F), ImGui::GetWindowWidth() * 0.25F);
  begin_child(label, {width, frame.ui.px(38.0F)},
              ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  slider_int(frame.ui, label, value, range, hint);
  end_child();
  ImGui::SameLine(0.0F, frame.ui.px(24.0F));
}

/// Links to useful sizes: those of the document, and those of the model itself.
void preset_sizes(Frame& frame, Positions kind) {
  ScreenState& shown = frame.screen;
  const bool free_width = has_free_width(kind);
  const auto n_tokens = static_cast<int>(frame.trace->tokens(frame.session.selection.stack).size());
  const int n = std::clamp(counts_distances(kind) ? n_tokens - 1 : n_tokens, min_positions, max_positions);
  const int width = frame.trace->architecture().d_model;
  const auto size = [free_width](int rows, int cols) {
    return std::to_string(rows) + (free_width ? " × " + std::to_string(cols) : "");
  };
  const std::string usual = size(document_positions, document_width);
  const std::string own = size(n, width) + (free_width ? ", as in the model" : ", as in the sentence");
  if (link(frame.ui, usual.c_str(), "The size of the well-known picture")) {
    shown.n_positions = document_positions;
    shown.position_width = document_width;
  }
  ImGui::SameLine(0.0F, frame.ui.px(16.0F));
  if (link(frame.ui, own.c_str(), "The size of this sentence in the model")) {
    shown.n_positions = n;
    shown.position_width = width;
  }
}

const std::vector<std::string>& position_names() {
  static const std::vector<std::string> names = listed(control::positions, std::identity());
  return names;
}

std::string position_summary(const Session& session) {
  const Architecture& a = session.architecture;
  std::string words;
  add_word(words, a.foreign.disentangled ? "disentangled" : position_names()[index_of(a.positions)]);
  if (control::scales_rotary(session)) add_word(words, control::scalings[index_of(a.rotary.scaling)]);
  if (a.uses_rotary() && a.rotary.fraction < 1.0F)
    add_word(words, number_text(static_cast<double>(a.rotary.fraction)) + " turn");
  if (a.positions == Positions::relative && a.relative_buckets)
    add_word(words, std::to_string(*a.relative_buckets) + " buckets");
  return words.empty() ? "none" : words;
}

constexpr std::array intervention_panel{
    PanelItem{nullptr, intervention_controls, "interventions of the head: output, pattern"}};
constexpr std::array cover_panel{
    PanelItem{nullptr, cover_controls, "exercise: cover the numbers, solution, worksheet"}};

/// Interventions are made on pages about heads, and existing ones are listed on every page.
bool has_interventions(const Session& session) {
  if (session.architecture.has_captured_weights() && session.interventions.empty()) return false;
  return page_record(session.view).workspace == Workspace::heads || !session.interventions.empty();
}
/// Numbers are covered on the page that shows them.
bool has_cover(const Session& session) {
  return page_record(session.view).can_cover || session.cover.stage;
}

}  // namespace

std::span<const SettingGroup> setting_groups() {
  static const std::vector<PanelItem> attention =
      with_own_settings("Attention", attention_panel, "architecture.softcap");
  static const std::array groups{
      SettingGroup{"Mask", mask_items(), mask_summary},
      SettingGroup{"Attention", attention, attention_summary},
      SettingGroup{"Block", layer_panel, block_summary},
      SettingGroup{"Positions", position_panel, position_summary},
      SettingGroup{"Weights", architecture_panel, weight_summary},
      SettingGroup{"Picture", picture_panel, picture_summary},
      SettingGroup{"Interventions", intervention_panel, intervention_summary, has_interventions},
      SettingGroup{"Exercise", cover_panel, cover_summary, has_cover},
  };
  return groups;
}

void choose_positions(Frame& frame, Positions kind) {
  change_setting(frame, setting("architecture.positions"), std::string(enum_name(kind)));
}

void position_choice(Frame& frame) {
  int kind = static_cast<int>(frame.session.architecture.positions);
  if (segmented(frame.ui, "kinds", position_names(), kind, setting("architecture.positions").sentence)) {
    choose_positions(frame, static_cast<Positions>(kind));
  }
}

void position_sizes(Frame& frame, Positions kind) {
  ScreenState& shown = frame.screen;
  const char* count_text = counts_distances(kind) ? "longest distance" : "positions";
  size_slider(frame, count_text, shown.n_positions, {min_positions, max_positions, 1, true},
              "Number of positions shown");
  if (has_free_width(kind)) {
    size_slider(frame, "dimensions", shown.position_width, {2, ArchitectureLimits::max_d_model, 2, true},
                "Width of the rows shown; the model's own are d_model wide");
    shown.position_width += shown.position_width % 2;  // every wave has a sine and a cosine
  }
  begin_child("default sizes", {ImGui::GetContentRegionAvail().x, frame.ui.px(38.0F)},
              ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::SetCursorPosY(frame.ui.px(12.0F));
  preset_sizes(frame, kind);
  end_child();
}

}  // namespace headscope
