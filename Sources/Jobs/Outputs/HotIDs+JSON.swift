package import Pipeline
package import Stages

/// The ids with the most data in `report.json`, and in the tally of a merged partition.
extension HotIDs: Document {
  package static let fields: [Field<HotIDs>] = [
    .value("keys", \.keys), .value("installations", \.installations),
  ]

  private var keys: [HotKey] {
    get {
      events.entries.map {
        HotKey(kind: $0.isPerson ? .person : .installation, id: $0.id, count: $0.count)
      }
    }
    set { for key in newValue { events.add(key.entry) } }
  }

  private var installations: [HotInstallation] {
    get { people.entries.map { HotInstallation(key: HotKey(id: $0.id, count: $0.count)) } }
    set { for installation in newValue { people.add(installation.key.entry) } }
  }
}

private struct HotKey: Document {
  enum Kind: String, DocumentWord { case person, installation }

  var kind = Kind.installation
  var id = ""
  var count = 0

  static let fields: [Field<HotKey>] = [
    .value("kind", \.kind), .value("id", \.id), .count("events", \.count),
  ]

  func check() throws(DocumentDamage) {
    guard count > 0 else { throw .isNot("a count of something") }
  }

  var entry: HotKeys.Entry {
    var key = ByteBuffer()
    key.append((kind == .person ? KeySection.custom : .install).prefix)
    key.append(text: id)
    return HotKeys.Entry(key: key.view.array, count: count)
  }
}

private struct HotInstallation: Document {
  var key = HotKey()

  static let fields: [Field<HotInstallation>] = [
    .value("id", \.key.id), .count("people", \.key.count),
  ]

  func check() throws(DocumentDamage) { try key.check() }
}

extension HotKeys.Entry {
  var isPerson: Bool { key.starts(with: KeySection.custom.prefix.array) }

  var id: String {
    let section = isPerson ? KeySection.custom : .install
    return String(decoding: key.dropFirst(section.prefix.count), as: UTF8.self)
  }
}
