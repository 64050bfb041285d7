/// Makes the frames of a ``SeekableFile`` of text of unknown length, as ``SeekableTextWriter`` does
/// and with the same bytes, but has them compressed by others (``EncodeBehind``). They need not go
/// to a file. One thread at a time.
package final class SeekableTextStream<Target: FrameTarget> {
  private let target: Target
  private let encoder: EncodeBehind
  /// The frame that is filled now.
  private var frame: PendingFrame?
  private var isEmpty = true

  /// A stream whose frames go to `target`, which has none yet.
  package init(_ target: Target, _ encoder: EncodeBehind) {
    self.target = target
    self.encoder = encoder
  }

  /// Appends `piece`, which need not end with a line. Complexity: O(`piece.count`).
  /// - Throws: `io`, when a frame, perhaps of another file, cannot be written.
  package func append(_ piece: ByteView) throws(Failure) {
    var rest = piece
    while !rest.isEmpty {
      let frame = try open()
      let end = SeekableTextWriter.cut(rest, behind: frame.text.count)
      frame.text.append(rest[0..<(end ?? rest.count)])
      rest = rest.dropFirst(end ?? rest.count)
      if end != nil { submit(frame) }
    }
  }

  /// Has the last frame compressed. When the target has all of them, it must be finished: that is
  /// what `then` gets it for. Without any text there is one empty frame.
  /// - Throws: as ``append(_:)``.
  package func end(
    then: @escaping (Target) throws(Failure) -> Void
  ) throws(Failure) {
    if frame != nil || isEmpty { submit(try open()) }
    encoder.then { [target] () throws(Failure) in try then(target) }
  }

  private func open() throws(Failure) -> PendingFrame {
    if let frame { return frame }
    let opened = try encoder.take()
    frame = opened
    return opened
  }

  private func submit(_ frame: PendingFrame) {
    encoder.submit(frame, to: target)
    self.frame = nil
    isEmpty = false
  }
}
