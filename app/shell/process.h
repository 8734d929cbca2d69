#pragma once

namespace headscope {

/// Prepares the whole process before anything else runs:
/// - Writing a file beyond the allowed size becomes an error instead of ending the process.
/// - A file that becomes shorter while it is mapped reads as zeros beyond its end, which
/// MappedFile::is_whole() detects.
/// - An exception that no code can catch (from a destructor) ends the process with a message and code 1.
void prepare_process();

}  // namespace headscope
