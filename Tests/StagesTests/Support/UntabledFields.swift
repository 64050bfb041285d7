import Pipeline

@testable import Stages

// Fields of dialects that only tests have: no table has their names.

extension RootFields {
  /// Calls `body` with each field that is not a ``RootField``, and the tape index of its value,
  /// none when it is null; of repeated fields the last one comes last. Fields for which `body`
  /// returns true no longer count as unknown. Complexity: O(unknown fields).
  func take(of tape: Tape, _ body: (_ name: ByteView, _ node: Node) -> Bool) {
    keepUnknown { key in
      !body(tape.bytes(at: key), tape[key.index + 1].kind == .null ? .none : key.next)
    }
  }
}

extension LineFields {
  /// Whether a field that is not a ``RootField`` is present. Complexity: O(unknown fields).
  func has(_ name: ByteView) -> Bool { node(name) != nil }

  /// The tape index of its value, or nil when it is absent. Complexity: O(unknown fields).
  func node(_ name: ByteView) -> Int? {
    for position in root.unknownKeys.indices.reversed() {
      let key = root.unknownKeys[position].index
      if tape.bytes(at: key) == name { return tape[key + 1].kind == .null ? nil : key + 1 }
    }
    return nil
  }
}
