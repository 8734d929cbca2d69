#pragma once

#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <system_error>

namespace headscope {

/// Returns a message for the exception currently being handled. Call this inside a catch block. `advice` is
/// shown when memory runs out.
inline std::string current_exception_message(
    const std::string& advice =
        "give less at once (shorter texts and lists, a smaller file or model), or close other programs") {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return "not enough memory: " + advice;
  } catch (const std::filesystem::filesystem_error& error) {
    return error.what();
  } catch (const std::system_error& error) {  // Usually a thread could not be started.
    return std::string("the system refused a resource: ") + error.what();
  } catch (const std::exception& error) {
    return std::string("unexpected error: ") + error.what();
  } catch (...) {
    return "unexpected error";
  }
}

}  // namespace headscope
