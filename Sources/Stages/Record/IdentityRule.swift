package import Pipeline

/// The rules for the ids of a record's owner (data-model 5).
enum IdentityRule {
  /// The fault of the custom id `entry`, or nil. Complexity: O(length).
  static func customIDFault(_ entry: TapeEntry, of tape: Tape) -> ValueFault? {
    guard entry.kind == .string else { return ValueFault(.badCustomID) }
    if !PlainValue.isText(entry, atMost: UInt32(Limits.customID), of: tape),
      let fault = TextRule.customID.fault(entry, of: tape)
    {
      return fault
    }
    return ForbiddenIDs.contain(tape.bytes(entry)) ? ValueFault(.badCustomID) : nil
  }

  /// The fault of the installation id `entry`, or nil. Complexity: O(length).
  static func installationIDFault(_ entry: TapeEntry, of tape: Tape) -> ValueFault? {
    guard entry.kind == .string else { return ValueFault(.badInstallationID) }
    if let fault = TextRule.installationID.fault(entry, of: tape) { return fault }
    return Characters.containsWhiteSpace(tape.bytes(entry)) ? ValueFault(.badInstallationID) : nil
  }

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
    return installationIDFault(entry, of: tape)
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

/// Placeholders that programs write when they have no id (data-model 5).
package enum ForbiddenIDs {
  /// Whether `text`, in lower case, is a placeholder. Most ids differ from all of them in length.
  package static func contain(_ text: ByteView) -> Bool {
    switch text.count {
    case 3: isWord("nil", text) || isWord("nan", text)
    case 4: isWord("null", text) || isWord("true", text)
    case 5: isWord("false", text)
    case 6: isWord("(null)", text)
    case 8: isWord("infinity", text)
    case 9: isWord("undefined", text) || isWord("-infinity", text)
    case 15: isWord("[object object]", text)
    default: false
    }
  }

  private static func isWord(_ word: ByteView, _ text: ByteView) -> Bool {
    for index in 0..<word.count where word[index] != Characters.lowercased(text[index]) {
      return false
    }
    return true
  }
}
