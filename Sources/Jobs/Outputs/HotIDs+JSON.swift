import Pipeline
import Stages

/// The ids with the most data in `report.json`, and in the tally of a merged partition.
extension HotIDs {
  /// The field of the report.
  static var field: StaticString { "hot_ids" }

  /// Writes the field ``field`` of the open object.
  func write(to json: inout JSONWriter) {
    json.object(Self.field) { json in
      json.array("keys") { json in
        for entry in events.entries {
          json.object { json in
            json.member("kind", entry.isPerson ? "person" : "installation")
            json.member("id", entry.id)
            json.member("events", entry.count)
          }
        }
      }
      json.array("installations") { json in
        for entry in people.entries {
          json.object { json in
            json.member("id", entry.id)
            json.member("people", entry.count)
          }
        }
      }
    }
  }

  /// What ``write(to:)`` wrote; nil for anything else.
  init?(_ value: JSONValue?) {
    guard let value else { return nil }
    self.init()
    for item in value["keys"]?.items ?? [] {
      let isPerson = item["kind"]?.text == "person"
      guard let entry = Self.entry(item, isPerson ? .custom : .install, "events") else {
        return nil
      }
      events.add(entry)
    }
    for item in value["installations"]?.items ?? [] {
      guard let entry = Self.entry(item, .install, "people") else { return nil }
      people.add(entry)
    }
  }

  private static func entry(
    _ item: JSONValue, _ section: KeySection, _ field: StaticString
  ) -> HotKeys.Entry? {
    guard let id = item["id"]?.text, let count = item[field]?.count, count > 0 else { return nil }
    var key = ByteBuffer()
    key.append(section.prefix)
    key.append(text: id)
    return HotKeys.Entry(key: key.view.array, count: count)
  }
}

extension HotKeys.Entry {
  /// Whether it is the key of a person, not of an installation.
  var isPerson: Bool { key.starts(with: KeySection.custom.prefix.array) }

  /// The id in the key.
  var id: String {
    let section = isPerson ? KeySection.custom : .install
    return String(decoding: key.dropFirst(section.prefix.count), as: UTF8.self)
  }
}

/// The section of the page.
extension ReportPage where Report == RunReport {
  /// Writes the ids with the most data, if there are any.
  func writeHotIDs(to html: inout HTMLWriter) {
    guard let hot = report.snapshot?.hot, !hot.isEmpty else { return }
    section(
      "Ids with the most data",
      "A placeholder that programs write without an id joins strangers: exclude it with --nobody.",
      to: &html
    ) { html in
      writeTable(
        "Keys by events", [("Id", .code), ("Kind", .text), ("Events", .number)],
        of: hot.events.entries, atMost: HotKeys.most, rest: "ids", to: &html
      ) { [.input($0.id), $0.isPerson ? "person" : "installation", .count($0.count)] }
      let shared = hot.people.entries.filter { $0.count > 1 }
      if !shared.isEmpty {
        writeTable(
          "Installations by people", [("Installation", .code), ("People", .number)],
          of: shared, atMost: HotKeys.most, rest: "installations", to: &html
        ) { [.input($0.id), .count($0.count)] }
      }
    }
  }
}
