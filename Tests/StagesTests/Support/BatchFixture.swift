import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Scans one JSON value into a batch and lets `body` work on it.
func withBatch<Result, Failure: Error>(
  of json: String, _ body: (RecordBatch, _ root: Int) throws(Failure) -> Result
) throws(Failure) -> Result {
  var text = ByteBuffer(text: json)
  let length = text.count
  text.append(0x0A)
  let batch = RecordBatch()
  batch.begin(text.view)
  guard case .value(let root) = Scanner.scan(line: 0..<length, into: batch.tape) else {
    preconditionFailure("a test needs valid JSON: \(json)")
  }
  batch.keys.learn(from: batch.tape.names)
  return try body(batch, root)
}

func canonical(_ node: Int, of tape: Tape) -> String {
  var text = ByteBuffer()
  CanonicalWriter.appendValue(node, of: tape, to: &text)
  return text.view.text
}
