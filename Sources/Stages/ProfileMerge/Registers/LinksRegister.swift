package import Pipeline

extension FactKind {
  /// The installation was linked to the person with the key `value`; in a membership, the person to
  /// the installation.
  package static var link: Self { Self(7) }
  /// A link of the installation was erased.
  static var unlinked: Self { Self(8) }
  /// The installation stands alone.
  static var alone: Self { Self(9) }
  var isOfLinks: Bool { LinksRegister.kinds.contains(self) }
}

/// The person that an installation belongs to, and since when (data-model 13.8).
package struct InstallationLink: Equatable {
  package let time: Int
  /// Key text of the target: of the person, `custom:ID`; in a membership, of the installation
  /// (``Memberships``).
  package let target: ByteView

  package init(time: Int, target: ByteView) { (self.time, self.target) = (time, target) }

  /// Whether a merge of the earliest of the two keeps this one; on equal times the smaller bytes.
  package func isBefore(_ other: InstallationLink) -> Bool {
    time != other.time ? time < other.time : target < other.target
  }

  /// Whether a merge of the latest of the two keeps this one; on equal times the greater bytes.
  package func isBehind(_ other: InstallationLink) -> Bool { other.isBefore(self) }
}

/// The merged links of an installation (docs/reference/data-model.md, identity): the earliest, the
/// earliest to another person than that, the latest, whether one was erased, and whether the
/// installation stands alone. All of them merge in any order.
///
/// As long as no link was erased the earliest counts. Then the latest does, so that an installation
/// that was erased and signed in again is linked again.
package struct LinksRegister: Register {
  /// The earliest; nil without one, and once one was erased, because it is not needed again.
  package private(set) var earliest: InstallationLink?
  /// The earliest to another person than that of the earliest one; nil without ``earliest``.
  package private(set) var other: InstallationLink?
  /// The latest; nil when there is none.
  package private(set) var latest: InstallationLink?
  /// Whether a link was at or before an erase mark of the installation. Its person is not kept.
  package private(set) var hasErased = false
  /// Whether the installation folds into no person any more, whatever links to it: then none is
  /// kept.
  package private(set) var standsAlone = false

  package init() {}

  /// The link that counts.
  package var current: InstallationLink? { hasErased ? latest : earliest }

  /// The key of the person that the installation folds into.
  package func person(_ stitch: Stitch) -> ByteView? { stitch == .first ? current?.target : nil }
  static var kinds: Mutation.Kinds { Mutation.Kinds(.link, .unlinked, .alone) }

  /// An installation has the key of a person; a membership, which begins with its only link, that
  /// of an installation.
  static func isSound(_ record: Mutation, _ place: inout RecordPlace) -> Bool {
    let isMembership = place.content == .memberships
    guard record.name == 0, isMembership ? place.isFirst : place.section == .install else {
      return false
    }
    if record.kind != .link { return !isMembership }
    let target = isMembership ? KeySection.install : .custom
    return Rules.isTime(record.time) && KeySection(of: record.value) == target
      && target.hasID(record.value)
  }

  mutating func removeAll() { self = LinksRegister() }

  mutating func add(_ record: Mutation, rank: UInt32) {
    switch record.kind {
    case .link: merge(InstallationLink(time: record.time, target: record.value))
    case .unlinked: noteErased()
    default: standAlone()
    }
  }

  func forEachRecord(_ body: (Mutation) -> Void) {
    if standsAlone { body(Mutation(.alone)) }
    if hasErased { body(Mutation(.unlinked)) }
    for link in all { body(Mutation(.link, time: link.time, value: link.target)) }
  }

  func describe(in line: StateLines) {
    func describe(_ link: InstallationLink?, as field: StaticString) {
      guard let link else { return }
      line.object(field) { json in
        json.member("custom_id", KeySection.custom.id(of: link.target))
        json.member("time", link.time)
      }
    }
    if standsAlone { line.member("alone", true) }
    if !hasErased { describe(latestIfAnother, as: "latest_link") }
    describe(current, as: "link")
    describe(other, as: "other_link")
    if hasErased { line.member("unlinked", true) }
  }

  package var isEmpty: Bool { latest == nil && !hasErased && !standsAlone }

  /// The known links, each once.
  package var all: [InstallationLink] { [earliest, other, latestIfAnother].compactMap(\.self) }

  /// The latest link, if it is neither ``earliest`` nor ``other``.
  package var latestIfAnother: InstallationLink? {
    guard let latest, let known = other ?? earliest else { return latest }
    return latest == known ? nil : latest
  }

  package mutating func merge(_ link: InstallationLink) {
    if standsAlone { return }
    if latest.map({ link.isBehind($0) }) ?? true { latest = link }
    if hasErased { return }
    guard let first = earliest else { return earliest = link }
    if link.target == first.target {
      if link.time < first.time { earliest = link }
    } else if link.isBefore(first) {
      (earliest, other) = (link, first)
    } else if other.map({ link.isBefore($0) }) ?? true {
      other = link
    }
  }

  /// Removes links at or before the erase mark `mark`, in milliseconds since 1970.
  package mutating func erase(through mark: Int) {
    guard let link = earliest ?? latest, link.time <= mark else { return }
    noteErased()
    if let link = latest, link.time <= mark { latest = nil }
  }

  /// Records that a link was at or before an erase mark of the installation.
  package mutating func noteErased() {
    if standsAlone { return }
    hasErased = true
    (earliest, other) = (nil, nil)
  }

  /// Removes all links, for good.
  package mutating func standAlone() {
    self = LinksRegister()
    standsAlone = true
  }

  /// Removes known links, as if they had never existed.
  mutating func remove(where isErased: (InstallationLink) -> Bool) {
    let known = all
    let rest = known.filter { !isErased($0) }
    if rest.count == known.count { return }
    (earliest, other, latest) = (nil, nil, nil)
    for link in rest { merge(link) }
  }
}
