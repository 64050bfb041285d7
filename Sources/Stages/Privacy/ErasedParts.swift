import Pipeline

/// What went of the state of a key that was asked to be erased.
package struct ErasedParts: Equatable, Sendable {
  /// Attributes, the place among them.
  package var attributes = 0
  /// Event registers, and the events in them.
  package var eventNames = 0
  package var events = 0
  /// The installation's own link, or links that named the person.
  package var links = 0
  /// Installations that are left without the person whom their link named.
  package var installationsLeft = 0
  /// The latest time of all that, in milliseconds since 1970; the least there is for nothing.
  package var newest = Int.min

  /// Adds what went elsewhere.
  mutating func add(_ other: ErasedParts) {
    attributes += other.attributes
    eventNames += other.eventNames
    events += other.events
    links += other.links
    installationsLeft += other.installationsLeft
    newest = max(newest, other.newest)
  }

  /// What registers hold more than the others.
  static func - (before: ErasedParts, after: ErasedParts) -> ErasedParts {
    var parts = before
    parts.attributes -= after.attributes
    parts.eventNames -= after.eventNames
    parts.events -= after.events
    parts.links -= after.links
    return parts
  }
}

extension RegisterRows {
  /// How much the settled rows hold.
  var parts: ErasedParts {
    var parts = ErasedParts()
    for row in events { parts.events += row.register.count }
    parts.eventNames = events.count
    for index in attributes.indices
    where index == 0 || attributes[index].rank != attributes[index - 1].rank {
      parts.attributes += 1
    }
    if location != nil { parts.attributes += 1 }
    return parts
  }
}

// MARK: - Between the halves of a run

extension ErasedParts {
  /// Writes installations by request as the member `name` of the object that is open; nothing when there
  /// are none.
  static func write(
    _ installations: LeftInstallations, _ name: StaticString, to json: inout JSONWriter
  ) {
    guard !installations.isEmpty else { return }
    json.array(name) { json in
      for (request, ids) in installations.sorted(by: { $0.key < $1.key }) {
        json.object { json in
          json.member("request", request)
          json.array("installations") { json in
            for id in ids.sortedByBytes { json.item(id) }
          }
        }
      }
    }
  }

  /// Reads what ``write(_:_:to:)`` has written.
  static func readInstallations(_ value: JSONValue?) throws(FactsDamage) -> LeftInstallations {
    var installations: LeftInstallations = [:]
    for item in value?.items ?? [] {
      guard let request = item["request"]?.int, 1...Erasures.maximumCount ~= request else {
        throw FactsDamage("an installation that was linked is of no request")
      }
      for id in item["installations"]?.items ?? [] {
        guard let id = id.text else {
          throw FactsDamage("an installation that was linked is not a text")
        }
        installations[request, default: []].insert(id)
      }
    }
    return installations
  }

  /// Writes what went for each request as the member `erased` of the object that is open; nothing when
  /// there is none.
  static func write(_ erased: [Int: ErasedParts], to json: inout JSONWriter) {
    guard !erased.isEmpty else { return }
    json.array("erased") { json in
      for (request, parts) in erased.sorted(by: { $0.key < $1.key }) {
        json.object { json in
          json.member("request", request)
          json.member("attributes", parts.attributes)
          json.member("event_names", parts.eventNames)
          json.member("events", parts.events)
          json.member("links", parts.links)
          json.member("installations_left", parts.installationsLeft)
          if parts.newest != .min { json.member("newest", parts.newest) }
        }
      }
    }
  }

  /// Reads what ``write(_:to:)`` has written.
  static func read(
    _ value: JSONValue?, _ counts: inout CountReader
  ) throws(FactsDamage) -> [Int: ErasedParts] {
    var erased: [Int: ErasedParts] = [:]
    for item in value?.items ?? [] {
      guard let request = item["request"]?.int, 1...Erasures.maximumCount ~= request else {
        throw FactsDamage("what was erased is of no request")
      }
      var parts = ErasedParts()
      parts.attributes = try counts.read(item["attributes"], "attributes that were erased")
      parts.eventNames = try counts.read(item["event_names"], "event names that were erased")
      parts.events = try counts.read(item["events"], "events that were erased")
      parts.links = try counts.read(item["links"], "links that were erased")
      parts.installationsLeft = try counts.read(
        item["installations_left"], "installations that were left")
      if let newest = item["newest"] {
        guard let time = newest.int, Rules.earliestTime..<Rules.endOfTime ~= time else {
          throw FactsDamage("what was erased is of no time")
        }
        parts.newest = time
      }
      erased[request, default: ErasedParts()].add(parts)
    }
    return erased
  }
}

extension Set<String> {
  /// The texts in the order of their bytes.
  var sortedByBytes: [String] { sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) } }
}
