#pragma once

#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <system_error>

namespace headscope {

/// What to tell a person about the exception that is being handled; to be called from a handler, catch (...)
/// above all. `cure`: what makes the memory suffice.
inline std::string caught_text(
    const std::string& cure = "shorten the sentence, or use fewer heads or a smaller d_model") {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return "not enough memory: " + cure;
  } catch (const std::filesystem::filesystem_error& error) {
    return error.what();
  } catch (const std::system_error& error) {  // no thread to be had, above all
    return std::string("the system refuses more: ") + error.what();
  } catch (const std::exception& error) {
    return std::string("an error that the program did not expect: ") + error.what();
  } catch (...) {
    return "an error that the program did not expect";
  }
}

}  // namespace headscope
