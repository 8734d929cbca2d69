#pragma once

#include <filesystem>
#include <string>

#include "tests/gui/app_driver.h"
#include "tests/gui/monkey/dice.h"

namespace headscope::monkey {

/// Does to the program whatever a user, or the user's cat, may do. Uses only files in `folder`.
class RandomEvents {
 public:
  RandomEvents(AppDriver& driver, Dice& dice, std::filesystem::path folder);

  /// Does one thing and describes it. May draw frames until the program has received its input.
  std::string act();

 private:
  std::string keys();
  std::string clicks();
  std::string drags();
  std::string turns_wheel();
  std::string types();
  std::string pastes();
  std::string runs_command();
  std::string changes_window();
  std::string changes_model();
  std::string changes_settings();
  std::string trains();
  std::string drops_file();
  std::string exports();
  std::string steps_through_history();

  Point place();

  AppDriver& driver_;
  Dice& dice_;
  std::filesystem::path folder_;
};

}  // namespace headscope::monkey
