import Pipeline
import Stages

/// Searches `report.json`, lines of `losses.ndjson` and `report.html` for people who should be
/// absent.
final class AbsenceReport {
  private(set) var namesAbsent = false
  /// Texts in which the bytes of an id are something else.
  private(set) var others = 0

  private let search: PersonSearch
  /// Names of files and other texts of the report that do not come from lines, as on its page.
  private var otherTexts: Set<String> = []

  init(_ search: PersonSearch) { self.search = search }

  /// Searches a whole report, or a line of losses, of this origin.
  func look(into root: JSONValue, _ origin: Origin) {
    for (name, value) in root.members {
      if name == "hot_ids", let hot = HotIDs(orNil: value) {
        look(into: hot)
      } else {
        look(at: value, name == "hot_ids" ? .lines : origin[name])
      }
    }
  }

  /// Searches the ids with the most data as profiles are searched.
  private func look(into hot: HotIDs) {
    for entry in hot.events.entries + hot.people.entries {
      let id = ByteBuffer(text: entry.id)
      if search.mark(entry.isPerson ? .custom : .install, id.view)?.coversAll ?? false {
        namesAbsent = true
      } else {
        otherTexts.insert(HTMLWriter.clipped(entry.id))
        if holds(entry.id) { others += 1 }
      }
    }
  }

  private func look(at value: JSONValue, _ origin: Origin) {
    switch value.kind {
    case .object:
      for (name, value) in value.members {
        if origin.names != .program {
          if search.isNamed(inPath: name) { namesAbsent = true }
        } else if holds(name) {
          others += 1
        }
        look(at: value, origin[name])
      }
    case .array: for item in value.items { look(at: item, origin[nil]) }
    case .string:
      guard let text = value.text else { return }
      if !origin.isOfLines { otherTexts.insert(HTMLWriter.clipped(text)) }
      if origin.isOfLines, search.isNamed(inPathOfLine: text) {
        namesAbsent = true
      } else if holds(text) {
        others += 1
      }
    default: return
    }
  }

  /// Whether the page of the report that was searched names a person: in its code elements, which
  /// are paths, names and texts from lines, or in its examples of losses and of rejected lines,
  /// which `isLine` checks.
  func namesAbsent(inPage page: ByteView, isLine: (_ line: ByteView, _ isCut: Bool) -> Bool) -> Bool
  {
    let text = page.text
    let isInCode = text.components(between: "<code>", and: "</code>").contains { piece in
      let plain = Self.plain(piece)
      guard holds(plain), !otherTexts.contains(plain) else { return false }
      return search.isNamed(inPathOfLine: behindLocation(plain) ?? plain)
    }
    if isInCode { return true }
    return text.components(between: "<dd><pre>", and: "</pre>").contains { piece in
      let plain = Self.plain(piece)
      guard holds(plain) else { return false }
      let losses = plain.split(separator: "\n").map(behindLocation)
      if losses.allSatisfy({ $0 != nil }) {
        return losses.contains { search.isNamed(inPathOfLine: $0 ?? "") }
      }
      let line = ByteBuffer(text: plain)
      return isLine(line.view, plain.hasSuffix("…"))
    }
  }

  /// What follows the file and line that a text begins with: nothing, or two spaces and the path of
  /// a loss; nil where it does not begin so.
  private func behindLocation(_ text: some StringProtocol) -> String? {
    for colon in text.indices where text[colon] == ":" {
      let rest = text[colon...].dropFirst().drop { ("0"..."9").contains($0) }
      guard rest.isEmpty || rest.hasPrefix("  "), otherTexts.contains(String(text[..<colon])) else {
        continue
      }
      return String(rest.dropFirst(2))
    }
    return nil
  }

  /// A text of a page as it is read.
  private static func plain(_ text: Substring) -> String {
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
      .reduce(String(text)) { $0.replacing($1.0, with: $1.1) }
  }

  private func holds(_ text: String) -> Bool {
    let bytes = ByteBuffer(text: text)
    return search.isMentioned(in: bytes.view)
  }
}

extension String {
  /// The parts between two words.
  fileprivate func components(between opening: String, and closing: String) -> [Substring] {
    split(separator: opening, omittingEmptySubsequences: false).dropFirst().compactMap { rest in
      rest.split(separator: closing, maxSplits: 1, omittingEmptySubsequences: false).first
    }
  }
}
