package import Pipeline

extension Erasures {
  /// The key text of an id, as it is stored: the UUID of an installation in upper case.
  package static func key(_ section: KeySection, _ id: ByteView) -> ByteBuffer {
    var key = ByteBuffer(capacity: id.count + 8)
    append(section, id, to: &key)
    return key
  }

  /// Appends the key text of an id.
  package static func append(_ section: KeySection, _ id: ByteView, to key: inout ByteBuffer) {
    key.append(section.prefix)
    let isFolded = section == .install && UUIDText.shape(id).isUUID
    for index in 0..<id.count {
      let byte = id[index]
      let isLower = isFolded && byte >= UInt8(ascii: "a")
      key.append(isLower ? byte & ~0x20 : byte)
    }
  }
}
