package import Pipeline

/// The paths of nights: a text in which `%Y`, `%m` and `%d` are parts of a date, and `%%` is `%`.
package struct NightPattern: Sendable {
  private enum Part: Hashable, Sendable {
    case text(String)
    case year, month, day

    /// Number of digits.
    var digits: Int { self == .year ? 4 : 2 }
  }

  /// As written by the user.
  package let source: String
  /// The parts between slashes.
  private let components: [[Part]]

  /// - Throws: the problem of `source`, as the end of a sentence "it …".
  package init(_ source: String) throws(Problem) {
    self.source = source
    components = try source.split(separator: "/", omittingEmptySubsequences: false).map {
      component throws(Problem) in try Self.parts(of: component)
    }
    for (part, name) in [(Part.year, "%Y"), (.month, "%m"), (.day, "%d")] {
      guard components.joined().contains(part) else {
        throw Problem("has no \(name): each night needs a path of its own")
      }
    }
    if source.hasSuffix("/") { throw Problem("ends with a slash") }
  }

  /// The problem of a pattern.
  package struct Problem: Error {
    package let text: String

    init(_ text: String) { self.text = text }
  }

  private static func parts(of component: Substring) throws(Problem) -> [Part] {
    var parts: [Part] = []
    var text = ""
    var rest = component
    while let character = rest.popFirst() {
      guard character == "%" else {
        text.append(character)
        continue
      }
      let part: Part
      switch rest.popFirst() {
      case "Y": part = .year
      case "m": part = .month
      case "d": part = .day
      case "%":
        text.append("%")
        continue
      case let letter?: throw Problem("has %\(letter): only %Y, %m, %d and %% are replaced")
      case nil: throw Problem("has a % with nothing behind it; write %% for a percent sign")
      }
      if !text.isEmpty { parts.append(.text(text)) }
      text = ""
      parts.append(part)
    }
    return text.isEmpty && !parts.isEmpty ? parts : parts + [.text(text)]
  }

  /// The path of a night.
  package func path(of day: Day) -> String {
    let digits = day.text
    return components.map { parts in
      parts.map { part in
        switch part {
        case .text(let text): text
        case .year: String(digits.prefix(4))
        case .month: String(digits.dropFirst(5).prefix(2))
        case .day: String(digits.suffix(2))
        }
      }.joined()
    }.joined(separator: "/")
  }

  /// The directory of all nights.
  package var base: String {
    let fixed = components.prefix { $0.allSatisfy { if case .text = $0 { true } else { false } } }
    let path = fixed.map(Self.literal).joined(separator: "/")
    return fixed.isEmpty ? "." : path.isEmpty ? "/" : path
  }

  private static func literal(_ parts: [Part]) -> String {
    parts.map { if case .text(let text) = $0 { text } else { "" } }.joined()
  }

  /// The days with existing paths: all directories above them exist, and a name in the last of
  /// them, unless the pattern continues there. Sorted.
  ///
  /// - Throws: `io`, when a directory cannot be read.
  package func days(_ system: System, doing: String) throws(Failure) -> [Day] {
    let days = try walk(components[...], system, doing: doing).compactMap { _, date -> Day? in
      guard let year = date[.year].flatMap({ Int($0) }),
        let month = date[.month].flatMap({ Int($0) }),
        let day = date[.day].flatMap({ Int($0) })
      else { return nil }
      return Day(year: year, month: month, day: day)
    }
    return Set(days).sorted()
  }

  /// The directories of existing paths.
  ///
  /// - Throws: `io`, when a directory cannot be read.
  func parents(_ system: System, doing: String) throws(Failure) -> [String] {
    var parents: [String] = []
    for (path, _) in try walk(components.dropLast(), system, doing: doing)
    where try system.statusIfAny(of: path, doing: doing)?.kind == .directory {
      parents.append(path)
    }
    return parents
  }

  /// The existing paths of the first components, as far as these name directories, and the parts of
  /// a date in each.
  private func walk(
    _ components: ArraySlice<[Part]>, _ system: System, doing: String
  ) throws(Failure) -> [(path: String, date: [Part: String])] {
    let fixed = components.prefix { $0.allSatisfy { if case .text = $0 { true } else { false } } }
    var found: [(path: String, date: [Part: String])] = [(base, [:])]
    for component in components.dropFirst(fixed.count) {
      var next: [(path: String, date: [Part: String])] = []
      for (path, date) in found {
        guard component.contains(where: { if case .text = $0 { false } else { true } }) else {
          next.append(("\(path)/\(Self.literal(component))", date))
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

  /// The date completed by a name; nil when it does not match.
  private static func match(
    _ name: String, _ parts: [Part], _ known: [Part: String]
  ) -> [Part: String]? {
    var date = known
    var rest = name.utf8[...]
    for part in parts {
      if case .text(let text) = part {
        guard rest.starts(with: text.utf8) else { return nil }
        rest = rest.dropFirst(text.utf8.count)
        continue
      }
      let digits = rest.prefix(part.digits)
      guard digits.count == part.digits, digits.allSatisfy(Characters.isDigit),
        let text = String(digits), date[part, default: text] == text
      else { return nil }
      date[part] = text
      rest = rest.dropFirst(part.digits)
    }
    return rest.isEmpty ? date : nil
  }
}
