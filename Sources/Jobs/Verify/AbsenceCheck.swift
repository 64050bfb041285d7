import Pipeline
import Stages

/// Searches files for people and installations that should be absent from an output (`verify
/// --requests`, docs/reference/data-model.md), line by line.
final class AbsenceCheck: LineCheck, AbsenceFrames {
  let tape = Tape(numbersNames: false)
  private(set) var others = 0
  private(set) var similar = SimilarIDs()
  private let ids: AbsentIDs
  private let search: PersonSearch
  private let lines: RunFiles.Content

  /// A check that nothing is left of `ids`.
  init(_ ids: AbsentIDs, in lines: RunFiles.Content, _ identityKeys: IdentityKeys) {
    self.ids = ids
    self.lines = lines
    search = PersonSearch(ids.erasures, keys: identityKeys, sparesNames: true)
  }

  func check(root: Int, findings: FrameFindings, key: inout ByteBuffer) {
    let isAbsent =
      switch lines {
      case .profiles: isInProfile(root)
      case .changes: tape.member("profile", of: root).map(isInProfile) ?? false
      case .rejects: isInReject(root)
      case .state, .totals, .index, .text: false
      }
    if isAbsent {
      findings.add(.holdsAbsent)
    } else if search.isMentioned(in: tape.bytes(at: root)) {
      others += 1
    }
  }

  /// A profile does not contain the times of its data, so it is checked for people whose data must
  /// all be absent; for the others the state is.
  private func isInProfile(_ root: Int) -> Bool {
    // A removed profile only has an id.
    let identifiers = tape.member("identifiers", of: root) ?? root
    let folded = tape.member("installation_ids", of: identifiers).map { tape.items(of: $0) } ?? []
    let isPerson = tape.string(at: tape.member("kind", of: root)) == "person"
    let named: [(KeySection, Int?)] =
      [
        (.custom, tape.member("custom_id", of: identifiers)),
        (.install, tape.member("installation_id", of: identifiers)),
        (isPerson ? .custom : .install, tape.member("id", of: root)),
      ] + folded.map { (.install, $0) }
    var isSimilar = false
    for (section, node) in named {
      guard let id = tape.string(at: node) else { continue }
      if let mark = search.mark(section, id) {
        if mark.coversAll { return true }
      } else if !isSimilar, !search.isID(id), ids.areSimilar(to: id) {
        isSimilar = true
        similar.add(id)
      }
    }
    return false
  }

  // MARK: - Rejects

  private func isInReject(_ root: Int) -> Bool {
    let inLine = search.isNamed(inLineOf: root, of: tape)
    if inLine == true { return true }
    let reasons = tape.member("reasons", of: root).map { tape.items(of: $0) } ?? []
    return reasons.contains { reason in
      if let path = tape.string(at: tape.member("path", of: reason)),
        search.isNamed(inPathOfLine: path.text)
      {
        return true
      }
      // A message repeats text of the line.
      guard inLine == nil, let message = tape.string(at: tape.member("message", of: reason)),
        message != Self.leftOut
      else { return false }
      return search.isMentioned(in: message)
    }
  }

  private static var leftOut: ByteView { "left out, as the line names an erased person" }
}

extension PersonSearch {
  /// Whether a path in a line, of rejects, losses and samples, names one of them, other than as a
  /// valid name of events or attributes, which others may have.
  func isNamed(inPathOfLine path: String) -> Bool {
    guard isNamed(inPath: path) else { return false }
    return !path.split(whereSeparator: { ".[]()".contains($0) }).contains { name in
      let segment = ByteBuffer(text: String(name))
      return Self.isValidName(segment.view) && isID(segment.view)
    }
  }
}

/// A search of the frames of a file for people who should be absent from it.
protocol AbsenceFrames: FrameCheck {
  /// Lines or keys in which the bytes of an id occur as something else.
  var others: Int { get }
  /// Profiles of similar ids.
  var similar: SimilarIDs { get }
}
