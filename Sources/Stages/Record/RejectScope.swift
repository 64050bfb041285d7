package import Pipeline

/// The part of a line that a reject entry is about (data-model 15); entries of a line are in this
/// order.
package enum RejectScope: UInt8, CaseIterable, Sendable {
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
    guard let scope = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = scope
  }
}
