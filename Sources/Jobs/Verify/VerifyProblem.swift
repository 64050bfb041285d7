/// A problem in an output, and its location.
package struct VerifyProblem: Equatable, Sendable {
  package let file: String
  /// Number of the compressed frame, 0-based.
  package var frame: Int?
  /// Line number in the decompressed file, 1-based.
  package var line: Int?
  package let finding: Finding

  /// The location, for people.
  package var location: String {
    var parts: [String] = []
    if let frame { parts.append("frame \(frame)") }
    if let line { parts.append("line \(line)") }
    return parts.isEmpty ? file : "\(file) (\(parts.joined(separator: ", ")))"
  }

  /// Location and sentence, for people.
  package var message: String { "\(location): \(finding.sentence)" }
}

/// A problem: a code, and the values of its sentence.
package struct Finding: Equatable, Sendable {
  package let code: ProblemCode
  package let figures: [String]

  init(_ code: ProblemCode, _ figures: [any CustomStringConvertible] = []) {
    (self.code, self.figures) = (code, figures.map(\.description))
  }

  /// The sentence of the code with the values inserted.
  package var sentence: String {
    // Texts and names of values alternate.
    let pieces = code.rawValue.split(omittingEmptySubsequences: false) { $0 == "{" || $0 == "}" }
    return pieces.enumerated().reduce(into: "") { text, piece in
      guard piece.offset % 2 == 1 else { return text += piece.element }
      let figure = figures[piece.offset / 2]
      let noun = piece.element.drop { $0 != " " }
      text += figure + (figure == "1" ? noun.dropLast() : noun)
    }
  }
}

/// The problems of an output in the order in which they were found: the first ones of the output,
/// and the first ones about people who should be absent, in detail, all of them counted.
struct ProblemList {
  /// Number of problems of each sort that are listed in detail.
  static let mostListed = 100

  private(set) var reported: [VerifyProblem] = []
  private(set) var count = 0
  /// How many of the listed ones are about people who should be absent.
  private var listedAbsent = 0
  /// Whether all of them are.
  private(set) var areAboutAbsent = true

  /// Counts a problem, which is made only if it may be listed.
  mutating func add(_ problem: @autoclosure () -> VerifyProblem) {
    count += 1
    let listedOthers = reported.count - listedAbsent
    guard listedAbsent < Self.mostListed || listedOthers < Self.mostListed else { return }
    let problem = problem()
    let isAbout = [.holdsAbsent, .linesHoldAbsent].contains(problem.finding.code)
    if !isAbout { areAboutAbsent = false }
    guard (isAbout ? listedAbsent : listedOthers) < Self.mostListed else { return }
    reported.append(problem)
    if isAbout { listedAbsent += 1 }
  }

  /// Adds a problem of `file`, with the values of its sentence.
  mutating func add(
    _ file: String, frame: Int? = nil, line: Int? = nil, _ code: ProblemCode,
    _ figures: any CustomStringConvertible...
  ) {
    add(VerifyProblem(file: file, frame: frame, line: line, finding: Finding(code, figures)))
  }

  /// Adds the problems of another list, as `located` gives them.
  mutating func add(
    _ other: ProblemList, _ located: (VerifyProblem) -> VerifyProblem = { $0 }
  ) {
    for problem in other.reported { add(located(problem)) }
    count += other.count - other.reported.count
    areAboutAbsent = areAboutAbsent && other.areAboutAbsent
  }
}
