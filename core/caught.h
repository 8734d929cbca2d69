#pragma once

#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <system_error>

namespace headscope {

/// Returns the message for the exception that is being handled. Call it from a handler, usually catch (...).
/// `cure` is the advice to give when memory runs out.
inline std::string caught_text(
    const std::string& cure =
        "give less at once (shorter texts and lists, a smaller file or model), or close other programs") {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return "not enough memory: " + cure;
  } catch (const std::filesystem::filesystem_error& error) {
    return error.what();
  } catch (const std::system_error& error) {  // Usually thrown because no thread could be started.
    return std::string("the system refused a resource: ") + error.what();
  } catch (const std::exception& error) {
    return std::string("unexpected error: ") + error.what();
  } catch (...) {
    return "unexpected error";
  }
}

}  // namespace headscope
