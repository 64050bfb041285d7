import Pipeline

/// Copied key states, one after the other, which do not move.
package struct StateBytes: ~Copyable, Sendable {
  private(set) var bytes = ByteBuffer()

  /// Adds a copy of `state`.
  mutating func append(_ state: KeyState) { state.append(to: &bytes) }

  /// Removes all states.
  mutating func removeAll() { bytes.removeAll() }

  var isEmpty: Bool { bytes.isEmpty }

  /// Calls `body` with every state; their texts live as long as these bytes.
  func forEach(_ body: (KeyState) -> Void) {
    var offset = 0
    while let state = KeyState(bytes.view, at: &offset) { body(state) }
  }
}
