package import Pipeline

/// A difference between two tracking plans (`tracking diff`).
package struct TrackingChange: WrittenObject, Equatable, Sendable {
  package enum Kind: String, DocumentWord, Sendable {
    case newEvent = "new-event"
    case goneEvent = "gone-event"
    case newAttribute = "new-attribute"
    case goneAttribute = "gone-attribute"
    case type
    case required
    case values
    case range
    /// Whether an event may have attributes that the plan does not name.
    case otherAttributes = "other-attributes"
    case description
    case owner
  }

  package let kind: Kind
  /// Nil for the plan as a whole.
  package let event: String?
  /// Nil for an event as a whole.
  package let attribute: String?
  /// Nil for an addition.
  package let before: String?
  package let after: String?

  package static let fields: [Field<TrackingChange>] = [
    .written("kind", \.kind), .written("event", \.event), .written("attribute", \.attribute),
    .written("before", \.before), .written("after", \.after),
  ]
}

extension TrackingPlan {
  /// The differences from `old`, sorted by the bytes of event and attribute.
  package func changes(since old: TrackingPlan) -> [TrackingChange] {
    var changes = TrackingChanges()
    changes.compare(old, self, [.description: { $0.description }])
    for name in Set(old.events.keys).union(events.keys).sortedByBytes {
      changes.event = name
      switch (old.events[name], events[name]) {
      case (let before?, let after?): changes.compare(before, after)
      case (nil, _): changes.add(.newEvent)
      case (_, nil): changes.add(.goneEvent)
      }
    }
    return changes.list
  }
}

/// Collects the differences.
private struct TrackingChanges {
  var list: [TrackingChange] = []
  var event: String?
  var attribute: String?

  mutating func add(_ kind: TrackingChange.Kind, _ before: String? = nil, _ after: String? = nil) {
    list.append(
      TrackingChange(kind: kind, event: event, attribute: attribute, before: before, after: after))
  }

  mutating func compare<Part>(
    _ old: Part, _ new: Part, _ texts: KeyValuePairs<TrackingChange.Kind, (Part) -> String?>
  ) { for (kind, text) in texts where text(old) != text(new) { add(kind, text(old), text(new)) } }

  mutating func compare(_ old: TrackingPlan.Event, _ new: TrackingPlan.Event) {
    compare(
      old, new,
      [
        .description: { $0.description }, .owner: { $0.owner },
        .otherAttributes: { $0.isOpen ? "allowed" : "not allowed" },
      ])
    for key in Set(old.properties.keys).union(new.properties.keys).sortedByBytes {
      attribute = key
      switch (old.properties[key], new.properties[key]) {
      case (let before?, let after?):
        compare(old, new, [.required: { $0.required.contains(key) ? "required" : "optional" }])
        compare(
          before, after,
          [
            .type: { $0.typeText }, .values: { $0.valuesText }, .range: { $0.rangeText },
            .description: { $0.description }, .owner: { $0.owner },
          ])
      case (let before, let after):
        add(before == nil ? .newAttribute : .goneAttribute, before?.typeText, after?.typeText)
      }
    }
    attribute = nil
  }
}

extension TrackingPlan.Property {
  /// The allowed values as JSON, sorted; nil for any.
  fileprivate var valuesText: String? {
    allowed.map { values in values.map(\.jsonText).sortedByBytes.joined(separator: ", ") }
  }
}
