#include "app/platform/native/x11_clipboard.h"

#include <poll.h>
#include <xcb/xcb.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "core/text/utf8.h"

namespace headscope {
namespace {

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
template <class T>
using Reply = std::unique_ptr<T, Free>;

constexpr std::uint32_t max_bytes = std::uint32_t{64} << 20U;

tl::unexpected<Error> not_pasted(const std::string& why) {
  return failure("nothing was pasted: " + why);
}

/// A hidden window on its own connection, whose events GLFW does not take.
class Requestor {
 public:
  Requestor() : connection_(xcb_connect(nullptr, nullptr)) {
    if (!is_connected()) return;
    const xcb_screen_t& screen = *xcb_setup_roots_iterator(xcb_get_setup(connection_)).data;
    const std::uint32_t events = XCB_EVENT_MASK_PROPERTY_CHANGE;
    window_ = xcb_generate_id(connection_);
    xcb_create_window(connection_, XCB_COPY_FROM_PARENT, window_, screen.root, 0, 0, 1, 1, 0,
                      XCB_WINDOW_CLASS_INPUT_ONLY, screen.root_visual, XCB_CW_EVENT_MASK, &events);
    clipboard_ = atom("CLIPBOARD");
    utf8_ = atom("UTF8_STRING");
    parts_ = atom("INCR");
  }
  ~Requestor() { xcb_disconnect(connection_); }
  Requestor(const Requestor&) = delete;
  Requestor& operator=(const Requestor&) = delete;

  bool is_connected() const { return xcb_connection_has_error(connection_) == 0; }

  /// Fails if nothing arrives for one second, if the transfer takes more than ten seconds, or if the text
  /// exceeds 64 MiB.
  Result<std::string> read(const std::function<void()>& meanwhile);

 private:
  xcb_atom_t atom(std::string_view name) {
    const auto cookie = xcb_intern_atom(connection_, 0, static_cast<std::uint16_t>(name.size()), name.data());
    const Reply<xcb_intern_atom_reply_t> reply(xcb_intern_atom_reply(connection_, cookie, nullptr));
    return reply ? reply->atom : xcb_atom_t{XCB_ATOM_NONE};
  }
  void request(xcb_atom_t type) {
    text_type_ = type;
    xcb_convert_selection(connection_, window_, clipboard_, type, clipboard_, XCB_CURRENT_TIME);
    xcb_flush(connection_);
  }
  void take(const xcb_generic_event_t& event, std::string& text);
  void consume_property(std::string& text);

  xcb_connection_t* connection_;
  xcb_window_t window_ = 0;
  xcb_atom_t clipboard_ = 0;  ///< also the property in which the owner puts the text
  xcb_atom_t utf8_ = 0;
  xcb_atom_t parts_ = 0;
  xcb_atom_t text_type_ = 0;  ///< the type of the text
  bool comes_in_parts_ = false;
  bool is_too_long_ = false;
  bool is_done_ = false;
};

/// Reads the property and deletes it, which requests the next part.
void Requestor::consume_property(std::string& text) {
  const auto cookie = xcb_get_property(connection_, 1, window_, clipboard_, XCB_ATOM_ANY, 0, max_bytes / 4);
  const Reply<xcb_get_property_reply_t> reply(xcb_get_property_reply(connection_, cookie, nullptr));
  const int size = reply ? xcb_get_property_value_length(reply.get()) : 0;
  is_too_long_ = is_too_long_ || (reply && reply->bytes_after > 0);
  if (size > 0 && reply->type == parts_) {
    comes_in_parts_ = true;
    return;
  }
  const std::string_view part(size > 0 ? static_cast<const char*>(xcb_get_property_value(reply.get())) : "",
                              static_cast<std::size_t>(size));
  if (text_type_ == utf8_) {
    text += part;
  } else {
    for (const char latin_1 : part) text += to_utf8(static_cast<unsigned char>(latin_1));
  }
  is_done_ = !comes_in_parts_ || size == 0;
}

void Requestor::take(const xcb_generic_event_t& event, std::string& text) {
  constexpr unsigned without_sender = 0x7F;
  const unsigned kind = event.response_type & without_sender;
  if (kind == XCB_SELECTION_NOTIFY) {
    const auto& answer = reinterpret_cast<const xcb_selection_notify_event_t&>(event);
    if (answer.property != XCB_ATOM_NONE) {
      consume_property(text);
    } else if (text_type_ == utf8_) {
      request(XCB_ATOM_STRING);
    } else {
      is_done_ = true;
    }
  } else if (kind == XCB_PROPERTY_NOTIFY && comes_in_parts_) {
    const auto& change = reinterpret_cast<const xcb_property_notify_event_t&>(event);
    if (change.state == XCB_PROPERTY_NEW_VALUE) consume_property(text);
  }
}

Result<std::string> Requestor::read(const std::function<void()>& meanwhile) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::seconds patience(1);
  constexpr std::chrono::seconds longest(10);
  constexpr int poll_interval = 5;  // milliseconds
  const Clock::time_point end = Clock::now() + longest;
  Clock::time_point until = Clock::now() + patience;
  std::string text;
  request(utf8_);
  while (!is_done_) {
    const Reply<xcb_generic_event_t> event(xcb_poll_for_event(connection_));
    if (event && Clock::now() < end) {
      take(*event, text);
      if (is_too_long_ || text.size() > max_bytes)
        return not_pasted("the clipboard holds more than 64 MiB. Save it to a file, and open that.");
      until = std::min(end, Clock::now() + patience);
      continue;
    }
    if (!is_connected()) return not_pasted("the connection to the display was lost. Try again.");
    if (Clock::now() > end)
      return not_pasted(
          "the program that holds the clipboard did not send all of it in ten seconds. Save the text to a file, and open that.");
    if (Clock::now() > until)
      return not_pasted(
          "the program that holds the clipboard sent nothing for a second. Copy the text again, or end that program.");
    meanwhile();
    pollfd arrival{xcb_get_file_descriptor(connection_), POLLIN, 0};
    ::poll(&arrival, 1, poll_interval);
  }
  return text;
}

}  // namespace

Result<std::string> read_x11_clipboard(const std::function<void()>& meanwhile) {
  Requestor requestor;
  if (!requestor.is_connected()) return not_pasted("the display cannot be reached.");
  return requestor.read(meanwhile);
}

}  // namespace headscope
