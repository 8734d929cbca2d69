#include "core/paint/pdf_attachment.h"

#include <memory>
#include <qpdf/Buffer.hh>
#include <qpdf/Pipeline.hh>
#include <qpdf/QPDF.hh>
#include <qpdf/QPDFEmbeddedFileDocumentHelper.hh>
#include <qpdf/QPDFWriter.hh>
#include <stdexcept>

namespace headscope {
namespace {

void open(QPDF& document, std::string_view pdf) {
  document.setSuppressWarnings(true);
  // Searching a damaged file for its objects may take long.
  document.setAttemptRecovery(false);
  document.processMemoryFile("figure", pdf.data(), pdf.size());
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
                                         std::size_t most_bytes) try {
  // Compressed tables of objects, which with_attachment() never writes, may expand to gigabytes as soon as
  // the file is opened.
  const bool has_packed_tables =
      pdf.find("/ObjStm") != std::string_view::npos || pdf.find("/XRef") != std::string_view::npos;
  if (has_packed_tables || pdf.find(name) == std::string_view::npos) return std::nullopt;
  QPDF document;
  open(document, pdf);
  const auto file = QPDFEmbeddedFileDocumentHelper(document).getEmbeddedFile(name);
  if (!file) return std::nullopt;
  LimitedText content(most_bytes);
  if (!file->getEmbeddedFileStream().pipeStreamData(&content, 0, qpdf_dl_generalized)) return std::nullopt;
  return content.text;
} catch (const std::exception&) {
  return std::nullopt;
}

}  // namespace headscope
