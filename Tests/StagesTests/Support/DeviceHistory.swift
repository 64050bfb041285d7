import TestSupport

/// Lines about people and their devices, with small numbers as times, and requests for erasure.
struct DeviceHistory {
  var random: RepeatableRandom
  private var number = 0
  /// Whether devices send erase marks and opt-outs, too.
  private let sendsMarks: Bool

  init(seed: UInt64) {
    random = RepeatableRandom(seed: seed)
    sendsMarks = seed % 3 == 0
  }

  /// The text of a time: that many hours after a first one.
  static func time(_ hour: Int) -> String {
    let (day, rest) = (1 + hour / 24, hour % 24)
    return "2024-05-\(day < 10 ? "0" : "")\(day)T\(rest < 10 ? "0" : "")\(rest):00:00.000Z"
  }

  /// A record of a person, a device, or both; without anything else a link.
  static func record(
    _ person: String?, _ device: String?, _ hour: Int, event: String? = nil,
    attribute: String? = nil, _ more: String = ""
  ) -> String {
    let ids = [
      person.map { "\"custom_id\":\"\($0)\"" },
      device.map { "\"installation_id\":\"\($0)\"" },
    ]
    var parts = ["\"identifiers\":{\(ids.compactMap { $0 }.joined(separator: ","))}"]
    parts.append("\"time\":\"\(time(hour))\"")
    if let event { parts.append("\"events\":[{\"name\":\"\(event)\",\"time\":\"\(time(hour))\"}]") }
    if let attribute { parts.append("\"attributes\":{\"\(attribute)\":\(hour)}") }
    if !more.isEmpty { parts.append(more) }
    return "{\(parts.joined(separator: ","))}"
  }

  private mutating func below(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }

  /// Lines in which no name occurs twice, so that no register extends beyond a time.
  mutating func lines(_ count: Int) -> [String] {
    (0..<count).map { _ in
      number += 1
      let person = "u\(below(4))"
      let device = "d\(below(3))"
      let hour = below(40)
      if sendsMarks, below(12) == 0 {
        return Self.record(nil, device, hour, ["\"erase\":true", "\"opted_out\":true"][below(2)])
      }
      switch below(8) {
      case 0, 1: return Self.record(person, device, hour)
      case 2: return Self.record(person, device, hour, event: "e\(number)")
      case 3: return Self.record(person, nil, hour, event: "e\(number)", attribute: "a\(number)")
      case 4: return Self.record(nil, device, hour, attribute: "a\(number)")
      case 5:
        // Of the device, with the person's id.
        return #"{"name":"_INSTALL_DATA_CHANGED","sDate":"\#(Self.time(hour))","ids":{"cus":"#
          + #""\#(person)","di":"\#(device)"},"params":{"version":1,"added":{"a\#(number).i":1}}}"#
      default: return Self.record(nil, device, hour, event: "e\(number)")
      }
    }
  }

  /// Requests about some of them.
  mutating func requests() -> [String] {
    (0..<1 + below(4)).map { _ in
      let hour = below(60)
      let mark = ["", "", ",\"time\":\"\(Self.time(hour))\"", ",\"forever\":true"][below(4)]
      // What a mark from a log has closed is closed, whatever else erases it: a request with a time
      // may come too late.
      if below(4) == 0 {
        return "{\"installation_id\":\"d\(below(3))\"\(sendsMarks ? "" : mark)}"
      }
      let kept = below(5) == 0 ? ",\"installations\":\"keep\"" : ""
      return "{\"custom_id\":\"u\(below(4))\"\(mark)\(kept)}"
    }
  }
}
