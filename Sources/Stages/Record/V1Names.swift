import Pipeline

/// Event names and keys of user data in v1, with prefixes that v2 lacks (data-model 3.4, 6, 10).
enum V1Names {
  /// Length of the prefix that is removed from an event name: `E.`, `e.` or `ue.`.
  static func eventPrefix(of name: ByteView) -> Int {
    if name.starts(with: "E.") || name.starts(with: "e.") { return 2 }
    return name.starts(with: "ue.") ? 3 : 0
  }

  /// Removes the prefixes of a user-data key: `u.KEY`, `ut.KEY`, `date(u.KEY)`, `url(u.KEY)`; bare
  /// `language` and `region` become the native keys. Returns whether the key names a tag
  /// collection.
  static func stripPrefix(ofKey key: Int, in tape: Tape) -> Bool {
    let text = tape.bytes(at: key)
    if text.starts(with: "ut.") {
      KeyName.narrow(key, to: 3..<text.count, in: tape)
      return true
    }
    if text.starts(with: "u.") {
      KeyName.narrow(key, to: 2..<text.count, in: tape)
    } else if text == "language" || text == "region" {
      tape.rewrite(key) { present, native in
        native.append(UInt8(ascii: "$"))
        native.append(present)
      }
    } else if let form = KeyForm.typed.first(where: { text.starts(with: ByteView($0.opening)) }),
      text.dropFirst(form.opening.utf8CodeUnitCount).starts(with: "u.")
    {
      tape.rewrite(key) { present, inner in
        inner.append(form.opening)
        inner.append(present.dropFirst(form.opening.utf8CodeUnitCount + 2))
      }
    }
    return false
  }
}

extension RecordBatch {
  /// Sets the number of the event's name, and relabels it to its stored form (data-model 6); false,
  /// with nothing relabelled, when the name is invalid or there are too many.
  @inline(__always)
  func storeName(of event: inout EventEntry, isV1: Bool) -> Bool {
    let node = event.nameNode.index
    event.name = names.number(of: tape[node], in: tape, prefix: V1Names.eventPrefix)
    let info = names[event.name]
    let shape = isV1 ? info.shapeInV1 : info.shape
    guard event.name != 0, shape.isName else { return false }
    if isV1 { KeyName.dropPrefix(Int(info.prefix), of: node, in: tape) }
    if shape.isMixed { KeyName.lowercase(node, in: tape) }
    return true
  }
}
