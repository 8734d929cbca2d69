#include "core/paint/pdf_attachment.h"

#include <algorithm>
#include <array>
#include <memory>
#include <qpdf/Buffer.hh>
#include <qpdf/Pipeline.hh>
#include <qpdf/QPDF.hh>
#include <qpdf/QPDFEmbeddedFileDocumentHelper.hh>
#include <qpdf/QPDFWriter.hh>
#include <sstream>
#include <stdexcept>

namespace headscope {
namespace {

void open(QPDF& document, std::string_view pdf) {
  document.setSuppressWarnings(true);
  // Searching a damaged file for its objects may take long.
  document.setAttemptRecovery(false);
  document.processMemoryFile("figure", pdf.data(), pdf.size());
}

/// Whether the file is read by means of one uncompressed table of objects, as with_attachment() writes it. A
/// compressed one may expand to gigabytes as soon as the file is opened. A name in the trailer may be written
/// with escapes (/Pr#65v), so none is accepted that leads to another table.
bool has_plain_table(std::string_view pdf) {
  constexpr std::string_view start = "startxref";
  const std::size_t last = pdf.rfind(start);
  if (last == std::string_view::npos) return false;
  std::size_t at = 0;
  std::istringstream(std::string(pdf.substr(last + start.size(), 32))) >> at;
  constexpr std::string_view beginning = "xref";
  if (at >= last || pdf.substr(at, beginning.size()) != beginning) return false;
  const std::size_t trailer = pdf.find("trailer", at);
  if (trailer >= last) return false;
  constexpr std::array<std::string_view, 4> forbidden{"#", "/Prev", "/XRefStm", "/Encrypt"};
  return std::none_of(forbidden.begin(), forbidden.end(), [&](std::string_view word) {
    return pdf.substr(trailer, last - trailer).find(word) != std::string_view::npos;
  });
}

/// Collects what is written to it and throws if that is too much, because a few compressed bytes may expand
/// to gigabytes.
class LimitedText : public Pipeline {
 public:
  explicit LimitedText(std::size_t most) : Pipeline("attachment", nullptr), most_(most) {}
  void write(const unsigned char* data, std::size_t size) override {
    if (size > most_ - text.size()) throw std::length_error("the attachment is too large");
    text.append(reinterpret_cast<const char*>(data), size);
  }
  void finish() override {}

  std::string text;

 private:
  std::size_t most_;
};

}  // namespace

Result<std::string> with_attachment(std::string_view pdf, const std::string& name,
                                    const std::string& content) try {
  QPDF document;
  open(document, pdf);
  auto stream = QPDFEFStreamObjectHelper::createEFStream(document, content);
  stream.setSubtype("application/json");
  auto file = QPDFFileSpecObjectHelper::createFileSpec(document, name, stream);
  QPDFEmbeddedFileDocumentHelper(document).replaceEmbeddedFile(name, file);
  QPDFWriter writer(document);
  writer.setOutputMemory();
  writer.setDeterministicID(true);
  // Keeps the description of the file readable in its bytes.
  writer.setObjectStreamMode(qpdf_o_disable);
  writer.write();
  const std::shared_ptr<Buffer> bytes = writer.getBufferSharedPointer();
  return std::string(reinterpret_cast<const char*>(bytes->getBuffer()), bytes->getSize());
} catch (const std::exception& error) {
  return failure(std::string("nothing can be attached to the PDF file: ") + error.what());
}

std::optional<std::string> attachment_in(std::string_view pdf, const std::string& name,
                                         std::size_t max_bytes) try {
  if (!has_plain_table(pdf) || pdf.find(name) == std::string_view::npos) return std::nullopt;
  QPDF document;
  open(document, pdf);
  const auto file = QPDFEmbeddedFileDocumentHelper(document).getEmbeddedFile(name);
  if (!file) return std::nullopt;
  // Other filters, several of them, and predictors may take any time and memory for a few bytes.
  QPDFObjectHandle stream = file->getEmbeddedFileStream();
  QPDFObjectHandle dictionary = stream.getDict();
  QPDFObjectHandle filter = dictionary.getKey("/Filter");
  const bool is_plain = filter.isNull() || filter.isNameAndEquals("/FlateDecode");
  if (!is_plain || dictionary.hasKey("/DecodeParms") || dictionary.hasKey("/F")) return std::nullopt;
  LimitedText content(max_bytes);
  if (!stream.pipeStreamData(&content, 0, qpdf_dl_generalized)) return std::nullopt;
  return content.text;
} catch (const std::exception&) {
  return std::nullopt;
}

}  // namespace headscope
