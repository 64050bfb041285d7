package import Pipeline

package struct ErasedParts: Document, Equatable, Sendable {
  /// Attributes, and registers of one value.
  package var attributes = 0
  /// Event registers, and the events in them.
  package var eventNames = 0
  package var events = 0
  /// The installation's own link, or links to the person.
  package var links = 0
  /// Installations that went with the person.
  package var devices = 0
  /// The latest time of the key's erased data, in milliseconds since 1970; the minimum for none.
  package var newest = Int.min

  package static let fields: [Field<ErasedParts>] = [
    .count("attributes", \.attributes), .count("event_names", \.eventNames),
    .count("events", \.events), .count("links", \.links),
    .count("devices", \.devices),
  ]

  package init() {}

  init(links: Int = 0, devices: Int = 0, newest: Int = .min) {
    (self.links, self.devices) = (links, devices)
    self.newest = newest
  }

  package mutating func add(_ other: ErasedParts) {
    addCounts(of: other)
    newest = max(newest, other.newest)
  }

  static func - (before: ErasedParts, after: ErasedParts) -> ErasedParts {
    var parts = before
    parts.attributes -= after.attributes
    parts.eventNames -= after.eventNames
    parts.events -= after.events
    parts.links -= after.links
    return parts
  }
}

extension KeyRegisters {
  var parts: ErasedParts {
    var parts = ErasedParts()
    for row in events.rows { parts.events += row.register.count }
    parts.eventNames = events.rows.count
    attributes.forEach { _, _ in parts.attributes += 1 }
    parts.attributes += RegisterKind.allCases.count { values[$0] != nil && $0.isErasable }
    return parts
  }
}
