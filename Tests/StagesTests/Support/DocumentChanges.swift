import Pipeline
import TestSupport
import Testing

/// Changes a document in every field, and reads it.
struct DocumentChanges<Read: Document> {
  private static var others: [NaiveJSON] {
    [.number("-1"), .number("1e3"), .string("?"), .null, .array([.bool(true)]), .object([])]
  }

  private let whole: NaiveJSON
  private let most: Int
  /// The fields without which the document is damaged.
  private(set) var required: Set<String> = []

  /// Reads `text`, which must be written again as it is, with each of its fields removed, and with
  /// other values. Each time it is read, or the damage has the name of the field, or of an object
  /// around it.
  init(of text: String, most: Int = DocumentReading.most) throws {
    self.most = most
    whole = try NaiveJSON(parsing: text)
    #expect(try read(whole).text().text == text + "\n")
    try change(whole, []) { $0 }
  }

  private func read(_ json: NaiveJSON) throws -> Read {
    let text = ByteBuffer(text: json.source)
    return try Read(JSONDocument(text.view).root, most: most)
  }

  private mutating func change(
    _ value: NaiveJSON, _ path: [String], in document: (NaiveJSON?) -> NaiveJSON?
  ) throws {
    switch value {
    case .object(let members):
      for (index, member) in members.enumerated() {
        let inner = path + [member.name]
        func changed(_ value: NaiveJSON?) -> NaiveJSON? {
          var all = members
          if let value { all[index].value = value } else { all.remove(at: index) }
          return document(.object(all))
        }
        if check(changed(nil), inner) { required.insert(inner.joined(separator: ".")) }
        for other in Self.others { check(changed(other), inner) }
        try change(member.value, inner, in: changed)
      }
    case .array(let items):
      guard let first = items.first else { return }
      try change(first, path) { value in
        document(.array((value.map { [$0] } ?? []) + items.dropFirst()))
      }
    default: return
    }
  }

  /// Whether the changed document is damaged.
  @discardableResult
  private func check(_ json: NaiveJSON?, _ path: [String]) -> Bool {
    guard let json else { return false }
    do {
      let text = try read(json).text().text
      #expect(try read(NaiveJSON(parsing: text)).text().text == text)
      return false
    } catch let damage as DocumentDamage {
      let (place, field) = (damage.why.prefix { $0 != " " }, path.joined(separator: "."))
      #expect(
        place == "it" || field.hasPrefix(place) || place.hasPrefix(field), "\(field): \(damage.why)"
      )
      return true
    } catch {
      Issue.record("\(path): \(error)")
      return false
    }
  }
}
