#include "core/session/architecture_json.h"

#include "core/session/architecture_fields.h"

namespace headscope {

std::string architecture_to_json(const Architecture& architecture) {
  nlohmann::json json;
  FieldWriter writer(json);
  Architecture described = architecture;
  describe(writer, described);
  return json.dump();
}

Result<Architecture> architecture_from_json(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return failure("the architecture is not a JSON object");
  Architecture architecture;
  std::string error;
  FieldReader reader(json, "", error);
  describe(reader, architecture);
  if (!error.empty()) return failure("the architecture cannot be read: " + error);
  if (auto ok = validate(architecture); !ok) return tl::unexpected(ok.error());
  return architecture;
}

}  // namespace headscope
