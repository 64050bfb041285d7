import Pipeline
import Stages

/// Erased data in documents between processes.
extension ErasedParts {
  /// Writes what was erased for each request as the field `erased` of the open object, if there is
  /// any.
  static func write(_ erased: [Int: ErasedParts], to json: inout JSONWriter) {
    guard !erased.isEmpty else { return }
    json.objects("erased", of: erased.sorted(by: { $0.key < $1.key })) { element, json in
      let (request, parts) = element
      json.member("request", request)
      parts.writeCounts(to: &json)
      if parts.newest != .min { json.member("newest", parts.newest) }
    }
  }

  /// Reads what ``write(_:to:)`` wrote.
  static func read(
    _ value: JSONValue?, _ counts: inout CountReader
  ) throws(FactsDamage) -> [Int: ErasedParts] {
    var erased: [Int: ErasedParts] = [:]
    for item in value?.items ?? [] {
      guard let request = item["request"]?.int, 1...Erasures.maximumCount ~= request else {
        throw FactsDamage("erased data has no request")
      }
      var parts: ErasedParts = try counts.readAll(item, "of erased data")
      if let newest = item["newest"] {
        guard let time = newest.int, Rules.earliestTime..<Rules.endOfTime ~= time else {
          throw FactsDamage("erased data has no time")
        }
        parts.newest = time
      }
      erased[request, default: ErasedParts()].add(parts)
    }
    return erased
  }
}

extension ErasedDevice {
  /// Writes installations as the field `devices` of the open object, if there are any.
  static func write(_ devices: Table, to json: inout JSONWriter) {
    guard !devices.isEmpty else { return }
    json.objects("devices", of: devices.sorted(by: { $0.key < $1.key })) { element, json in
      let device = element.value
      json.member("installation_id", device.id)
      json.array("requests", of: device.requests.sorted())
      json.array("momentary", of: device.momentary.sorted())
      if device.fixed != .min { json.member("fixed", device.fixed) }
      if device.newest != .min { json.member("newest", device.newest) }
      if device.bound != .max { json.member("bound", device.bound) }
    }
  }

  /// Reads what ``write(_:to:)`` wrote.
  static func read(_ value: JSONValue?) throws(FactsDamage) -> Table {
    var devices: Table = [:]
    for item in value?.items ?? [] {
      guard let id = item["installation_id"]?.text else {
        throw FactsDamage("an erased installation has no id")
      }
      var device = ErasedDevice(id: id)
      device.requests = try requests(item["requests"])
      device.momentary = try requests(item["momentary"])
      device.fixed = try time(item["fixed"]) ?? device.fixed
      device.newest = try time(item["newest"]) ?? device.newest
      device.bound = try time(item["bound"]) ?? device.bound
      let text = ByteBuffer(text: id)
      let key = Erasures.key(.install, text.view)
      devices[Erasures.digest(of: key.view)] = device
    }
    return devices
  }

  private static func requests(_ value: JSONValue?) throws(FactsDamage) -> Set<Int> {
    var numbers: Set<Int> = []
    for item in value?.items ?? [] {
      guard let number = item.int, 1...Erasures.maximumCount ~= number else {
        throw FactsDamage("an erased installation has an invalid request")
      }
      numbers.insert(number)
    }
    return numbers
  }

  private static func time(_ value: JSONValue?) throws(FactsDamage) -> Int? {
    guard let value else { return nil }
    // The time before the first link may be that before the first valid one.
    guard let time = value.int, Rules.earliestTime - 1..<Rules.endOfTime ~= time else {
      throw FactsDamage("an erased installation has an invalid time")
    }
    return time
  }
}
