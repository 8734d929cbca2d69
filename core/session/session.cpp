#include "core/session/session.h"

namespace headscope {

Subject::Subject() = default;
Subject::Subject(const Subject& other) = default;
Subject::Subject(Subject&& other) noexcept = default;
Subject& Subject::operator=(const Subject& other) = default;
Subject& Subject::operator=(Subject&& other) noexcept = default;
Subject::~Subject() = default;
bool Subject::operator==(const Subject& other) const = default;

Session::Session() = default;
Session::Session(const Session& other) = default;
Session::Session(Session&& other) noexcept = default;
Session& Session::operator=(const Session& other) = default;
Session& Session::operator=(Session&& other) noexcept = default;
Session::~Session() = default;
bool Session::operator==(const Session& other) const = default;

}  // namespace headscope
