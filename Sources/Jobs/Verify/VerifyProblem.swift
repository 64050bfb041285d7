/// Something in an output that is not as it should be, and where.
package struct VerifyProblem: Equatable, Sendable {
  /// Path in the output.
  package let file: String
  /// Number of the compressed frame, 0-based.
  package var frame: Int?
  /// Line number in the decompressed file, 1-based.
  package var line: Int?
  /// What is wrong, as a sentence without a full stop.
  package let what: String

  /// Place and sentence, for people.
  package var message: String {
    var places: [String] = []
    if let frame { places.append("frame \(frame)") }
    if let line { places.append("line \(line)") }
    let place = places.isEmpty ? "" : " (\(places.joined(separator: ", ")))"
    return "\(file)\(place): \(what)"
  }
}

/// The problems of an output in the order in which they were found: the first ones in words, all of
/// them counted.
struct ProblemList {
  /// How many are told in words.
  static let mostTold = 100

  private(set) var told: [VerifyProblem] = []
  private(set) var count = 0

  mutating func add(_ problem: VerifyProblem) {
    count += 1
    if told.count < ProblemList.mostTold { told.append(problem) }
  }

  mutating func add(_ file: String, _ what: String) {
    add(VerifyProblem(file: file, what: what))
  }

  /// Adds the problems of another list.
  mutating func add(_ other: ProblemList) {
    for problem in other.told { add(problem) }
    add(untold: other.count - other.told.count)
  }

  /// Counts `number` more, which nobody told in words.
  mutating func add(untold number: Int) { count += number }
}
