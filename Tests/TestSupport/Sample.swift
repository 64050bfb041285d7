package import Pipeline

/// Texts and values whose content does not matter.
package enum Sample {
  /// A time, as JSON.
  package static let time = #""2024-05-01T00:00:00Z""#

  package static func text(_ count: Int) -> String { String(repeating: "x", count: count) }

  /// A v2 line with one event.
  package static func event(
    _ user: String, _ name: String, day: Int = 1, hour: Int = 0, id: String? = nil,
    attributes: String? = nil
  ) -> String {
    let id = id.map { "\"id\":\"\($0)\"," } ?? ""
    let attributes = attributes.map { ",\"attributes\":\($0)" } ?? ""
    return
      "{\"identifiers\":{\"custom_id\":\"\(user)\"},\"events\":[{\(id)\"name\":\"\(name)\",\"time\":"
      + "\"2024-05-\(day < 10 ? "0" : "")\(day)T\(hour < 10 ? "0" : "")\(hour):00:00Z\"\(attributes)}]}"
  }

  /// What a test throws, each with a number of its own.
  package static func failure(_ number: Int) -> Failure {
    Failure(.io, doing: "testing", line: number, why: "it was asked for")
  }

  /// What a test cancels work with.
  package static let stop = Failure(.interrupted, doing: "testing", why: "enough")
}
