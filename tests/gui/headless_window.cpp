#include "tests/gui/headless_window.h"

#include <atomic>
#include <mutex>
#include <set>
#include <utility>

#include "app/imgui/keys.h"
#include "app/platform/clipboard.h"
#include "app/platform/imgui_context.h"
#include "app/platform/window.h"
#include "core/text/utf8.h"

namespace headscope {
namespace {

/// Hands out texture names as OpenGL would, and remembers which textures exist.
class CountingTextures : public TextureStore {
 public:
  ImTextureID create(const Image& image) override {
    if (image.width <= 0 || image.height <= 0) return no_texture;
    if (image.width > largest_side() || image.height > largest_side()) return no_texture;
    return texture_from_name(++last_name_);
  }
  void destroy(ImTextureID) override {}
  int largest_side() const override { return 16384; }

 private:
  unsigned last_name_ = 1;  // 1 is the font atlas
};

class MemoryClipboard : public Clipboard {
 public:
  Result<std::string> get() const override {
    if (!problem_.empty()) return failure(problem_);
    return text_;
  }
  void set(const std::string& text) override { text_ = text; }
  void refuse(const std::string& problem) { problem_ = problem; }

 private:
  std::string text_;
  std::string problem_;
};

class HeadlessWindowImpl final : public HeadlessWindow {
 public:
  HeadlessWindowImpl(PixelSize size, float content_scale) : size_(size), content_scale_(content_scale) {
    ImGuiIO& io = ImGui::GetIO();
    io.BackendPlatformName = "headscope_headless";
    io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;  // as OpenGL has since 3.2
#if IMGUI_VERSION_NUM >= 19200
    io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
#endif
    map_native_keys(io);
    clipboard_.install();
  }

  bool wait_events(double) override {
    return woken_.exchange(false) || !queue_.empty();
  }
  void begin_frame() override;
  void end_frame() override;
  bool has_pending_input() const override {
    return !queue_.empty();
  }
  void hold_keys() override {
    queue_.hold_keys();
  }
  bool should_close() const override {
    return close_;
  }
  void close(bool close) override {
    close_ = close;
  }
  std::string loss() const override {
    return {};
  }
  PixelSize framebuffer_size() const override {
    return size_;
  }
  float content_scale() const override {
    return content_scale_;
  }
  void wake() override {
    woken_ = true;
  }
  Result<Image> read_pixels() override {
    return failure("a window without a display draws nothing, so there are no pixels to read");
  }
  std::vector<std::string> take_dropped_files() override {
    return std::exchange(dropped_, {});
  }
  TextureStore& textures() override {
    return textures_;
  }
  void upload_fonts() override;

  void mouse_move(float x, float y) override {
    queue_.push(MouseMoved{x, y});
  }
  void mouse_down(MouseButton button) override {
    queue_.push(MouseButtonChanged{static_cast<int>(button), true, ImGui::GetTime()});
  }
  void mouse_up(MouseButton button) override {
    queue_.push(MouseButtonChanged{static_cast<int>(button), false, ImGui::GetTime()});
  }
  void mouse_wheel(float dx, float dy) override {
    queue_.push(WheelTurned{dx, dy});
  }
  void key_down(Key key) override {
    queue_.push(KeyChanged{key, true});
  }
  void key_up(Key key) override {
    queue_.push(KeyChanged{key, false});
  }
  void focus(bool focused) override {
    queue_.push(FocusChanged{focused});
  }
  void type(std::string_view text) override {
    for (const char32_t c : code_points(valid_utf8(text)))
      queue_.push(CharacterTyped{static_cast<unsigned>(c)});
  }
  void resize(PixelSize size) override {
    size_ = size;
  }
  void drop_file(std::string path) override {
    dropped_.push_back(std::move(path));
  }
  void set_clipboard(std::string text) override {
    clipboard_.set(text);
  }
  std::string clipboard() const override {
    return clipboard_.text();
  }
  Result<void> copy_picture(const std::string& png) override {
    const std::lock_guard lock(picture_mutex_);
    if (!picture_problem_.empty()) return failure(picture_problem_);
    picture_ = png;
    return {};
  }
  std::string clipboard_picture() const override {
    const std::lock_guard lock(picture_mutex_);
    return picture_;
  }
  void refuse_clipboard(std::string problem) override {
    clipboard_.refuse(problem);
    const std::lock_guard lock(picture_mutex_);
    picture_problem_ = std::move(problem);
  }
  DrawCounts draw_counts() const override {
    return counts_;
  }

 private:
  // The context is the last member, so that everything it points to outlives it.
  MemoryClipboard clipboard_;
  CountingTextures textures_;
  ImGuiContextOwner context_;
  InputQueue queue_;
  PixelSize size_;
  float content_scale_;
  std::vector<std::string> dropped_;
  DrawCounts counts_;
  std::atomic<bool> woken_ = false;
  bool close_ = false;
  mutable std::mutex picture_mutex_;
  std::string picture_, picture_problem_;
};

void HeadlessWindowImpl::begin_frame() {
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = ImVec2(static_cast<float>(size_.width), static_cast<float>(size_.height));
  io.DeltaTime = 1.0F / 60.0F;
#if IMGUI_VERSION_NUM < 19200
  if (!io.Fonts->IsBuilt()) upload_fonts();
#endif
  queue_.apply(io);
  update_navigation(io);
  ImGui::NewFrame();
}

void HeadlessWindowImpl::end_frame() {
  ImGui::Render();
  const ImDrawData& data = *ImGui::GetDrawData();
  counts_ = {static_cast<std::size_t>(data.TotalVtxCount), static_cast<std::size_t>(data.TotalIdxCount), 0};
  for (int i = 0; i < data.CmdListsCount; ++i) {
    counts_.commands += static_cast<std::size_t>(data.CmdLists[i]->CmdBuffer.Size);
  }
#if IMGUI_VERSION_NUM >= 19200
  for (ImTextureData* texture : ImGui::GetPlatformIO().Textures) {
    if (texture->Status == ImTextureStatus_WantDestroy) {
      texture->SetTexID(ImTextureID_Invalid);
      texture->SetStatus(ImTextureStatus_Destroyed);
    } else if (texture->Status != ImTextureStatus_OK && texture->Status != ImTextureStatus_Destroyed) {
      texture->SetTexID(texture_from_name(1));
      texture->SetStatus(ImTextureStatus_OK);
    }
  }
#endif
}

void HeadlessWindowImpl::upload_fonts() {
#if IMGUI_VERSION_NUM < 19200
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  unsigned char* pixels = nullptr;
  int width = 0;
  int height = 0;
  atlas.GetTexDataAsRGBA32(&pixels, &width, &height);
  atlas.SetTexID(texture_from_name(1));
#endif
}

}  // namespace

void HeadlessWindow::click(float x, float y, MouseButton button) {
  mouse_move(x, y);
  mouse_down(button);
  mouse_up(button);
}

void HeadlessWindow::drag(Point from, Point to) {
  constexpr int steps = 4;
  mouse_move(from.x, from.y);
  mouse_down(MouseButton::left);
  for (int i = 1; i <= steps; ++i) {
    const float part = static_cast<float>(i) / steps;
    mouse_move(from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part);
  }
  mouse_up(MouseButton::left);
}

void HeadlessWindow::press(Chord chord) {
  const std::pair<bool, Key> modifiers[] = {
      {chord.ctrl, Key::left_control}, {chord.shift, Key::left_shift}, {chord.alt, Key::left_alt}};
  for (const auto& [held, key] : modifiers) {
    if (held) key_down(key);
  }
  key_down(chord.key);
  key_up(chord.key);
  for (const auto& [held, key] : modifiers) {
    if (held) key_up(key);
  }
}

void HeadlessWindow::run(const std::function<void()>& draw) {
  constexpr int frames_to_settle = 4;
  int settled = 0;
  while (settled < frames_to_settle) {
    settled = has_pending_input() ? 0 : settled + 1;
    begin_frame();
    draw();
    end_frame();
  }
}

std::unique_ptr<HeadlessWindow> make_headless_window(PixelSize size, float content_scale) {
  return std::make_unique<HeadlessWindowImpl>(size, content_scale);
}

}  // namespace headscope
