import Pipeline

/// The rules for the ids of a record's owner (data-model 5).
enum IdentityRule {
  /// Whether an id of a line whose texts were repaired cannot be trusted: texts that differed may
  /// have become this one.
  static func isDoubtful(_ id: Node, of tape: Tape, _ repairs: LineRepairs) -> Bool {
    guard repairs.changesTexts, id.exists, tape[id].kind == .string else { return false }
    let text = tape.bytes(at: id)
    return (0..<text.count).contains { text.dropFirst($0).starts(with: "\u{FFFD}") }
  }

  /// The fault of an installation id, or nil; a valid UUID is stored in upper case.
  static func storeInstallationID(_ node: Node, in tape: Tape) -> ValueFault? {
    guard node.exists else { return nil }
    let entry = tape[node]
    if entry.kind == .string {
      let shape = UUIDText.shape(tape.bytes(entry))
      if shape.isMixed { capitalize(node.index, in: tape) }
      if shape.isUUID { return nil }
    }
    return TextRule.installationID.fault(entry, of: tape)
  }

  private static func capitalize(_ node: Int, in tape: Tape) {
    tape.rewrite(node) { present, upper in
      for index in 0..<present.count {
        let byte = present[index]
        upper.append(byte >= UInt8(ascii: "a") ? byte & ~0x20 : byte)
      }
    }
  }
}
