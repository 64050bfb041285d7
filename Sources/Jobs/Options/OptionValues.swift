package import Pipeline
import Stages

/// The words for true and false in environment variables of options without a value.
package enum Switch {
  /// Whether `text` means true or false; nil for any other text.
  package static func isOn(_ text: String?) -> Bool? {
    switch text?.lowercased() {
    case "1", "true", "yes", "on": true
    case "0", "false", "no", "off": false
    default: nil
    }
  }
}

/// The value of an option as written, and its source.
package struct RawValue: Equatable, Sendable {
  /// `--jobs` or `EVENTMILL_JOBS`, for messages.
  package let source: String
  /// The value, or those of an option that takes a list; empty for one without a value.
  package var words: [String]
  package var text: String? { words.first }

  package init(source: String, words: [String]) { (self.source, self.words) = (source, words) }

  /// Whether the option itself was given, and not only its environment variable.
  var isOnCommandLine: Bool { source.hasPrefix("--") }

  func isOn() throws(Failure) -> Bool {
    guard let text else { return true }
    guard let isOn = Switch.isOn(text) else {
      throw bad("it must be 1 or 0, true or false", example: "1")
    }
    return isOn
  }

  func filled() throws(Failure) -> String {
    guard let text, !text.isEmpty else { throw bad("it must not be empty") }
    return text
  }

  func word(among words: [String]) throws(Failure) -> String {
    guard let text, words.contains(text) else {
      let allowed = words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
      throw bad(
        "it must be \(allowed)",
        example: NearestName.of((text ?? "").lowercased(), among: words) ?? words.first)
    }
    return text
  }

  /// The failure of an option with an invalid value.
  func bad(_ allowed: String, example: String? = nil) -> Failure {
    let text = text ?? ""
    let hint = Self.hasBlanks(text) ? "; there is white space around it: remove it" : ""
    return Failure.commandLine(
      "\(source) cannot be \"\(text)\": \(allowed)\(hint)",
      example.map { "for example \(source)\(isOnCommandLine ? " " : "=")\($0)" } ?? "")
  }

  static func hasBlanks(_ text: String) -> Bool {
    text.first?.isWhitespace ?? false || text.last?.isWhitespace ?? false
  }
}

/// The options that were given, with their values as written.
package struct OptionValues: Sendable {
  private var values: [Option: RawValue]

  package init(_ values: [Option: RawValue] = [:]) { self.values = values }

  /// Makes the paths of files and directories absolute, which are relative to `directory`.
  package mutating func makePathsAbsolute(in directory: String) {
    for (option, value) in values {
      guard let text = value.text,
        ["DIR", "FILE"].contains(option.facts.value) || option == .mapping
      else { continue }
      let names = option == .mapping ? text.split(separator: ",") : [text[...]]
      let paths = names.map { name in
        name.isEmpty || name.utf8.first == UInt8(ascii: "/")
          || option == .mapping && BuiltInMapping(rawValue: String(name)) != nil
          ? "\(name)" : "\(directory)/\(name)"
      }
      values[option] = RawValue(source: value.source, words: [paths.joined(separator: ",")])
    }
  }

  subscript(option: Option) -> RawValue? { values[option] }

  /// Whether the option itself was given, and not only its environment variable.
  package func isOnCommandLine(_ option: Option) -> Bool {
    values[option]?.isOnCommandLine ?? false
  }

  /// Whether the option or its variable was given.
  package func isGiven(_ option: Option) -> Bool { values[option] != nil }

  package func isOn(_ option: Option) throws(Failure) -> Bool {
    try values[option]?.isOn() ?? false
  }

  package func text(_ option: Option) throws(Failure) -> String? { try values[option]?.filled() }

  package func value<Value>(_ option: Option, _ form: OptionForm<Value>) throws(Failure) -> Value? {
    guard let value = values[option] else { return nil }
    return try form.parse(value)
  }

  package func bad(_ option: Option, allowed: String, example: String? = nil) -> Failure {
    (values[option] ?? RawValue(source: option.flag, words: [])).bad(allowed, example: example)
  }
}

extension Option { package var flag: String { "--\(rawValue)" } }

extension Failure {
  /// Why a command line cannot be executed.
  package static func commandLine(_ why: String, _ advice: String) -> Failure {
    Failure(.usage, doing: "reading the command line", why: why, advice: advice)
  }
}
