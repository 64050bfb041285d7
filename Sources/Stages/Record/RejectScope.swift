package import Pipeline

/// What of a line a reject entry is about (data-model 15); entries of a line stand in this order.
package enum RejectScope: UInt8, Sendable {
  /// All of it: nothing in it is counted as event or operation.
  case line
  /// One event of its record.
  case event
  /// One operation of its record.
  case operation

  /// As it stands in outputs.
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
