import Pipeline

/// The merged links of an installation (docs/reference/data-model.md, erase marks): the earliest,
/// the latest, and whether one was erased. Each of the three merges in any order.
///
/// As long as none was erased the earliest counts. Then the latest does, so that an installation
/// that was erased and signed in again is linked again.
package struct InstallationLinks {
  /// The earliest; nil when there is none, and once one was erased, because it is not needed again.
  package private(set) var earliest: InstallationLink?
  /// The latest; nil when there is none.
  package private(set) var latest: InstallationLink?
  /// Whether a link was at or before an erase mark. Its person is not kept.
  package private(set) var hasErased = false

  /// No links.
  package init() {}

  /// One link, and nothing before it.
  package init(only link: InstallationLink) {
    earliest = link
    latest = link
  }

  /// The links after one of them was erased.
  package init(afterErased latest: InstallationLink?) {
    self.latest = latest
    hasErased = true
  }

  /// The link that counts.
  package var current: InstallationLink? { hasErased ? latest : earliest }

  /// Whether nothing is known.
  package var isEmpty: Bool { latest == nil && !hasErased }

  /// Adds a link.
  package mutating func merge(_ link: InstallationLink) {
    merge(InstallationLinks(only: link))
  }

  /// Adds the links of another source.
  package mutating func merge(_ other: InstallationLinks) {
    if let link = other.earliest, earliest.map({ link.isBefore($0) }) ?? true { earliest = link }
    if let link = other.latest, latest.map({ link.isBehind($0) }) ?? true { latest = link }
    if other.hasErased { hasErased = true }
    if hasErased { earliest = nil }
  }

  /// Removes links at or before the erase mark `mark`, in milliseconds since 1970.
  package mutating func erase(through mark: Int) {
    if let link = earliest ?? latest, link.time <= mark { hasErased = true }
    if hasErased { earliest = nil }
    if let link = latest, link.time <= mark { latest = nil }
  }

  /// Removes the links to an erased person, as if they had never existed.
  mutating func remove(where isErased: (InstallationLink) -> Bool) {
    let first = earliest.map(isErased) ?? false
    let last = latest.map(isErased) ?? false
    if first { earliest = last ? nil : latest }
    if last { latest = earliest }
  }

  /// Whether the latest link is the earliest one.
  var isOne: Bool {
    guard let earliest, let latest else { return earliest == nil && latest == nil }
    return earliest.time == latest.time && earliest.target == latest.target
  }
}
