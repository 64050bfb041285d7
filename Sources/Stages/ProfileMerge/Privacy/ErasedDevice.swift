import Pipeline

/// An installation that went with people whose data was erased (data-model 13.6).
package struct ErasedDevice: Equatable, Sendable {
  /// The stored form of the id.
  package var id: String
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

  package init(id: String) { self.id = id }

  /// The time up to which its data is erased, where `time` are those of the requests.
  package func time(_ time: (_ request: Int) -> Int) -> Int {
    let last = momentary.map(time).max().map { max($0, newest) } ?? .min
    return min(bound, max(fixed, last))
  }

  /// The time up to which the data of this run is erased: everything, where the moment decides.
  var end: Int { min(bound, momentary.isEmpty ? fixed : Rules.endOfTime) }

  /// By the digest of the key.
  package typealias Table = [Fingerprint: ErasedDevice]
}

extension Erasures {
  /// The ids of installations that went with erased people, to search texts for.
  package init(devices: ErasedDevice.Table) {
    for (key, device) in devices { add(Mark(deviceTime: device.fixed), of: key) }
    ids = ErasedIDs(devices.values.map { (.install, Array($0.id.utf8)) })
  }
}
