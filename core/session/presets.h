#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/session/session.h"

namespace headscope {

/// Returns the starting point of a trained model: its own sizes and weights as they were trained, without
/// dropout, interventions or given numbers, and with no mask except a decoder's own.
Subject defaults_of(const Subject& before, const ModelValue& model);

/// The options of attention with which a trained model is opened: no mask except a decoder's own, and no
/// dropout.
AttentionOptions attention_as_opened(const TrainedModel& model);

/// Returns the subject with the settings, the weights and the tokenizer of a starting point. Its sentences
/// and its selection stay; the caller repairs whatever counts tokens.
Subject with_defaults(Subject subject, const Subject& of);

/// A file of assets/presets that the build embeds in the program.
struct PresetFile {
  std::string_view name;  ///< The file name without its extension.
  std::string_view text;  ///< JSON
};
/// The embedded files, ordered by name.
std::span<const PresetFile> preset_files();

/// A named starting point with random or given weights.
struct Preset {
  std::string name;  ///< Such as "One head, by hand".
  /// Its name in the window, where the name would mislead: the documents' numbers by hand are random here.
  /// The file may leave it out where it is the name.
  std::string title;
  std::string short_name;  ///< Another name on the command line. Empty if there is none.
  /// The document that it comes from, such as "Single attention head". Empty if there is none.
  std::string document;
  std::string summary;  ///< One line.
  std::string lesson;   ///< The lesson that explains what it shows. Empty if there is none.
  /// Sentences that say in what it differs from its document or from the real model. Empty if it does not.
  std::string differs;
  Session session;
};

/// Reads a preset from such a file. Errors name the file, the field, its contents and what it must be.
Result<Preset> read_preset(const PresetFile& file);

/// Returns all presets, read at the first call: the default, heads whose numbers are given by hand, the
/// examples of the documents, and models in use, reduced to sizes that can be viewed. A file that cannot be
/// read is left out; a test reads each of them.
const std::vector<Preset>& presets();

}  // namespace headscope
