#include <algorithm>
#include <filesystem>
#include <iostream>
#include <ostream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/model_option.h"
#include "app/cli/option_values.h"
#include "app/cli/session_options.h"
#include "core/engine/writing.h"
#include "core/model/trained_model.h"
#include "core/system/read_file.h"
#include "core/system/signals.h"
#include "core/tokenizers/open_tokenizer.h"

namespace headscope {
namespace {

/// Whether --format requests ids only.
bool prints_ids_only(const CommandOptions& o) {
  const std::string format = o.text(token_format_key).value_or("tokens");
  return parse_choice_index("--format", format, {"tokens", "ids"}).value() == 1;
}

/// What is to be said of the tokens of a model, beside them.
void print_notes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) {
    if (!note.empty()) std::cerr << "headscope: " << note << '\n';
  }
}

/// The ids of a sentence, on one line.
void print_ids(const std::vector<int>& ids, std::ostream& out) {
  for (std::size_t i = 0; i < ids.size(); ++i) out << (i == 0 ? "" : " ") << ids[i];
  out << '\n';
}

/// Prints a line per token: its index, id and text, preceded by `lead`. With a vocabulary, the ids are the
/// vocabulary's, and a token that it does not know is followed by the word that is read instead.
void print_tokens(std::vector<Token> tokens, const Vocabulary* vocabulary, bool ids_only,
                  const std::string& lead, std::ostream& out) {
  if (vocabulary != nullptr) vocabulary->assign_ids(tokens);
  if (ids_only) return print_ids(ids_of(tokens), out);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    out << lead << i << '\t' << tokens[i].id << '\t' << tokens[i].text;
    if (vocabulary != nullptr && !vocabulary->knows(tokens[i])) {
      out << "\tunknown: " << vocabulary->word(tokens[i].id);
    }
    out << '\n';
  }
}

/// Whether --tokenizer names a model's own tokenizer rather than a built-in one.
bool names_model_tokenizer(const CommandOptions& o) {
  const auto given = o.text(setting("tokenizer"));
  return given && std::ranges::find(names_of<TokenizerKind>, *given) == names_of<TokenizerKind>.end();
}

std::shared_ptr<const ModelTokenizer> model_tokenizer(const CommandOptions& o) {
  const std::string given = o.text(setting("tokenizer")).value_or("");
  std::error_code error;
  if (!std::filesystem::exists(given, error)) {
    refuse(invalid_value(
        "--tokenizer", given,
        "it takes " + joined_with_or({names_of<TokenizerKind>.begin(), names_of<TokenizerKind>.end()}) +
            ", or a file or folder with a model's tokenizer, but nothing has this name"));
  }
  return open_tokenizer(given).value();
}

/// The limit for texts to tokenize. It exceeds that of a batch, because making tokens alone is fast.
constexpr std::size_t max_tokenized_bytes = std::size_t{64} << 20U;

/// The lines of a batch, each as it stands in the file: to a model's tokenizer, spaces count.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

void print_encoded(const ModelTokenizer& tokenizer, std::string_view sentence, bool add_special,
                   bool ids_only, const std::string& lead, std::ostream& out) {
  if (ids_only) return print_ids(tokenizer.ids(sentence, add_special).value(), out);
  const std::vector<ModelToken> tokens = tokenizer.encode(sentence, add_special).value();
  for (std::size_t i = 0; i < tokens.size(); ++i)
    out << lead << i << '\t' << tokens[i].token.id << '\t' << tokens[i].token.text << '\n';
}

/// Refuses options that apply to the vocabulary or the sentences of a session, but not to the tokenizer in a
/// file.
void check_options_of_model_tokenizer(const CommandOptions& o) {
  for (const Setting& each : {setting("model"), setting("target"), setting("output_words")}) {
    if (o.has(each)) {
      refuse(usage_error(std::string(each.option) + " cannot be combined with the --tokenizer of a file"));
    }
  }
  if (o.has(setting("batch")) && o.has(setting("sentence"))) {
    refuse(usage_error("--batch and --sentence cannot be combined: the batch file holds the sentences"));
  }
  if (o.has(setting("batch"))) return;
  if (o.has(setting("sequence"))) refuse(usage_error("--sequence needs --batch, the file to choose from"));
  if (!o.has(setting("sentence"))) refuse(usage_error("--tokenizer of a file needs --sentence or --batch"));
}

void run_model_tokenizer(const CommandOptions& o, bool ids_only, std::ostream& out) {
  check_options_of_model_tokenizer(o);
  const auto tokenizer = model_tokenizer(o);
  print_notes({tokenizer->doubt()});
  const bool add_special = o.is_on("--special");
  if (const auto sentence = o.text(setting("sentence")))
    return print_encoded(*tokenizer, *sentence, add_special, ids_only, "", out);
  const std::string text = read_to_end(o.text(setting("batch")).value_or(""), max_tokenized_bytes).value();
  const std::vector<std::string_view> lines = lines_of(text);
  if (const auto chosen = o.text(setting("sequence"))) {
    const int last = std::max(0, static_cast<int>(lines.size()) - 1);
    const int index = parse_whole_number("--sequence", *chosen, 0, last).value();
    if (lines.empty()) refuse(failure("the batch has no lines: write one sentence per line"));
    return print_encoded(*tokenizer, lines[static_cast<std::size_t>(index)], add_special, ids_only, "", out);
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    ensure(result_of("line " + std::to_string(i + 1) + " of the batch: ", [&] {
      print_encoded(*tokenizer, lines[i], add_special, ids_only, std::to_string(i) + "\t", out);
    }));
  }
}

}  // namespace

void run_tokenize(const CommandOptions& o, std::ostream& out) {
  const bool ids_only = prints_ids_only(o);
  if (names_model_tokenizer(o)) return run_model_tokenizer(o, ids_only, out);
  if (o.is_on("--special")) {
    refuse(usage_error("--special needs a model's own tokenizer: --tokenizer with its file or folder"));
  }
  const Session session = session_of(o);
  if (session.model) print_notes(session.model->warnings);
  const bool has_vocabulary = o.has(setting("model")) && trained_model_name(o);
  const Vocabulary* vocabulary = has_vocabulary ? &session.model->vocabulary : nullptr;
  const bool whole_batch = o.has(setting("batch")) && !o.has(setting("sequence"));
  const Texts texts = texts_of(session);
  if (!whole_batch) {
    print_tokens(texts.sentence(), vocabulary, ids_only, "", out);
    return;
  }
  for (std::size_t i = 0; i < session.batch.size(); ++i) {
    print_tokens(texts.of_batch(static_cast<int>(i)), vocabulary, ids_only, std::to_string(i) + "\t", out);
  }
}

namespace {

constexpr int usual_words = 50;
constexpr int max_words = 100'000;

/// The session to continue. An option of sampling implies sampling, unless --next-word says otherwise.
Session writing_session(const CommandOptions& o) {
  Session session = session_of(o);
  const Setting& greedy = setting("sampling.greedy");
  for (const Setting& each : sampling_settings) {
    if (o.has(each) && !o.has(greedy)) session.sampling.greedy = false;
  }
  read_settings(o, "sampling.", session);
  const Architecture& a = session.architecture;
  const std::string name = session.model ? session.model->title() : "untrained";
  if (!session.model || a.last_stack() != Stack::decoder || a.output_layer == OutputLayer::none ||
      session.model->is_capture() || !session.model->class_names.empty())
    refuse(o.has(setting("model")) || o.scene
               ? invalid_value("--model", name, "only a decoder that predicts the next word can write on")
               : usage_error(
                     "“headscope write” needs a decoder that predicts the next word: add --model stories, or "
                     "the folder of another one"));
  // The target of an example is not what the model writes for another sentence.
  if (a.has_cross() && o.has(setting("sentence")) && !o.has(setting("target"))) session.target.clear();
  if (a.has_cross() && session.target.empty()) {
    const Vocabulary& words = session.model->vocabulary;
    if (words.begin() >= 0) session.target = words.word(words.begin());
  }
  return session;
}

}  // namespace

void run_write(const CommandOptions& o, std::ostream& out) {
  const auto given = o.text("--words");
  const int n_words = given ? parse_whole_number("--words", *given, 1, max_words).value() : usual_words;
  const SignalWatch signals;
  const Session session = writing_session(o);
  Writing writing(session, n_words);
  out << writing.text() << std::flush;
  Result<void> ok = writing.begin();
  while (ok && !signals.shutdown_requested()) {
    const auto added = writing.next();
    if (!added) {
      ok = tl::unexpected(added.error());
    } else if (!*added) {
      break;
    } else {
      out << **added << std::flush;
    }
  }
  out << '\n' << std::flush;
  if (ok && writing.is_full())
    std::cerr << "headscope: the text is as long as the model reads: " << session.architecture.max_tokens()
              << " tokens\n";
  ensure(ok);
}

}  // namespace headscope
