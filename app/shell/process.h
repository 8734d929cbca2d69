#pragma once

namespace headscope {

/// Prepares the whole process before anything else runs:
/// - Writing a file beyond the allowed size becomes an error instead of ending the process.
/// - An exception that no code can catch (from a destructor) ends the process with a message and code 1.
void prepare_process();

}  // namespace headscope
