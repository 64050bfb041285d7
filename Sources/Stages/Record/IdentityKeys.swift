package import Pipeline

/// The fields that identify the owner of a record whose dialect has no field for that (dialects 6,
/// 7): two lists of names; the first name of each that is present counts. Names are compared
/// folded: the case of ASCII letters, `_`, `-` and blanks do not matter.
///
/// A class, so that the rules of a run stay small: every stage has a copy.
package final class IdentityKeys: Sendable, Equatable {
  /// The kind of id under a name.
  package enum Owner: Sendable {
    case custom, installation
  }

  /// Most names in a list.
  package static let most = 32
  /// Longest name, in bytes.
  package static let longest = 64

  package let custom: [String]
  package let installation: [String]
  /// Both lists, folded.
  private let folded: [[UInt8]]

  package static let `default` = IdentityKeys(
    checked: ["customId", "userId", "uid", "username", "user", "login"],
    ["deviceId", "installId"])

  private init(checked custom: [String], _ installation: [String]) {
    (self.custom, self.installation) = (custom, installation)
    folded = (custom + installation).map(Self.folded)
  }

  /// The lists in the form of ``text``: `custom:userId,uid;installation:deviceId`. A missing list
  /// is the default one, a list without names is empty.
  ///
  /// Nil for an invalid text: unknown or repeated lists or names, too many, too long or empty ones.
  package convenience init?(_ text: String) {
    var lists: [String: [String]] = [:]
    for part in text.split(separator: ";", omittingEmptySubsequences: false) {
      guard let colon = part.firstIndex(of: ":") else { return nil }
      let list = part[part.index(after: colon)...]
      let names = list.isEmpty ? [] : list.split(separator: ",", omittingEmptySubsequences: false)
      let name = String(part[..<colon])
      guard name == "custom" || name == "installation", names.count <= Self.most,
        lists.updateValue(names.map(String.init), forKey: name) == nil
      else { return nil }
    }
    self.init(
      checked: lists["custom"] ?? Self.default.custom,
      lists["installation"] ?? Self.default.installation)
    guard Set(folded).count == folded.count, !folded.contains([]),
      (custom + installation).allSatisfy({ $0.utf8.count <= Self.longest })
    else { return nil }
  }

  package static func == (a: IdentityKeys, b: IdentityKeys) -> Bool {
    a === b || (a.custom, a.installation) == (b.custom, b.installation)
  }

  package var text: String {
    "custom:\(custom.joined(separator: ","));installation:\(installation.joined(separator: ","))"
  }

  /// The kind of id under the field `name`, and its index in the list: the lowest counts. Nil when
  /// it is not in a list. Complexity: O(names); most differ in the first byte.
  package func match(_ name: ByteView) -> (owner: Owner, rank: Int)? {
    guard let index = folded.firstIndex(where: { Self.isFolded(name, $0) }) else { return nil }
    return index < custom.count ? (.custom, index) : (.installation, index - custom.count)
  }

  /// Whether an integer under this name may be an id: those in the lists, and those ending with
  /// `id`.
  package func mayHoldNumber(_ name: ByteView) -> Bool {
    if name == "cus" || name == "di" || match(name) != nil || Self.default.match(name) != nil {
      return true
    }
    guard name.count >= 2 else { return false }
    return name[name.count - 2] | 0x20 == UInt8(ascii: "i")
      && name[name.count - 1] | 0x20 == UInt8(ascii: "d")
  }

  private static func isIgnored(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: " ")
  }

  private static func folded(_ name: String) -> [UInt8] {
    name.utf8.filter { !isIgnored($0) }.map(Characters.lowercased)
  }

  private static func isFolded(_ name: ByteView, _ folded: [UInt8]) -> Bool {
    var rank = 0
    for index in 0..<name.count where !isIgnored(name[index]) {
      guard rank < folded.count, folded[rank] == Characters.lowercased(name[index]) else {
        return false
      }
      rank += 1
    }
    return rank == folded.count
  }
}
