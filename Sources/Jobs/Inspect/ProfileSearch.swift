package import Pipeline
import Stages

/// What a profile must have: an attribute with a value, or an id. Case does not matter.
package struct ProfileCondition: Sendable {
  /// The key of an attribute as in outputs, without its type, or one of the kinds of ids.
  private let key: String
  /// The beginning of the value, or all of it, in lower case.
  private let value: [UInt8]
  private let isPrefix: Bool

  private static let (id, person, installation) = ("id", "custom_id", "installation_id")

  /// Reads `KEY=VALUE`, in which VALUE may end with `*`.
  package init?(_ text: String) {
    guard let sign = text.firstIndex(of: "="), sign > text.startIndex else { return nil }
    let value = text[text.index(after: sign)...]
    if value.isEmpty { return nil }
    let key = String(text[..<sign])
    self.key =
      EventGrouping.key(key).map { String(decoding: $0, as: UTF8.self) } ?? key.lowercased()
    isPrefix = value.utf8.last == UInt8(ascii: "*")
    self.value = Self.folded(Array(value.utf8.dropLast(isPrefix ? 1 : 0)))
  }

  /// The bytes, in lower case, that every line of a profile that fits contains.
  var pattern: ByteBuffer {
    var text = ByteBuffer()
    String(decoding: value, as: UTF8.self).appendJSON(to: &text)
    var pattern = ByteBuffer(capacity: text.count)
    pattern.append(text[1..<text.count - 1])
    return pattern
  }

  func fits(_ profile: JSONValue) -> Bool {
    let kind = profile["kind"]?.text
    switch key {
    case Self.id: return profile["id"].map(fits(value:)) ?? false
    case Self.person: return kind == "person" && profile["id"].map(fits(value:)) ?? false
    case Self.installation:
      let ids = kind == "person" ? profile["identifiers"]?["installation_ids"] : profile["id"]
      return ids.map(fits(value:)) ?? false
    default:
      return profile["attributes"]?.members.contains { name, value in
        (name == key || name.hasSuffix("(\(key))")) && fits(value: value)
      } ?? false
    }
  }

  /// Whether a value fits, or an item of a list.
  private func fits(value: JSONValue) -> Bool {
    if !value.items.isEmpty { return value.items.contains(where: fits(value:)) }
    let text = Self.folded(Array((value.text ?? value.source).utf8))
    return isPrefix ? text.starts(with: self.value) : text == self.value
  }

  /// In lower case where that is ASCII, so that lengths stay.
  static func folded(_ text: [UInt8]) -> [UInt8] { text.map(Characters.lowercased) }
}

extension ProfileLookup {
  /// Calls `body` with each profile that fits a condition, in order, until it returns false
  /// (`eventmill inspect OUT --where`). It reads all profiles, one frame at a time, and parses the
  /// lines that contain the value.
  package func search(
    _ condition: ProfileCondition, _ body: (JSONValue) throws(Failure) -> Bool
  ) throws(Failure) {
    let pattern = condition.pattern
    var goesOn = true
    for part in 0..<run.partitions where goesOn {
      let name = RunFiles.part(part, of: run.partitions, in: RunFiles.profiles)
      let file = try FrameFile(run.file(name))
      let reader = try FrameFileReader()
      var text = ByteBuffer()
      var folded = ByteBuffer()
      for frame in file.frames.indices where goesOn {
        try control.check()
        text.removeAll()
        try reader.decode(frame: frame, of: file, into: &text)
        folded.removeAll()
        folded.append(contentsOf: ProfileCondition.folded(text.view.array))
        guard pattern.isEmpty || folded.view.contains(pattern.view) else { continue }
        var lines = LineCursor(bytes: text.view)
        while goesOn, let line = lines.next() {
          guard pattern.isEmpty || folded[line].contains(pattern.view) else { continue }
          let profile = try run.profile(text[line])
          if condition.fits(profile) { goesOn = try body(profile) }
        }
      }
    }
  }
}
