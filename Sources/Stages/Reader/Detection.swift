import Pipeline

/// The result of detecting the dialect of a line (dialects 1).
package enum Detection {
  /// The dialect with this index in the list, because of these fields.
  case found(Int, Evidence)
  /// Two rival dialects match the line: their indices in the list.
  case ambiguous(Int, Int)
  /// No dialect matches.
  case unknown

  /// Hardly any event name is as long in bytes, prefix included (data-model 6): a longer `name` may
  /// be that of a notification (``BoltsDialect``).
  static var notificationName: Int { Characters.longestName + 3 }

  /// Checks those of `dialects` whose bit is set in `asked`, in order; the first that matches wins,
  /// unless a rival matches, too.
  init(
    _ line: LineFields, among dialects: [any RecordDialect.Type], asked: UInt32 = .max
  ) {
    var rest = asked
    while rest != 0 {
      let number = rest.trailingZeroBitCount
      guard number < dialects.count else { break }
      rest &= rest - 1
      guard let evidence = dialects[number].evidence(in: line) else { continue }
      for rival in dialects[number].rivals where rival.evidence(in: line) != nil {
        self = .ambiguous(number, dialects.firstIndex { $0 == rival } ?? number)
        return
      }
      self = .found(number, evidence)
      return
    }
    self = .unknown
  }

  /// Detects the dialect of a line among all dialects.
  package static func of(_ line: LineFields) -> Detection {
    let asked = hasLongName(line.root, line.tape) ? .max : line.candidates
    return Detection(line, among: DialectRegistry.all, asked: asked)
  }

  /// Whether only v2 and v1 can match the line, each by one of its identifying fields.
  @inline(__always)
  static func isUsual(_ root: RootFields, _ tape: Tape) -> Bool {
    root.present & RootField.foreign == 0 && !hasLongName(root, tape)
  }

  /// Whether a line has a `name` that may be that of a notification.
  private static func hasLongName(_ root: RootFields, _ tape: Tape) -> Bool {
    root.has(.name) && tape[root[.name]].length >= notificationName
  }
}
