#pragma once

#include <optional>
#include <string>

#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// Stands for the edited subject where the number of a held subject is expected.
inline constexpr int edited_subject = -1;

/// The inputs for a page that shows only this subject. `trace` is null if its pass is not available yet.
PageInputs inputs_of_subject(const PageInputs& in, int held);

/// “B” for the subject that is being edited; “A”, “A2”, … for the held subjects.
std::string subject_name(int held);

/// Names what differs between the first held subject and the edited one: “the layer and the head”. Empty if
/// they are the same.
std::string what_differs(const Session& session);

/// The only word in which two sentences differ.
struct ChangedWord {
  std::string before;  ///< The word before it. Empty if it is the first.
  std::string in_a, in_b;
  bool is_last = false;

  /// The word with its place: “… too wide”.
  std::string place_of(const std::string& word) const;
};

/// The word in which A and B differ if nothing else does. Empty if more or something else differs.
std::optional<ChangedWord> changed_word(const Session& session);

/// Whether the subjects compared in a session have different sentences.
bool differ_in_sentences(const Session& session);

/// The caption of a subject: its letter, the selected place and its model, and its sentence where the
/// sentences differ; if they differ in one word, that word stands for the sentence. `compared` is the session
/// with all subjects.
Page subject_caption(const PageInputs& in, PageTools& tools, int held, const Session& compared, float width);

/// Notes that a reader of the difference needs. Empty if there are none.
std::string notes_on_difference(const Session& session);

/// The caption of a difference.
Page difference_caption(const PageInputs& in, PageTools& tools, float width);

}  // namespace headscope
