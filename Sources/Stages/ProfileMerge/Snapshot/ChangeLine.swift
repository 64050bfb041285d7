package import Pipeline

/// A line about a profile that is not the one of the previous output
/// (docs/reference/file-formats.md, changes).
package struct ChangeLine {
  package enum Kind: CaseIterable, Sendable {
    case added, changed
    /// Of an installation that folds into a person now. What an erasure removes has no line.
    case removed

    /// The text before the profile.
    fileprivate var head: ByteView {
      switch self {
      case .added: "{\"change\":\"added\",\"profile\":"
      case .changed: "{\"change\":\"changed\",\"profile\":"
      case .removed: "{\"change\":\"removed\",\"profile\":"
      }
    }
  }

  package let kind: Kind
  /// The line of the profile, without its end; of a removed one only `id` and `kind`.
  package let profile: ByteView

  package init(_ kind: Kind, _ profile: ByteView) { (self.kind, self.profile) = (kind, profile) }

  /// The same with the line of a profile, which has its end.
  package init(_ kind: Kind, line: ByteView) { self.init(kind, line[0..<line.count - 1]) }

  /// That the profile of `key` is gone; what is said of it is in `text`, which is replaced.
  package init(gone key: ByteView, _ section: KeySection, in text: inout ByteBuffer) {
    text.removeAll()
    text.append(nameOf: section.id(of: key), section)
    text.append(UInt8(ascii: "}"))
    self.init(.removed, text.view)
  }

  /// Reads a line, without its end; nil for other text. The profile is not checked.
  package init?(_ line: ByteView) {
    guard let kind = Kind.allCases.first(where: { line.starts(with: $0.head) }),
      line.count > kind.head.count, line[line.count - 1] == UInt8(ascii: "}")
    else { return nil }
    self.init(kind, line[kind.head.count..<line.count - 1])
  }

  package func append(to text: inout ByteBuffer) {
    text.append(kind.head)
    text.append(profile)
    text.append("}\n")
  }

  /// Sets `key` to the text of the key of the line, whose object is the entry `root` of `tape`;
  /// false without one.
  package func readKey(of root: Int, _ tape: Tape, into key: inout ByteBuffer) -> Bool {
    key.removeAll()
    guard let profile = tape.member("profile", of: root),
      let id = tape.string(at: tape.member("id", of: profile)),
      let kind = tape.string(at: tape.member("kind", of: profile)),
      let section: KeySection = kind == "person" ? .custom : kind == "installation" ? .install : nil
    else { return false }
    key.append(section.prefix)
    key.append(id)
    return true
  }

  /// The same of a line that `tape` is bound to, in which it is scanned.
  package func readKey(of line: Range<Int>, _ tape: Tape, into key: inout ByteBuffer) -> Bool {
    guard case .value(let root) = Scanner.scan(line: line, into: tape) else { return false }
    return readKey(of: root, tape, into: &key)
  }
}
