// Tests texts of one's own: what is found in them, and training on them before one's eyes.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/checkpoint/language_model.h"
#include "core/checkpoint/model_folder.h"
#include "core/engine/opening.h"
#include "core/engine/text_training.h"
#include "core/engine/training_job.h"
#include "core/engine/writing.h"
#include "core/model/parameters.h"
#include "core/tensor/random.h"
#include "core/text/utf8.h"
#include "core/tokenizers/characters.h"
#include "tests/unit/io/temporary_folder.h"

namespace headscope {
namespace {

/// Sentences of a small grammar, so that there is something to learn.
std::string story(int n_sentences) {
  const std::vector<std::string> animals{"cat", "dog", "bird", "horse"};
  const std::vector<std::string> places{"house", "garden", "river", "road"};
  RandomStream random(3, "story");
  std::string text;
  for (int i = 0; i < n_sentences; ++i) {
    text += "The " + animals[draw_below(random, 4)] + " went to the " + places[draw_below(random, 4)] + ".";
    text += i % 4 == 3 ? "\n" : " ";
  }
  return text;
}

std::shared_ptr<const Corpus> corpus_of(const std::string& text) {
  auto opened = open_text({{}, text}, 0, 1).finish();
  EXPECT_TRUE(opened.has_value()) << (opened ? "" : opened.error().message);
  return opened ? opened->model->corpus : nullptr;
}

std::shared_ptr<const TrainingProgress> trained(const TrainingRun& run, const TrainingSettings& settings,
                                                ThreadPool& pool) {
  const std::atomic<bool> stop = false;
  auto job = TrainingJob::make(run, settings, pool, stop, 0.0);
  EXPECT_TRUE(job.has_value()) << (job ? "" : job.error().message);
  if (!job) return nullptr;
  while (!(*job)->is_done()) (*job)->slice();
  return (*job)->progress(TrainingState::finished);
}

TEST(OwnText, SaysWhatItFound) {
  const std::string text = story(400);
  const auto opened = open_text({{}, text}, 0, 1).finish();
  ASSERT_TRUE(opened.has_value()) << opened.error().message;
  const Corpus& corpus = *opened->model->corpus;
  EXPECT_EQ(corpus.name, "the pasted text");
  EXPECT_EQ(corpus.n_documents, 1);
  EXPECT_TRUE(text.starts_with(corpus.example) || text.find(corpus.example) != std::string::npos);
  // The end of the only document is held out, from a space on.
  const std::size_t all = corpus.n_characters + corpus.n_held_out_characters;
  EXPECT_GE(all + 2, text.size());
  EXPECT_LE(all, text.size());
  EXPECT_NEAR(static_cast<double>(corpus.n_held_out_characters) / static_cast<double>(text.size()),
              1.0 / 16.0, 0.01);
  EXPECT_EQ(opened->model->steps, 0);
  EXPECT_EQ(text_model_size_of(opened->model->model.architecture), std::size_t{0});
  EXPECT_GE(opened->training.steps, 200);
  // Its pieces give the text back.
  DocumentIds ids = corpus.train.front();
  ids.pop_back();
  EXPECT_TRUE(text.starts_with(*corpus.tokenizer->decode(ids, true)));
}

TEST(OwnText, RefusesWhatCannotBeLearned) {
  TemporaryFolder folder;
  const auto refused = [&](const std::string& bytes) {
    const auto path = folder / "own.txt";
    std::ofstream(path, std::ios::binary) << bytes;
    const auto opened = open_text({{path}}, 0, 1).finish();
    return opened ? std::string() : opened.error().message;
  };
  EXPECT_NE(refused("too short").find("pieces, but training needs 256: add more text"), std::string::npos);
  EXPECT_NE(refused("").find("it holds no text"), std::string::npos);
  EXPECT_NE(refused("\xFF\xFEx").find("UTF-16"), std::string::npos);
  EXPECT_NE(refused("caf\xE9 au lait").find("is not UTF-8"), std::string::npos);
  EXPECT_NE(refused(std::string(5U << 20U, 'a')).find("at most 4"), std::string::npos);
  EXPECT_NE(open_text({{folder / "none.txt"}}, 0, 1).finish().error().message.find("none.txt"),
            std::string::npos);
}

TEST(OwnText, IsLearnedWithASampleAtEachEvaluation) {
  const auto corpus = corpus_of(story(300));
  ASSERT_NE(corpus, nullptr);
  ThreadPool pool(1);
  const Architecture architecture = open_text(corpus->sources, 0, 1).finish()->model->model.architecture;
  const TrainingRun run{TaskKind::pronouns, architecture, 1, corpus};
  const TrainingSettings settings{60, 8, 4e-3F};
  const auto first = trained(run, settings, pool);
  ASSERT_NE(first, nullptr);
  ASSERT_FALSE(first->held_out.empty());
  EXPECT_LT(first->held_out.back().loss, 0.6 * first->train.front().loss);
  ASSERT_EQ(first->samples.size(), first->held_out.size() + 1) << "one more before the first step";
  EXPECT_EQ(first->samples.front().step, 0);
  for (std::size_t i = 0; i < first->held_out.size(); ++i)
    EXPECT_EQ(first->samples[i + 1].step, first->held_out[i].step);
  // The last sample is what the newest weights write.
  Session session = reduce(default_session(), opening_action(first->newest));
  session.sentence = corpus->example;
  session.sampling = {.greedy = false, .temperature = 0.7F};
  Writing writing(session, 48);
  ASSERT_TRUE(writing.begin());
  std::string text;
  for (auto added = writing.next(); added && *added; added = writing.next()) text += **added;
  EXPECT_EQ(first->samples.back().text, text);
  // The same run gives the same numbers.
  const auto second = trained({run.task, architecture, 2, corpus}, settings, pool);
  EXPECT_EQ(parameters_of(first->newest->model, *first->layout),
            parameters_of(second->newest->model, *second->layout));
  EXPECT_FALSE(ModelRef(first->newest) == ModelRef(second->newest)) << "they are different runs";
}

/// A text without spaces has as many pieces as characters, and documents may be shorter than a share of them.
TEST(OwnText, BeginsSamplesWithFewPieces) {
  std::string text;
  RandomStream random(9, "characters");
  for (int i = 0; i < 900; ++i) {
    const auto code = static_cast<char32_t>(0x4E00 + draw_below(random, 300));
    text += to_utf8(code);
    if (i % 38 == 37) text += '\n';
  }
  const auto opened = open_text({{}, text}, 0, 1).finish();
  ASSERT_TRUE(opened.has_value()) << opened.error().message;
  const Corpus& corpus = *opened->model->corpus;
  EXPECT_LE(corpus.tokenizer->ids(corpus.example)->size(), 26U);
  EXPECT_TRUE(text.starts_with(corpus.example));
  EXPECT_EQ(valid_utf8(corpus.example), corpus.example);
  std::string documents;
  for (int i = 0; i < 10; ++i) documents += "hi\n<|endoftext|>\n" + story(8) + "\n<|endoftext|>\n";
  const auto several = open_text({{}, documents}, 0, 1).finish();
  ASSERT_TRUE(several.has_value()) << several.error().message;
  EXPECT_EQ(several->model->corpus->n_documents, 19) << "of 20, one is held out";
}

TEST(OwnText, CountsTheWindowsThatTrainingDraws) {
  const auto corpus = corpus_of(story(200));
  ASSERT_NE(corpus, nullptr);
  for (const int context : {8, 64, 100'000}) {
    Architecture a;
    a.foreign.context = context;
    EXPECT_EQ(corpus->n_windows(context), examples_of(*corpus, a, 1).n_windows()) << context;
  }
}

/// A page in a browser draws between the slices.
TEST(OwnText, IsOpenedInShortSlicesThatSayHowFarTheyAre) {
  const std::string text = story(8000);
  constexpr int n_pieces = 600;
  Slices<Result<Corpus>> reading = read_corpus({{}, text}, {PieceKind::byte_pairs, n_pieces, {}});
  int n_slices = 0;
  double longest = 0.0;
  for (double before = 0.0; reading.next(); before = reading.share(), ++n_slices) {
    EXPECT_GE(reading.share(), before);
    EXPECT_LE(reading.share(), 1.0);
    const bool makes_pieces = reading.share() >= 0.2 && before < 0.8;
    if (!makes_pieces) longest = std::max(longest, reading.share() - before);
  }
  const auto corpus = reading.take();
  ASSERT_TRUE(corpus.has_value()) << corpus.error().message;
  // A slice checks 16 KiB, which are a fifth of the work, splits 4 KiB into pieces, counts the words of
  // 32 KiB, or makes a piece.
  const double kilobytes = static_cast<double>(text.size()) / 1024.0;
  EXPECT_LE(longest, 0.2 * 17.0 / kilobytes);
  EXPECT_GE(n_slices, static_cast<int>(kilobytes / 16.0 + kilobytes / 32.0 + kilobytes / 5.0));
  // A document that is read in parts has the ids of the whole.
  for (const std::string& document : {text, "a" + std::string(40'000, ' ') + "hen", story(300)}) {
    TemporaryFolder folder;
    std::ofstream(folder / "train.txt") << document;
    std::ofstream(folder / "held_out.txt") << "The cat went.";
    const auto read = read_corpus({{folder / "train.txt"}, {}, {folder / "held_out.txt"}},
                                  {PieceKind::byte_pairs, n_pieces, corpus->pieces})
                          .finish();
    ASSERT_TRUE(read.has_value()) << read.error().message;
    DocumentIds whole = *corpus->tokenizer->ids(document.substr(0, document.find_last_not_of(" \n") + 1));
    whole.push_back(end_piece);
    EXPECT_EQ(read->train.front(), whole);
  }
  // What is left is dropped, as when the window closes.
  Slices<Result<OpenedText>> dropped = open_text({{}, text}, 0, 1);
  EXPECT_TRUE(dropped.next());
}

/// A poem of a few lines has too few pieces of several letters, but enough characters.
TEST(OwnText, IsSplitIntoCharactersIfItIsShort) {
  const auto poem = corpus_of(story(16));
  ASSERT_NE(poem, nullptr);
  EXPECT_TRUE(poem->is_of_characters);
  EXPECT_GE(poem->n_ids(Split::train), 256U);
  for (std::size_t i = first_text_piece; i < poem->pieces.pieces.size(); ++i)
    EXPECT_EQ(character_count(poem->pieces.pieces[i].text), 1U);
  DocumentIds ids = poem->train.front();
  ids.pop_back();
  EXPECT_TRUE(story(16).starts_with(*poem->tokenizer->decode(ids, true)));
  EXPECT_FALSE(corpus_of(story(400))->is_of_characters);
}

/// The end of a short text may be too short to be predicted.
TEST(OwnText, CanBeSoShortThatNothingIsHeldOut) {
  std::string text;
  RandomStream random(5, "letters");
  for (int i = 0; i < 300; ++i) text += static_cast<char>('!' + draw_below(random, 90));
  const auto opened = open_text({{}, text}, 0, 1).finish();
  ASSERT_TRUE(opened.has_value()) << opened.error().message;
  ThreadPool pool(1);
  const auto done = trained({TaskKind::pronouns, opened->model->model.architecture, 1, opened->model->corpus},
                            {12, 2, 4e-3F}, pool);
  ASSERT_NE(done, nullptr);
  EXPECT_EQ(done->steps, 12);
  EXPECT_GE(done->samples.size(), 2U);
}

TEST(OwnText, IsSavedWithAllDigitsAndOpensAsALlamaModel) {
  const auto corpus = corpus_of(story(300));
  ASSERT_NE(corpus, nullptr);
  ThreadPool pool(1);
  const Architecture architecture = open_text(corpus->sources, 0, 1).finish()->model->model.architecture;
  const auto done = trained({TaskKind::pronouns, architecture, 1, corpus}, {5, 4, 4e-3F}, pool);
  const std::vector<float> numbers = parameters_of(done->newest->model, *done->layout);
  TemporaryFolder folder;
  const auto place = folder / "own";
  ASSERT_TRUE(save_model(place, *done->newest));
  const auto weights = load_weights(place);
  ASSERT_TRUE(weights.has_value()) << weights.error().message;
  EXPECT_EQ(parameters_of((*weights)->model, *done->layout), numbers);
  EXPECT_EQ((*weights)->steps, 5);
  EXPECT_TRUE((*weights)->name.empty());
  EXPECT_EQ((*weights)->title(), corpus->name);
  ASSERT_NE((*weights)->corpus, nullptr);
  EXPECT_FALSE((*weights)->corpus->is_open());
  // It can be kept again.
  ASSERT_TRUE(save_model(folder / "again", **weights));
  EXPECT_EQ(parameters_of((*load_weights(folder / "again"))->model, *done->layout), numbers);
  // A run that was interrupted is not overwritten.
  std::ofstream(place / training_state_name) << "state";
  const auto refused = save_model(place, *done->newest);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("interrupted"), std::string::npos);
  std::filesystem::remove(place / training_state_name);
  const auto opened = load_model(place);
  ASSERT_TRUE(opened.has_value()) << opened.error().message;
  EXPECT_TRUE((*opened)->is_foreign());
  EXPECT_EQ((*opened)->example, corpus->example);
}

}  // namespace
}  // namespace headscope
