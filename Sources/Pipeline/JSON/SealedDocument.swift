/// A document that notices damage: its last field, `xxh64`, is the hash of all bytes before it.
extension JSONWriter {
  package static func sealed<E: Error>(
    _ members: (inout JSONWriter) throws(E) -> Void
  ) throws(E) -> ByteBuffer {
    try document(.pretty) { json throws(E) in
      try members(&json)
      json.member(JSONDocument.sealName, JSONDocument.seal(json.bytes))
    }
  }
}

extension JSONDocument {
  package static let sealName: StaticString = "xxh64"
  fileprivate static func seal(_ bytes: ByteView) -> String { XXH64.text(XXH64.hash(bytes)) }

  /// Whether no byte of what ``JSONWriter/sealed(_:)`` wrote was changed, added or removed.
  package var isSealed: Bool {
    func end(_ seal: String) -> ByteBuffer {
      ByteBuffer(text: ",\n  \"\(JSONDocument.sealName)\": \"\(seal)\"\n}\n")
    }
    let start = source.count - end(JSONDocument.seal("")).count
    guard start > 0 else { return false }
    let expected = end(JSONDocument.seal(source[0..<start]))
    return source.dropFirst(start) == expected.view
  }
}
