#include "app/cli/session_options.h"

#include <algorithm>
#include <iostream>
#include <utility>
#include <vector>

#include "app/cli/mask_options.h"
#include "app/cli/model_option.h"
#include "app/cli/option_values.h"
#include "app/cli/set_option.h"
#include "app/cli/textbook_command.h"
#include "core/engine/opening.h"
#include "core/session/action.h"
#include "core/session/placed.h"
#include "core/session/presets.h"
#include "core/session/repair.h"
#include "core/session/settings.h"
#include "core/tasks/task.h"
#include "core/text/letters.h"

namespace headscope {
namespace {

/// Adds the masks of the options to a session whose sizes are known. The usage error names the option, the
/// value and what is valid.
void read_masks(const CommandOptions& o, const ResourceLoader& loader, Session& session) {
  AttentionOptions& attention = session.attention;
  session.texts = texts_of(session);
  const int s = n_source_tokens(session);
  const int t = n_target_tokens(session);
  MaskAxes axes(o.text("--mask-axes"));
  const auto add = [&](const char* option, int n_queries, int n_keys, bool is_self, MaskSpec& target) {
    const std::vector<std::string>& given = o.texts(option);
    // A prefix mask includes a causal one, so it replaces a decoder's default mask.
    if (std::ranges::any_of(given, [](const std::string& mask) { return mask.starts_with("prefix:"); }))
      target.causal = false;
    target = with_masks(target, given, {option, n_queries, n_keys, is_self, &axes, loader.mask});
  };
  const bool has_cross = session.architecture.has_cross();
  const bool names_stack = o.has("--target-mask") || o.has("--cross-mask");
  const bool names_target = o.has(setting("target")) && !has_cross;
  if (has_own_attention(o) && (names_stack || names_target))
    refuse(usage_error(
        "--target, --target-mask and --cross-mask are for two stacks: --mask applies to your own attention, whatever the source of the keys"));
  if (!session.architecture.has_self()) {
    // A model of cross-attention alone has one mask, which either option names.
    if (o.has("--target-mask"))
      refuse(
          usage_error("--target-mask is for self-attention, which --stacks cross does not have: use --mask"));
    add("--mask", t, s, false, attention.cross_mask);
  } else {
    add("--mask", s, s, true, attention.mask);
    if (!has_cross && (names_stack || names_target))
      refuse(usage_error(
          "--target, --target-mask and --cross-mask need --stacks encoder-decoder or cross: a single stack has only one sentence"));
    if (has_cross) add("--target-mask", t, t, true, attention.target_mask);
  }
  if (has_cross) add("--cross-mask", t, s, false, attention.cross_mask);
  axes.check_used();
}

/// Reads a setting from its own option, if that was given.
void read_setting(const CommandOptions& o, const Setting& setting, Session& session) {
  if (const auto given = o.text(setting)) parse_setting(setting, *given, session);
}

}  // namespace

void read_settings(const CommandOptions& o, std::string_view prefix, Session& session) {
  for (const Setting& setting : all_settings) {
    if (!setting.key.starts_with(prefix)) continue;
    const SharedOption* shared = shared_option(setting);
    if (shared == nullptr) {
      read_setting(o, setting, session);
    } else if (const auto given = o.text(setting)) {
      parse_shared_option(*shared, *given, session);
    }
  }
}

namespace {

/// Whether an option turns a bare attention layer into a full one with norm, residual connections and
/// feed-forward layer. Other options may override each of these.
bool implies_layers(std::string_view option, std::string_view value) {
  if (option == setting("architecture.stacks").option && value == enum_name(Stacks::cross)) return false;
  for (const Setting& each :
       {setting("architecture.stacks"), setting("architecture.layers"), setting("architecture.norm"),
        setting("architecture.d_ff"), setting("architecture.activation"), setting("architecture.norm_kind"),
        setting("architecture.block"), setting("architecture.gated")}) {
    if (each.option == option) return true;
  }
  return false;
}

/// Turns a bare attention layer into a full layer if an option implies one.
void imply_layers(const CommandOptions& o, Architecture& a) {
  const bool is_attention_alone = a.d_ff == 0 && !a.residual && a.norm == Norm::none;
  const bool asks_for_layers = std::ranges::any_of(
      o.values, [](const auto& given) { return implies_layers(given.first, given.second.back()); });
  if (!is_attention_alone || !asks_for_layers) return;
  const auto block = o.text(setting("architecture.block"));
  a.norm = !block || *block == enum_name(Block::sequential) ? Norm::post : Norm::pre;
  a.residual = true;
  a.d_ff = std::min(4 * a.d_model, ArchitectureLimits::max_d_ff);
}

/// The result of validate(). If the heads do not divide the width, the error begins with the options that set
/// these sizes.
void check_sizes(const Architecture& architecture) {
  Architecture ungrouped = architecture;
  ungrouped.n_kv_heads.reset();
  const bool divides = architecture.d_head || architecture.d_model % std::max(architecture.n_heads, 1) == 0;
  const char* options = !divides ? "--d-model and --heads do not match: "
                        : !validate(architecture) && validate(ungrouped) ? "--kv-heads does not fit: "
                                                                         : "";
  if (const auto ok = validate(architecture); !ok)
    refuse(tl::unexpected(Error{ok.error().kind, options + ok.error().message}));
}

}  // namespace

Architecture architecture_of(const CommandOptions& o, const Architecture& base) {
  Session session;
  Architecture& a = session.architecture;
  a = base;
  read_setting(o, setting("architecture.d_model"), session);
  imply_layers(o, a);
  read_settings(o, "architecture.", session);
  check_sizes(a);
  for (const Setting& each : {setting("architecture.output_bias"), setting("architecture.logit_softcap"),
                              setting("output_words")}) {
    if (o.has(each) && a.output_layer == OutputLayer::none) {
      refuse(usage_error(std::string(each.option) +
                         " needs a final linear layer: --output-layer linear or tied"));
    }
  }
  return a;
}

namespace {

void read_attention(const CommandOptions& o, const ResourceLoader& loader, Session& session) {
  // Dropout applies only in training, so it implies train mode unless the mode is given.
  if (o.has(setting("attention.dropout"))) session.attention.train = true;
  read_settings(o, "attention.", session);
  read_masks(o, loader, session);
}

void check_sentences(const CommandOptions& o, const Session& session) {
  const bool has_batch = o.has(setting("batch"));
  if (has_batch && o.has(setting("sentence"))) {
    refuse(usage_error("--batch and --sentence cannot be combined: the batch file holds the sentences"));
  }
  if (o.has(setting("sequence")) && !has_batch && session.batch.empty())
    refuse(usage_error("--sequence needs --batch, the file to choose from"));
}

/// Reads ids in place of texts, which only models from elsewhere accept.
Session read_ids(const CommandOptions& o, Session session) {
  const auto ids = o.text("--ids");
  const auto target_ids = o.text("--target-ids");
  for (const auto& [option, text_option] :
       {std::pair("--ids", "--sentence"), std::pair("--target-ids", "--target")}) {
    const auto given = o.text(option);
    if (!given) continue;
    const std::string name(option);
    if (o.has(text_option) || o.has("--batch"))
      refuse(usage_error(name + " cannot be combined with " + text_option + " or --batch"));
    if (!session.model || !session.model->is_foreign() || session.model->is_capture()) {
      refuse(usage_error(
          name + " needs --model with the folder of another program's model, to which the ids belong"));
    }
    const std::vector<Token> tokens = tokenize(*given, TokenizerKind::ids);
    const int n = session.model->vocabulary.size();
    const bool are_ids = !tokens.empty() && std::ranges::all_of(tokens, [n](const Token& token) {
      return token.id >= 0 && token.id < n;
    });
    if (!are_ids) {
      refuse(invalid_value(
          name, *given,
          "it takes whole numbers from 0 to " + std::to_string(n - 1) + ", separated by commas"));
    }
  }
  const bool has_text = ids || o.has("--sentence");
  const bool has_target = target_ids || o.has("--target");
  if ((ids || target_ids) && session.architecture.has_cross() && !(has_text && has_target))
    refuse(usage_error("--ids and --target-ids belong together: the model reads two texts"));
  if (ids || target_ids) session = reduce(session, set_to("tokenizer", "ids"));
  if (ids) session = reduce(session, SetSentence{*ids});
  if (target_ids) session = reduce(session, SetTarget{*target_ids});
  return session;
}

Session read_input(const CommandOptions& o, const ResourceLoader& loader, Session session) {
  check_sentences(o, session);
  Session given = session;
  if (const auto file = o.text(setting("batch"))) given.batch = batch_of(*file, loader).value();
  if (o.has(setting("batch"))) given.sequence = 0;
  for (const Setting& each : {setting("tokenizer"), setting("sentence"), setting("target"),
                              setting("sequence"), setting("output_words")}) {
    read_setting(o, each, given);
  }
  if (o.has(setting("tokenizer")))
    session = reduce(session, set_to("tokenizer", std::string(enum_name(given.tokenizer))));
  if (o.has(setting("sentence")))
    session = reduce(session, with_correct_target(session, {given.sentence, std::nullopt}));
  if (o.has(setting("target"))) session = reduce(session, SetTarget{given.target});
  session.output_words = given.output_words;
  session = read_ids(o, session);
  if (o.has(setting("batch"))) session = reduce(session, SetBatch{given.batch});
  return reduce(session, set_to("sequence", given.sequence));
}

/// Fails if an option changes the sizes of trained weights.
void check_preserves_shape(const CommandOptions& o) {
  const std::string option(o.first_of(options_fixed_by_weights()));
  if (option.empty()) return;
  refuse(usage_error(option + " does not fit the trained weights: add --model untrained for random ones"));
}

/// Reads the task to train for, which starts from random weights.
void read_task(const CommandOptions& o, Session& session) {
  const auto given = o.text(setting("task"));
  if (!given) return;
  if (*given == "none") {
    session.task.clear();
    return;
  }
  if (!parse_task_name(*given)) {
    std::vector<std::string_view> names = task_names();
    names.emplace_back("none");
    refuse(invalid_value("--task", *given, "choose " + joined_with_or(names)));
  }
  session.task = *given;
}

Session read_model_and_input(const CommandOptions& o, const ResourceLoader& loader, Session session) {
  session = read_input(o, loader, session);
  session = with_architecture(session, architecture_of(o, session.architecture));
  read_task(o, session);
  return session;
}

/// Replaces a session's model. Keeps the sentences if the new model can read them, and the layer and head if
/// it has them.
Session replace_model(const Session& session, OpenModel open) {
  const bool keeps_text = !open.model->is_capture() && session.tokenizer != TokenizerKind::ids;
  if (keeps_text) open.example.clear();
  Session next = reduce(session, open);
  if (next.architecture.stacks == session.architecture.stacks) next.selection.stack = session.selection.stack;
  next.selection.layer = session.selection.layer;
  next.selection.head = session.selection.head;
  return repaired(std::move(next), session);
}

std::string list_of(const std::vector<Preset>& presets) {
  std::string text;
  for (const Preset& preset : presets) {
    text += "\n  " + preset.name + (preset.short_name.empty() ? "" : ", or " + preset.short_name) +
            (preset.document.empty() ? "" : " (“" + preset.document + "”)");
  }
  return text;
}

/// Reads the options for the contents and look of a page. None of them changes the pass.
void read_appearance(const CommandOptions& o, Session& session) {
  for (const char* prefix : {"picture.", "heads.", "lines.", "tiles.", "decoding.", "textbook", "title",
                             "note", "watch.", "diagram."})
    read_settings(o, prefix, session);
  if (const auto example = o.text(setting("textbook"))) check_example("--textbook", *example);
}

/// Applies all options except --set.
Session with_options(const CommandOptions& o, Session session, const ResourceLoader& loader) {
  const Session window = session;
  if (const auto preset = o.text("--preset")) session = preset_session(*preset).value();
  const auto model = o.text(setting("model"));
  if (model == "untrained") {
    session = reduce(session, OpenModel{nullptr});
  } else if (model) {
    session = replace_model(session, model_to_open(o, *model, loader));
  } else if (session.model) {
    check_preserves_shape(o);
  }
  if (o.has(setting("sentence")) && !o.has(setting("batch"))) session = reduce(session, SetBatch{});
  session = read_model_and_input(o, loader, session);
  for (const auto& [option, mask] : {std::pair("--mask", &AttentionOptions::mask),
                                     std::pair("--target-mask", &AttentionOptions::target_mask),
                                     std::pair("--cross-mask", &AttentionOptions::cross_mask)}) {
    if (o.has(option)) session.attention.*mask = {};
  }
  read_attention(o, loader, session);
  session.interventions = without_compared(std::move(session.interventions));
  for (const char* prefix : {"interventions.", "training.", "sampling."}) read_settings(o, prefix, session);
  ensure(check_interventions(session));
  session.picture = window.picture;
  session.view = window.view;
  session.heads = window.heads;
  session.lines = window.lines;
  session.tiles = window.tiles;
  session.watch_step = window.watch_step;
  session.diagram_step = window.diagram_step;
  session.textbook = window.textbook;
  session.decoding = window.decoding;
  return repaired(session, default_session());
}

Session changed_scene(const CommandOptions& o, const ResourceLoader& loader) {
  const Session scene = loader.scene(*o.scene).value();
  Session changed = with_options(o, scene, loader);
  read_appearance(o, changed);
  // A comparison keeps its subjects, and what it takes from them, unless an option says otherwise.
  changed.compared = scene.compared;
  const bool changes_interventions =
      std::ranges::any_of(intervention_settings, [&](const Setting& each) { return o.has(each); });
  if (!changes_interventions) changed.interventions = scene.interventions;
  return changed;
}

Session described_session(const CommandOptions& o, const ResourceLoader& loader) {
  if (o.scene) return changed_scene(o, loader);
  Session session = default_session();
  check_own_attention(o);
  if (const auto preset = o.text("--preset")) session = preset_session(*preset).value();
  if (const auto model = trained_model_name(o)) session = reduce(session, model_to_open(o, *model, loader));
  // The files of the user's own attention set the sizes, so no option for sizes is read.
  session = has_own_attention(o) ? with_own_attention(o, read_input(o, loader, session))
                                 : read_model_and_input(o, loader, session);
  if (!session.selection.token) session.selection.token = token_of_interest(session);
  read_attention(o, loader, session);
  for (const char* prefix : {"interventions.", "training.", "sampling."}) read_settings(o, prefix, session);
  read_appearance(o, session);
  ensure(check_interventions(session));
  return repaired(session, default_session());
}

}  // namespace

Session session_of(const CommandOptions& o, const ResourceLoader& loader) {
  check_set_options(o, false);
  return apply_set_options(o.texts("--set"), loader, described_session(o, loader));
}

Session changed_session(const CommandOptions& o, Session session, const ResourceLoader& loader) {
  check_set_options(o, true);
  return apply_set_options(o.texts("--set"), loader, with_options(o, std::move(session), loader));
}

void warn_about_masks(const CommandOptions& o, const Session& session) {
  if (o.has("--mask-axes") || !session.architecture.has_cross()) return;
  const std::string doubt = axes_warning(session.attention.cross_mask);
  if (!doubt.empty()) std::cerr << "headscope: " << doubt << '\n';
}

Result<Session> preset_session(const std::string& name) {
  const auto all = presets();
  std::vector<Preset> matches;
  for (const Preset& preset : all) {
    if (preset.name == name || (!name.empty() && preset.short_name == name)) return preset.session;
    const bool begins = to_lower_case(preset.name).starts_with(to_lower_case(name)) ||
                        to_lower_case(preset.document).starts_with(to_lower_case(name));
    if (!name.empty() && begins) matches.push_back(preset);
  }
  if (matches.size() == 1) return matches.front().session;
  if (matches.empty()) {
    std::vector<std::string> names;
    for (const Preset& preset : all) {
      names.push_back(preset.name);
      if (!preset.short_name.empty()) names.push_back(preset.short_name);
    }
    return invalid_value("--preset", name, choices_text(name, names) + "one of:" + list_of(all));
  }
  return invalid_value("--preset", name, "several begin like this; choose one of" + list_of(matches));
}

}  // namespace headscope
