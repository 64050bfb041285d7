package import Pipeline

/// An installation that went with people whose data was erased (data-model 13.6).
package struct ErasedDevice: Document, Equatable, Sendable {
  package var id = ""
  /// The requests for these people, by their numbers; none where earlier nights erased them.
  package var requests: Set<Int> = []
  /// Those without a time: their moment decides.
  package var momentary: Set<Int> = []
  /// The end of the other marks, in milliseconds since 1970; the minimum without one.
  package var fixed = Int.min
  /// The latest time of the installation's own data; the minimum without any.
  package var newest = Int.min
  /// The time before the first link to the next person; the maximum without one. Nothing later is
  /// erased.
  package var bound = Int.max

  package static let fields: [Field<ErasedDevice>] = [
    .value("installation_id", \.id), .value("requests", \.requests),
    .value("momentary", \.momentary), .value("fixed", \.fixed, unless: .min),
    .value("newest", \.newest, unless: .min), .value("bound", \.bound, unless: .max),
  ]

  /// The times of its mark: that before the first link may be before the first valid one.
  static let times = Rules.earliestTime - 1..<Rules.endOfTime

  package init() {}
  package init(id: String) { self.id = id }

  package func check() throws(DocumentDamage) {
    let times = Self.times
    guard requests.union(momentary).allSatisfy((1...Erasures.maximumCount).contains),
      fixed == .min || times ~= fixed, newest == .min || times ~= newest,
      bound == .max || times ~= bound
    else { throw DocumentDamage("has a request or a time that is not possible") }
  }

  package var digest: Fingerprint {
    let text = ByteBuffer(text: id)
    let key = Erasures.key(.install, text.view)
    return Erasures.digest(of: key.view)
  }

  /// The time up to which its data is erased, where `time` are those of the requests.
  package func time(_ time: (_ request: Int) -> Int) -> Int {
    let last = momentary.map(time).max().map { max($0, newest) } ?? .min
    return min(bound, max(fixed, last))
  }

  /// The time up to which the data of this run is erased: everything, where the moment decides.
  var end: Int { min(bound, momentary.isEmpty ? fixed : Rules.endOfTime) }

  package typealias Table = [Fingerprint: ErasedDevice]
}

extension Erasures {
  /// The ids of installations that went with erased people, to search texts for.
  package init(devices: ErasedDevice.Table) {
    for (key, device) in devices { add(Mark(deviceTime: device.fixed), of: key) }
    ids = ErasedIDs(devices.values.map { (.install, Array($0.id.utf8)) })
  }
}
