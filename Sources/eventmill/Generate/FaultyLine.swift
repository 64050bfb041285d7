import Pipeline
import Stages

/// A line with a fault: a row of a table of faults (see ``LineGrammar``).
struct FaultyLine: Sendable {
  /// Why the line, or a part of it, is not taken, or what is dropped of it.
  let code: ReasonCode
  /// The rule that the text of the row is put into.
  let frame: String
  private let grammar: LineGrammar
  private let steps: Range<Int>

  /// All rows of a table.
  static func all(in table: StaticString) -> [FaultyLine] {
    let grammar = LineGrammar(table)
    return grammar.faults.map { fault in
      guard let code = ReasonCode(fault.code) else {
        preconditionFailure("there is no code \(fault.code)")
      }
      return FaultyLine(code: code, frame: fault.frame, grammar: grammar, steps: fault.steps)
    }
  }

  /// Appends the line for `draft`, without a line end.
  func append(_ draft: inout Draft, to text: inout ByteBuffer) {
    grammar.append(steps, &draft, to: &text)
  }
}
