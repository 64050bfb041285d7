import Pipeline

/// Key states that were copied, one behind the other, and stay where they are.
package final class StateBytes: @unchecked Sendable {
  // @unchecked because its maker hands it on when nothing is added any more.
  private(set) var bytes = ByteBuffer()

  /// Adds a copy of `state`.
  func append(_ state: KeyState) { state.append(to: &bytes) }

  /// Forgets all states.
  func removeAll() { bytes.removeAll() }

  var isEmpty: Bool { bytes.isEmpty }

  /// Calls `body` with every state; their texts live as long as this object does.
  func forEach(_ body: (KeyState) -> Void) {
    var offset = 0
    while let state = KeyState(bytes.view, at: &offset) { body(state) }
  }
}
