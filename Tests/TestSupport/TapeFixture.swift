package import Pipeline

/// Scans one JSON value and lets `body` work on its tape.
package func withTape<Result, Failure: Error>(
  of json: String, _ body: (Tape, _ root: Int) throws(Failure) -> Result
) throws(Failure) -> Result {
  let text = ByteBuffer(text: json + "\n")
  let tape = Tape()
  tape.bind(to: text.view)
  guard case .value(let root) = Scanner.scan(line: 0..<text.count - 1, into: tape) else {
    preconditionFailure("a test needs valid JSON: \(json)")
  }
  return try body(tape, root)
}
