package import Pipeline

/// Lets `body` see `bytes`; the view is valid only during the call.
package func withByteView<Result, Failure: Error>(
  of bytes: [UInt8], _ body: (ByteView) throws(Failure) -> Result
) throws(Failure) -> Result {
  var buffer = ByteBuffer(capacity: bytes.count)
  for byte in bytes { buffer.append(byte) }
  return try body(buffer.view)
}

package func withByteView<Result, Failure: Error>(
  of text: String, _ body: (ByteView) throws(Failure) -> Result
) throws(Failure) -> Result { try withByteView(of: Array(text.utf8), body) }

extension ByteBuffer {
  /// A view of a buffer without a name may outlive it.
  package var text: String { view.text }

  package var array: [UInt8] { view.array }
}
