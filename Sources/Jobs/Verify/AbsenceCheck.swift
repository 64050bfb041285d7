import Pipeline
import Stages

/// Searches files for people and installations that should be absent from an output (`verify
/// --absent`, docs/reference/data-model.md), line by line.
final class AbsenceCheck: LineCheck {
  let tape = Tape(numbersNames: false)
  /// Lines in which the bytes of an id occur as something else.
  private(set) var others = 0
  private let ids: AbsentIDs
  private let identityKeys: IdentityKeys
  private let lines: RunFiles.Content
  private var text = ByteBuffer()

  /// A check that nothing is left of `ids`.
  init(_ ids: AbsentIDs, in lines: RunFiles.Content, _ identityKeys: IdentityKeys) {
    self.ids = ids
    self.lines = lines
    self.identityKeys = identityKeys
  }

  func check(root: Int, findings: FrameFindings, key: inout ByteBuffer) {
    let isAbsent =
      switch lines {
      case .profiles: isInProfile(root)
      case .rejects: isInReject(root)
      case .state, .totals, .index, .text: false
      }
    if isAbsent {
      findings.add(.holdsAbsent)
    } else if ids.holds(tape.bytes(at: root)) {
      others += 1
    }
  }

  /// A profile does not contain the times of its data, so it is checked for people whose data must
  /// all be absent; for the others the state is.
  private func isInProfile(_ root: Int) -> Bool {
    guard let identifiers = tape.member("identifiers", of: root) else { return false }
    func isAbsent(_ section: KeySection, _ node: Int?) -> Bool {
      mark(section, node)?.coversAll ?? false
    }
    let folded = tape.member("installation_ids", of: identifiers).map { tape.items(of: $0) } ?? []
    let isPerson = tape.string(at: tape.member("kind", of: root)) == "person"
    return isAbsent(.custom, tape.member("custom_id", of: identifiers))
      || isAbsent(.install, tape.member("installation_id", of: identifiers))
      || isAbsent(isPerson ? .custom : .install, tape.member("id", of: root))
      || folded.contains { isAbsent(.install, $0) }
  }

  private func mark(_ section: KeySection, _ node: Int?) -> Erasures.Mark? {
    tape.string(at: node).flatMap { ids.mark(section, $0) }
  }

  // MARK: - Rejects

  private func isInReject(_ root: Int) -> Bool {
    let isCut = tape.member("raw_truncated", of: root).map { tape[$0].kind == .true } ?? false
    var hasRaw = true
    if let raw = tape.string(at: tape.member("raw", of: root)) {
      hasRaw = !raw.isEmpty
      if isInLine(raw, isCut: isCut) { return true }
    } else if let base64 = tape.string(at: tape.member("raw_base64", of: root)) {
      text.removeAll()
      guard text.append(decodingBase64: base64) else { return true }
      if ids.holds(text.view) || isCut && ids.mayBegin(atEndOf: text.view) { return true }
    }
    let reasons = tape.member("reasons", of: root).map { tape.items(of: $0) } ?? []
    return reasons.contains { reason in
      if let path = tape.string(at: tape.member("path", of: reason)), isInPath(path) { return true }
      // A message repeats text of the line.
      guard !hasRaw, let message = tape.string(at: tape.member("message", of: reason)),
        message != Self.leftOut
      else { return false }
      return ids.holds(message)
    }
  }

  private static var leftOut: ByteView { "left out, as the line names an erased person" }

  /// Whether the text of a line names one of them.
  func isInLine(_ raw: ByteView, isCut: Bool) -> Bool {
    if raw.isEmpty { return false }
    guard !isCut, isJSON(raw) else {
      return ids.holds(raw) || isCut && ids.mayBegin(atEndOf: raw)
    }
    return AbsentText.contains(raw) { part, source in
      switch part {
      case .string: ids.holds(source)
      // A name that others may have, too.
      case .key: ids.holds(source) && !(AbsentText.isValidName(source) && ids.isID(source))
      case .bare(let key): namesSomebody(key) && ids.isID(source)
      }
    }
  }

  /// Whether a text is JSON.
  private func isJSON(_ raw: ByteView) -> Bool {
    (try? JSONDocument(raw)) != nil
  }

  /// Whether numbers under a key are ids, in any dialect.
  private func namesSomebody(_ key: ByteView) -> Bool {
    var name = ByteBuffer(capacity: key.count)
    AbsentText.decode(key, all: false, into: &name)
    let text = name.view.text.lowercased().filter { !"_- ".contains($0) }
    let known: Set = [
      "customid", "userid", "uid", "username", "user", "login", "id", "cus", "di", "deviceid",
      "installid", "installationid",
    ]
    return known.contains(text) || identityKeys.match(name.view) != nil
  }

  /// Whether a path in a line names one of them, other than as a name that others may have.
  private func isInPath(_ path: ByteView) -> Bool { AbsencePath(ids).namesAbsent(path.text) }
}

/// Paths in lines, of rejects, losses and samples.
struct AbsencePath {
  private let ids: AbsentIDs

  init(_ ids: AbsentIDs) { self.ids = ids }

  /// Whether a path names one of them, other than as a valid name of events or attributes.
  func namesAbsent(_ path: String) -> Bool {
    let bytes = ByteBuffer(text: path)
    guard ids.holds(bytes.view) else { return false }
    return !path.split(whereSeparator: { ".[]()".contains($0) }).contains { name in
      let segment = ByteBuffer(text: String(name))
      return AbsentText.isValidName(segment.view) && ids.isID(segment.view)
    }
  }
}
