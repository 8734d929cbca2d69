#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "app/imgui/imgui_compat.h"
#include "core/figure/figure.h"
#include "core/result.h"

namespace headscope {

/// Makes textures from images, with nearest-neighbour filtering and clamped edges.
class TextureStore {
 public:
  TextureStore() = default;
  TextureStore(const TextureStore&) = delete;
  TextureStore& operator=(const TextureStore&) = delete;
  virtual ~TextureStore() = default;

  /// Returns `no_texture` if the image is empty or one of its sides is longer than largest_side().
  virtual ImTextureID create(const Image& image) = 0;
  virtual void destroy(ImTextureID texture) = 0;
  virtual int largest_side() const = 0;
};

struct PixelSize {
  int width = 0, height = 0;
  bool operator==(const PixelSize&) const = default;
};

struct WindowOptions {
  std::string title = "Headscope";
  PixelSize size{1440, 900};     ///< in screen coordinates
  bool fits_the_monitor = true;  ///< limit the size to the monitor's work area
  bool shows_frames = true;      ///< if false, frames are only laid out, and read_pixels() draws the last one
  std::vector<Image> icons = {};  ///< in different sizes, from which the window system chooses
};

/// Decides when the next frame is due, so that an idle window sleeps. After an event, ImGui needs a few
/// frames until hover, focus and layout have settled.
class FramePacer {
 public:
  static constexpr int frames_to_settle = 3;

  /// Requests the next frames after input, a new trace or a step of an animation.
  void event() { frames_left_ = frames_to_settle; }
  /// Requests a frame in `seconds`, such as for a message that disappears. The earliest time counts.
  void due_in(double seconds) { due_in_ = std::min(due_in_, std::max(0.0, seconds)); }
  /// Call this after each frame. A frame that ends a sleep is followed by others, because what ImGui first
  /// shows in it, such as a tooltip, becomes visible only in the next.
  void frame_drawn() {
    if (frames_left_ == 0) event();
    --frames_left_;
    due_in_ = longest_sleep;
  }
  /// How long Window::wait_events() may sleep. 0 while frames are due.
  double sleep_seconds() const { return frames_left_ > 0 ? 0.0 : due_in_; }

 private:
  /// The longest sleep, which bounds the delay of a lost wake-up.
  static constexpr double longest_sleep = 10.0;
  int frames_left_ = frames_to_settle;
  double due_in_ = longest_sleep;
};

/// A window with an ImGui context. Only one exists at a time. All functions except wake() and copy_picture()
/// must be called from the thread that created it.
class Window {
 public:
  Window() = default;
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;
  virtual ~Window() = default;

  /// Processes pending events and sleeps for up to `seconds` (0: not at all) until one arrives. Returns
  /// whether frames are due (see FramePacer): after input, a resize, an exposure or a wake-up.
  virtual bool wait_events(double seconds) = 0;
  /// Starts an ImGui frame. Input that came too fast for one frame, such as a click within a millisecond, is
  /// spread over several. has_pending_input() then says that another frame is due.
  virtual void begin_frame() = 0;
  /// Renders the ImGui frame and shows it, if the window shows frames.
  virtual void end_frame() = 0;
  virtual bool has_pending_input() const = 0;
  /// Defers keys and characters until the text field that is about to take the keyboard focus has it.
  virtual void hold_keys() = 0;

  virtual bool should_close() const = 0;
  /// Why the window closed by itself (the display was lost). Empty if it did not.
  virtual std::string loss() const = 0;

  virtual PixelSize framebuffer_size() const = 0;
  /// The monitor's interface scale in ImGui units (1, 1.25, 2, …).
  virtual float content_scale() const = 0;
  /// Ends a sleep in wait_events(). May be called from any thread.
  virtual void wake() = 0;
  /// The picture of the last frame.
  virtual Result<Image> read_pixels() = 0;
  /// The paths of the files dropped on the window since the last call.
  virtual std::vector<std::string> take_dropped_files() = 0;

  /// Opens the system's file dialog, if this is the only way to reach the user's files. They arrive like
  /// dropped ones. Returns false if there is no such dialog.
  virtual bool ask_for_files() { return false; }

  /// Puts a PNG file on the clipboard. The error says what to do. May be called from any thread.
  virtual Result<void> copy_picture(const std::string& png) = 0;

  /// Copies an address at which a browser opens the scene. The error says why there is none.
  virtual Result<void> copy_link(const std::string& /*scene*/) {
    return failure("only the program in a browser has an address: export a web page instead");
  }

  virtual TextureStore& textures() = 0;
  /// Call this between frames after the font atlas was rebuilt.
  virtual void upload_fonts() = 0;
};

/// Opens a window with OpenGL 3.3. The error (no display, no OpenGL 3.3) says what was tried and what to do.
Result<std::unique_ptr<Window>> open_glfw_window(const WindowOptions& options);

}  // namespace headscope
