package import Pipeline

/// The part of a line that a reject entry is about (data-model 15); entries of a line are in this
/// order.
package enum RejectScope: UInt8, Sendable {
  /// All of it: none of its events and operations are counted.
  case line
  /// One event of its record.
  case event
  /// One operation of its record.
  case operation

  /// The name in outputs.
  package var name: ByteView {
    switch self {
    case .line: "line"
    case .event: "event"
    case .operation: "operation"
    }
  }

  /// The scope of that name.
  package init?(_ name: ByteView) {
    switch name {
    case "line": self = .line
    case "event": self = .event
    case "operation": self = .operation
    default: return nil
    }
  }
}
