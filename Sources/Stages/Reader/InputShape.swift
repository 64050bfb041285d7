package import Pipeline

/// A guess at the kind of an input that is not a log, and advice, from its first bytes.
package struct InputShape {
  /// Number of bytes that the guess uses.
  package static let sample = 1 << 10

  /// A description, as in "it looks like WORDS".
  package let words: String
  /// What to do with it: alternatives.
  package let advice: [String]

  /// The shape of an input whose first line that is not blank begins with `start`, and is rejected
  /// with `code`; `message` says why or, for an unknown dialect, which fields it has.
  package init(_ start: ByteView, _ code: ReasonCode, message: String) {
    self =
      Self.byMagic(start) ?? Self.wide(start) ?? Self.byCode(code, message)
      ?? Self.text(Text(start), code, message)
  }

  /// The shape of a file that is not a log and begins with `start`.
  package init(of start: ByteView) {
    do throws(JSONDocument.Fault) {
      _ = try JSONDocument(start[0..<(start.firstIndex(of: JSONByte.lineFeed) ?? start.count)])
      self.init(start, .notObject, message: "")
    } catch {
      var message = ""
      if case .invalidJSON(let offset, let expected) = error {
        message = "at byte \(offset): expected \(expected)"
      }
      self.init(start, error == .invalidUTF8 ? .invalidUTF8 : .invalidJSON, message: message)
    }
  }

  /// Its description, and the advice after a semicolon.
  package var sentence: String {
    advice.isEmpty ? words : "\(words); \(advice.joined(separator: ", or "))"
  }

  package init(_ words: String, _ advice: [String]) {
    self.words = words
    self.advice = advice
  }

  private init(_ words: String, _ advice: String) { self.init(words, [advice]) }
}

// MARK: - Files of other kinds

extension InputShape {
  /// The signature of a kind of file.
  private struct Magic {
    let offset: Int
    let bytes: [UInt8]
    let shape: InputShape

    init(_ text: StaticString, at offset: Int = 0, _ words: String, _ advice: String) {
      self.init(ByteView(text).array, at: offset, words, advice)
    }

    init(_ bytes: [UInt8], at offset: Int = 0, _ words: String, _ advice: String) {
      self.offset = offset
      self.bytes = bytes
      shape = InputShape(words, advice)
    }

    func isMatched(by start: ByteView) -> Bool {
      start.count >= offset + bytes.count
        && bytes.indices.allSatisfy { start[offset + $0] == bytes[$0] }
    }
  }

  private static func byMagic(_ start: ByteView) -> InputShape? {
    magics.first { $0.isMatched(by: start) }?.shape
  }

  private static let export = "export its rows as JSON, one object per line"
  private static let other = "name the logs instead"

  private static let magics: [Magic] = [
    Magic("PAR1", "a Parquet file", export),
    Magic("Obj\u{1}", "an Avro file", export),
    Magic("ORC", "an ORC file", export),
    Magic("ARROW1", "an Arrow file", export),
    Magic("SQLite format 3", "an SQLite database", export),
    Magic("ustar", at: 257, "a tar archive", "unpack it with tar -xf FILE and name the logs in it"),
    Magic("PK\u{3}\u{4}", "a zip archive", "unpack it with unzip FILE and name the logs in it"),
    Magic([0x37, 0x7A, 0xBC, 0xAF], "a 7z archive", "unpack it and name the logs in it"),
    Magic("Rar!", "a RAR archive", "unpack it and name the logs in it"),
    Magic([0x04, 0x22, 0x4D, 0x18], "an LZ4 file", "decompress it with lz4 -d FILE"),
    Magic([0x02, 0x21, 0x4C, 0x18], "an LZ4 file", "decompress it with lz4 -d FILE"),
    Magic([0x1F, 0x9D], "a file of compress", "decompress it with gzip -dc FILE"),
    Magic("LZIP", "an lzip file", "decompress it with lzip -d FILE"),
    Magic([0x89, 0x4C, 0x5A, 0x4F], "an lzop file", "decompress it with lzop -d FILE"),
    Magic([0xFF, 0x06, 0, 0, 0x73, 0x4E], "a Snappy file", "decompress it first"),
    Magic([0x7F, 0x45, 0x4C, 0x46], "a program (ELF)", other),
    Magic([0xCA, 0xFE, 0xBA, 0xBE], "a program", other),
    Magic([0xCF, 0xFA, 0xED, 0xFE], "a program (Mach-O)", other),
    Magic("MZ", "a program (Windows)", other),
    Magic("#!", "a script", other),
    Magic([0x89, 0x50, 0x4E, 0x47], "an image (PNG)", other),
    Magic([0xFF, 0xD8, 0xFF], "an image (JPEG)", other),
    Magic("GIF8", "an image (GIF)", other),
    Magic("RIFF", "an image or a sound (RIFF)", other),
    Magic("%PDF", "a PDF document", other),
    Magic([0, 0x61, 0x73, 0x6D], "a program (WebAssembly)", other),
    Magic([0xFF, 0xFE, 0, 0], "UTF-32", "convert it with iconv -f UTF-32 -t UTF-8 FILE"),
    Magic([0xFF, 0xFE], "UTF-16", "convert it with iconv -f UTF-16 -t UTF-8 FILE"),
    Magic([0xFE, 0xFF], "UTF-16", "convert it with iconv -f UTF-16 -t UTF-8 FILE"),
    Magic(
      [0x1E], "a JSON text sequence", "write one object per line with jq --seq -c . FILE"),
  ]

  /// Text with two or four bytes per character without a byte order mark, and zero bytes.
  private static func wide(_ start: ByteView) -> InputShape? {
    let pairs = min(start.count / 2, 32)
    guard pairs > 0 else { return nil }
    let even = (0..<pairs).count { start[2 * $0] == 0 }
    let odd = (0..<pairs).count { start[2 * $0 + 1] == 0 }
    if even == pairs, odd == pairs {
      return InputShape(
        "a file of zero bytes", "fetch it again: a crash may have truncated it")
    }
    guard max(even, odd) > pairs * 3 / 4 else { return nil }
    let bits = min(even, odd) * 2 >= pairs - 1 ? 32 : 16
    let form = "UTF-\(bits)\(even > odd ? "BE" : "LE")"
    return InputShape(form, "convert it with iconv -f \(form) -t UTF-8 FILE")
  }
}

// MARK: - Lines

extension InputShape {
  /// For codes that reveal more than the text.
  private static func byCode(_ code: ReasonCode, _ message: String) -> InputShape? {
    switch code {
    case .unknownDialect:
      InputShape(
        "JSON objects of an unknown format, with \(message)",
        ["describe them with a mapping: see eventmill help mapping", "convert them"])
    case .lineTooLong:
      InputShape(
        "lines without an end (\(message))",
        ["write one object per line with jq -c . FILE", "allow longer lines with --max-line"])
    case .tooDeep: InputShape("JSON for other purposes (\(message))", "convert it")
    default: nil
    }
  }

  /// The first line, and its properties.
  private struct Text {
    let line: String
    let isBinary: Bool

    init(_ start: ByteView) {
      let end = start.firstIndex(of: UInt8(ascii: "\n")) ?? start.count
      isBinary = (0..<end).contains { start[$0] < 0x20 && !(9...13 ~= start[$0]) }
      line = String(start[0..<end].text.drop(while: \.isWhitespace))
    }

    /// The first non-blank character after the first one.
    var second: Character? { line.dropFirst().first { !$0.isWhitespace } }
    var last: Character? { line.last { !$0.isWhitespace } }
  }

  private static func text(
    _ text: Text, _ code: ReasonCode, _ message: String
  ) -> InputShape {
    if text.isBinary { return InputShape("binary data", export) }
    if code == .invalidUTF8 {
      return InputShape(
        "text in another encoding than UTF-8",
        "convert it from the one it is in, as with iconv -f ISO-8859-1 -t UTF-8 FILE")
    }
    return json(text, code, message) ?? rows(text)
  }

  private static func json(
    _ text: Text, _ code: ReasonCode, _ message: String
  ) -> InputShape? {
    switch text.line.first {
    case "\"" where code == .notObject:
      return InputShape(
        "JSON inside of JSON strings", "unpack it with jq -c fromjson FILE > NEW.ndjson")
    case "{" where text.line.contains("}{") || text.line.contains("} {"):
      return InputShape(
        "JSON objects without line feeds between them",
        "write one object per line with jq -c . FILE > NEW.ndjson")
    case "{" where text.second == "'":
      return InputShape(
        "dictionaries of Python", "write them as JSON, with json.dumps, one object per line")
    case "{" where text.last == "," && text.line.contains("}"):
      return InputShape(
        "JSON objects followed by commas",
        "remove the commas with sed 's/,[[:space:]]*$//' FILE > NEW.ndjson")
    case "{":
      let place = message.trimmingPrefix("the line is not valid JSON ")
      return InputShape("broken JSON (\(place))", "see eventmill explain FILE")
    case _ where code == .notObject:
      return InputShape("JSON values that are not objects", "write one object per line")
    case _ where text.line.contains("{\"") && text.last == "}":
      return InputShape(
        "JSON with other text before it", "remove that with sed 's/^[^{]*//' FILE > NEW.ndjson")
    default: return nil
    }
  }

  /// Text of other kinds, by its separators.
  private static func rows(_ text: Text) -> InputShape {
    let convert = "convert it to JSON, one object per line"
    let words = text.line.split(separator: " ")
    let requests = ["\"GET ", "\"POST ", "\"HEAD ", "\"PUT ", " HTTP/"]
    if text.line.first == "<" {
      return text.second.map(\.isNumber) ?? false
        ? InputShape("the log of a system (syslog)", convert)
        : InputShape("HTML or XML, perhaps an error page", "fetch the log again, or convert it")
    }
    if requests.contains(where: text.line.contains) {
      return InputShape("the log of a web server", convert)
    }
    if text.line.contains("\t") {
      return InputShape(
        "a table with tabs", "convert it, as with mlr --itsv --ojsonl cat FILE > NEW.ndjson")
    }
    if words.count > 1, words.count(where: { $0.contains("=") }) * 2 > words.count {
      return InputShape("lines of names and values", convert)
    }
    if isRow(text.line) {
      return InputShape(
        "CSV", "convert it, as with mlr --icsv --ojsonl cat FILE > NEW.ndjson")
    }
    return InputShape("text", convert)
  }

  /// Whether the line has separators as in CSV, and not as in sentences, which have more spaces.
  private static func isRow(_ line: String) -> Bool {
    line.count { $0 == "," || $0 == ";" } * 2 > line.count { $0 == " " }
  }
}
