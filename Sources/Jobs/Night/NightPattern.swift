package import Pipeline

/// The paths of nights: a text in which `%Y`, `%m` and `%d` are parts of a date, and `%%` is `%`.
package struct NightPattern: Sendable {
  /// A part of a date, by its letter.
  private enum Field: Character, CaseIterable, Sendable {
    case year = "Y"
    case month = "m"
    case day = "d"

    /// Its digits in `2024-06-01`.
    var digits: Range<Int> {
      switch self {
      case .year: 0..<4
      case .month: 5..<7
      case .day: 8..<10
      }
    }
  }

  private enum Part: Sendable {
    case text(String)
    case field(Field)

    var field: Field? { if case .field(let field) = self { field } else { nil } }
  }

  /// An existing path, and the digits in it.
  private typealias Found = (path: String, date: [Field: String])

  package let source: String
  /// The parts between slashes.
  private let components: [[Part]]

  /// - Throws: the problem of `source`, as the end of a sentence "it …".
  package init(_ source: String) throws(Problem) {
    self.source = source
    components = try source.split(separator: "/", omittingEmptySubsequences: false).map {
      component throws(Problem) in try Self.parts(of: component)
    }
    for field in Field.allCases where !components.joined().contains(where: { $0.field == field }) {
      throw Problem("has no %\(field.rawValue): each night needs a path of its own")
    }
    if source.hasSuffix("/") { throw Problem("ends with a slash") }
  }

  package struct Problem: Error {
    package let text: String

    init(_ text: String) { self.text = text }
  }

  private static func parts(of component: Substring) throws(Problem) -> [Part] {
    var parts: [Part] = []
    var text = ""
    var rest = component
    while let character = rest.popFirst() {
      guard character == "%", rest.first != "%" else {
        if character == "%" { rest.removeFirst() }
        text.append(character)
        continue
      }
      guard let letter = rest.popFirst() else {
        throw Problem("has a % with nothing behind it; write %% for a percent sign")
      }
      guard let field = Field(rawValue: letter) else {
        throw Problem("has %\(letter): only %Y, %m, %d and %% are replaced")
      }
      if !text.isEmpty { parts.append(.text(text)) }
      text = ""
      parts.append(.field(field))
    }
    return text.isEmpty && !parts.isEmpty ? parts : parts + [.text(text)]
  }

  package func path(of day: Day) -> String {
    let digits = Array(day.text)
    return components.map { Self.text($0) { String(digits[$0.digits]) } }.joined(separator: "/")
  }

  private static func text(_ parts: [Part], _ digits: (Field) -> String = { _ in "" }) -> String {
    parts.map { part in
      switch part {
      case .text(let text): text
      case .field(let field): digits(field)
      }
    }.joined()
  }

  /// The components before the first one with a part of a date.
  private var fixed: ArraySlice<[Part]> { components.prefix { $0.allSatisfy { $0.field == nil } } }

  package var base: String {
    let path = fixed.map { Self.text($0) }.joined(separator: "/")
    return fixed.isEmpty ? "." : path.isEmpty ? "/" : path
  }

  /// The days with existing paths, sorted.
  package func days(_ system: System, doing: String) throws(Failure) -> [Day] {
    let days = try walk(components[...], system, doing: doing).compactMap { _, date in
      Day([.year, .month, .day].map { date[$0] ?? "" }.joined(separator: "-"))
    }
    return Set(days).sorted()
  }

  func parents(_ system: System, doing: String) throws(Failure) -> [String] {
    var parents: [String] = []
    for (path, _) in try walk(components.dropLast(), system, doing: doing)
    where try system.statusIfAny(of: path, doing: doing)?.kind == .directory {
      parents.append(path)
    }
    return parents
  }

  /// The existing paths of the first components, and the parts of a date in each.
  private func walk(
    _ components: ArraySlice<[Part]>, _ system: System, doing: String
  ) throws(Failure) -> [Found] {
    var found: [Found] = [(base, [:])]
    for component in components.dropFirst(fixed.count) {
      var next: [Found] = []
      for (path, date) in found {
        guard component.contains(where: { $0.field != nil }) else {
          let path = "\(path)/\(Self.text(component))"
          if try system.statusIfAny(of: path, doing: doing) != nil { next.append((path, date)) }
          continue
        }
        guard try system.statusIfAny(of: path, doing: doing)?.kind == .directory else { continue }
        for name in try system.names(in: path, doing: doing) {
          guard let date = Self.match(name, component, date) else { continue }
          next.append(("\(path)/\(name)", date))
        }
      }
      found = next
    }
    return found
  }

  /// Whether the name of an entry of ``base`` is one on the paths of nights, or goes on behind it
  /// with one of `suffixes`.
  func begins(_ name: String, before suffixes: [String]) -> Bool {
    Self.match(name, components[fixed.count], [:], before: suffixes) != nil
  }

  /// The date completed by a name, which may go on with one of `suffixes`; nil when it does not
  /// match.
  private static func match(
    _ name: String, _ parts: [Part], _ known: [Field: String], before suffixes: [String] = []
  ) -> [Field: String]? {
    var date = known
    var rest = name.utf8[...]
    for part in parts {
      switch part {
      case .text(let text):
        guard rest.starts(with: text.utf8) else { return nil }
        rest = rest.dropFirst(text.utf8.count)
      case .field(let field):
        let digits = rest.prefix(field.digits.count)
        guard digits.count == field.digits.count, digits.allSatisfy(Characters.isDigit),
          let text = String(digits), date[field, default: text] == text
        else { return nil }
        date[field] = text
        rest = rest.dropFirst(digits.count)
      }
    }
    return rest.isEmpty || suffixes.contains { rest.starts(with: $0.utf8) } ? date : nil
  }
}
