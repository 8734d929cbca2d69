#pragma once

#include <filesystem>
#include <string>

#include "app/parts/folder_list.h"
#include "core/jobs/job_queue.h"
#include "core/scene/effect.h"
#include "core/scene/event.h"

namespace headscope {

/// A folder as it is shown to the user, with ~ for the home folder.
std::string shown_folder(const std::filesystem::path& folder);

/// The user's folder for pictures, as the desktop's user-dirs.dirs names it, with ~ for the home folder. If
/// there is none, the home folder; without a home folder, the one in which the program was started.
std::string pictures_folder();

/// Lists the subfolders of a folder, and the files and models in it that can be opened, recognised by name
/// and content. Hidden entries are left out, and the rest is sorted by name. A model's folder counts as
/// something that can be opened.
FolderListing listing_of(const std::string& folder);

/// Submits the job of an effect that reads or writes files; its result is an event. Ignores other effects.
/// `n_threads` is the number of threads that will train on a text.
void submit_file_job(const Effect& effect, int n_threads, JobQueue<Event>& jobs);

}  // namespace headscope
