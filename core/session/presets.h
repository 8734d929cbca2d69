#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/embedded_file.h"
#include "core/result.h"
#include "core/session/session.h"

namespace headscope {

/// Returns a trained model's starting point: its sizes and weights as trained, without dropout, interventions
/// or given numbers, and with no mask except a decoder's causal one.
Subject defaults_of(const Subject& before, const ModelRef& model);

/// The attention options that a trained model opens with: no dropout, and no mask except a decoder's causal
/// one.
AttentionOptions initial_attention(const TrainedModel& model);

/// Returns the subject with the settings, weights and tokenizer of a starting point. Keeps its sentences and
/// selection; the caller must repair token indices.
Subject with_defaults(Subject subject, const Subject& of);

/// The files of assets/presets.
std::span<const EmbeddedFile> preset_files();

/// A named starting point with random or given weights.
struct Preset {
  std::string name;  ///< Such as "One head, by hand".
  /// Its name in the window, where `name` would mislead: the documents' numbers by hand are random here.
  /// Defaults to `name`.
  std::string title;
  std::string short_name;  ///< Alias on the command line. Empty if there is none.
  /// The document that it comes from, such as "Single attention head". Empty if there is none.
  std::string document;
  std::string summary;  ///< One line.
  std::string lesson;   ///< The lesson that explains it. Empty if there is none.
  /// How it differs from its document or from the real model, in sentences. Empty if it does not.
  std::string differs;
  Session session;
};

/// Parses such a file. Errors name the file, the field, its contents and what it must be.
Result<Preset> read_preset(const EmbeddedFile& file);

/// Returns all presets, read on the first call: the default, heads whose numbers are given by hand, the
/// examples of the documents, and well-known models scaled down to a viewable size. Skips a file that cannot
/// be read; a test reads each of them.
const std::vector<Preset>& presets();

}  // namespace headscope
