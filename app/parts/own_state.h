#pragma once

#include <map>
#include <memory>
#include <typeindex>

namespace headscope {

/// What single parts of the window remember from frame to frame for themselves. Each keeps a type of its own,
/// which other parts cannot name unless a header declares it for tests.
class OwnState {
 public:
  /// The state of this type. It is made when it is first asked for.
  template <class State>
  State& of() {
    std::shared_ptr<void>& kept = kept_[typeid(State)];
    if (!kept) kept = std::make_shared<State>();
    return *static_cast<State*>(kept.get());
  }

 private:
  std::map<std::type_index, std::shared_ptr<void>> kept_;
};

}  // namespace headscope
