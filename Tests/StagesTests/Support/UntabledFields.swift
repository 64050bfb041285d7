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

  /// Whether a field that is not a ``RootField`` is present. Complexity: O(unknown fields).
  func has(_ name: ByteView, of tape: Tape) -> Bool {
    let last = unknownKeys.indices.last { tape.bytes(at: unknownKeys[$0]) == name }
    return last.map { tape[unknownKeys[$0].next].kind != .null } ?? false
  }
}
