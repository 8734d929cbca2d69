#pragma once

namespace headscope {

/// What holds for the whole process, before anything else runs:
/// - a file that grows beyond what the process may write is an error of that write, not the process's end;
/// - a file that becomes shorter while it is mapped reads as zeros beyond its end (MappedFile::is_whole()
/// tells);
/// - an exception that nobody can catch (out of a destructor) ends the process with its message and code 1.
void prepare_process();

}  // namespace headscope
