#pragma once

#include <optional>
#include <string>

#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// The edited subject, where the index of a compared subject is expected.
inline constexpr int edited_subject = -1;

/// The inputs for a page of this subject alone. `trace` is null while its pass is being computed.
PageInputs inputs_of_subject(const PageInputs& in, int compared);

/// “B” for the edited subject; “A”, “A2”, … for the compared ones.
std::string subject_name(int compared);

/// Names what differs between the first compared subject and the edited one: “the layer and the head”. Empty
/// if they are equal.
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

/// Whether the subjects of a session have different sentences.
bool differ_in_sentences(const Session& session);

/// The caption of a subject: its letter, selected place and model and, if the sentences differ, its sentence,
/// or the only word in which they differ. `compared` is the session with all subjects.
Page subject_caption(const PageInputs& in, PageTools& tools, int compared, const Session& comparison,
                     float width);

/// Notes on reading the difference. Empty if there are none.
std::string notes_on_difference(const Session& session);

/// The caption of a difference.
Page difference_caption(const PageInputs& in, PageTools& tools, float width);

}  // namespace headscope
