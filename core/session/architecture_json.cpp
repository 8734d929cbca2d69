#include "core/session/architecture_json.h"

#include "core/session/architecture_fields.h"

namespace headscope {

nlohmann::json architecture_to_json(const Architecture& architecture) {
  nlohmann::json json;
  FieldWriter writer(json);
  Architecture described = architecture;
  describe(writer, described);
  return json;
}

Result<Architecture> architecture_from_json(const nlohmann::json& json) {
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
