import Pipeline
import Stages

/// A line with a fault: a row of a table of faults (see ``LineGrammar``).
struct FaultyLine: Sendable {
  /// The code of the rejection or the loss.
  let code: ReasonCode
  /// The rule that contains the text of the row.
  let frame: String
  private let grammar: LineGrammar
  private let steps: Range<Int>

  /// All rows of a table.
  static func all(in table: [UInt8]) -> [FaultyLine] {
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
