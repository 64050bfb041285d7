/// Comma-separated values (RFC 4180).
package enum CSV {
  /// Appends a record and CR LF. A field with a comma, a quote or a line end is quoted.
  package static func append(_ fields: [String], to text: inout ByteBuffer) {
    for (index, field) in fields.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      let needsQuotes = field.utf8.contains { byte in ",\"\r\n".utf8.contains(byte) }
      text.append(text: needsQuotes ? "\"\(field.replacing("\"", with: "\"\""))\"" : field)
    }
    text.append("\r\n")
  }
}
