import Foundation
package import Pipeline
import Testing

extension JSONDocument {
  /// A document that was changed on purpose, with the hash that it ends with now.
  package static func resealed(_ text: String) -> String {
    guard
      let seal = text.range(of: #",\n  "xxh64": "[0-9a-f]*"\n\}\n$"#, options: .regularExpression)
    else { return text }
    let body = String(text[..<seal.lowerBound])
    let bytes = ByteBuffer(text: body)
    return body + ",\n  \"xxh64\": \"\(XXH64.text(XXH64.hash(bytes.view)))\"\n}\n"
  }
}

extension ScratchDirectory {
  /// Changes the text of a file, and of a document the hash that it ends with.
  package func edit(_ name: String, _ change: (String) throws -> String) throws {
    let text = try text(name)
    let changed = try change(text)
    #expect(changed != text, "\(name)")
    try write(JSONDocument.resealed(changed), to: name)
  }
}
