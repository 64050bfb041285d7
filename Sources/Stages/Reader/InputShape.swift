package import Pipeline

/// A guess at the kind of an input that is not a log, and advice, from its first bytes.
package struct InputShape {
  /// Number of bytes that the guess uses.
  package static let sample = 1 << 10

  /// A description, as in "it looks like WORDS".
  package let words: String
  /// What to do with it: alternatives.
  package let advice: [String]

  /// `start` begins the first line that is not blank, which is rejected with `code` and `message`.
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
  private static func byMagic(_ start: ByteView) -> InputShape? {
    let row = magics.first { row in
      let bytes = row.bytes.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
      return start.count >= row.offset + bytes.count
        && bytes.indices.allSatisfy { start[row.offset + $0] == bytes[$0] }
    }
    return row.map { InputShape($0.words, $0.advice) }
  }

  private static let export = "export its rows as JSON, one object per line"
  private static let other = "name the logs instead"

  /// The signature of a kind of files: the bytes as characters U+0000 to U+00FF, and their offset.
  private typealias Magic = (bytes: String, offset: Int, words: String, advice: String)

  /// Kinds of files in which there may be logs.
  private static let packed: [Magic] = [
    ("ustar", 257, "a tar archive", "unpack it with tar -xf FILE and name the logs in it"),
    ("PK\u{3}\u{4}", 0, "a zip archive", "unpack it with unzip FILE and name the logs in it"),
    ("7z\u{BC}\u{AF}", 0, "a 7z archive", "unpack it and name the logs in it"),
    ("Rar!", 0, "a RAR archive", "unpack it and name the logs in it"),
    ("\u{4}\"M\u{18}", 0, "an LZ4 file", "decompress it with lz4 -d FILE"),
    ("\u{2}!L\u{18}", 0, "an LZ4 file", "decompress it with lz4 -d FILE"),
    ("\u{1F}\u{9D}", 0, "a file of compress", "decompress it with gzip -dc FILE"),
    ("LZIP", 0, "an lzip file", "decompress it with lzip -d FILE"),
    ("\u{89}LZO", 0, "an lzop file", "decompress it with lzop -d FILE"),
    ("\u{FF}\u{6}\0\0sN", 0, "a Snappy file", "decompress it first"),
  ]

  private static let magics: [Magic] =
    packed + [
      ("PAR1", 0, "a Parquet file", export),
      ("Obj\u{1}", 0, "an Avro file", export),
      ("ORC", 0, "an ORC file", export),
      ("ARROW1", 0, "an Arrow file", export),
      ("SQLite format 3", 0, "an SQLite database", export),
      ("\u{7F}ELF", 0, "a program (ELF)", other),
      ("\u{CA}\u{FE}\u{BA}\u{BE}", 0, "a program", other),
      ("\u{CF}\u{FA}\u{ED}\u{FE}", 0, "a program (Mach-O)", other),
      ("MZ", 0, "a program (Windows)", other),
      ("#!", 0, "a script", other),
      ("\u{89}PNG", 0, "an image (PNG)", other),
      ("\u{FF}\u{D8}\u{FF}", 0, "an image (JPEG)", other),
      ("GIF8", 0, "an image (GIF)", other),
      ("RIFF", 0, "an image or a sound (RIFF)", other),
      ("%PDF", 0, "a PDF document", other),
      ("\0asm", 0, "a program (WebAssembly)", other),
      ("\u{FF}\u{FE}\0\0", 0, "UTF-32", "convert it with iconv -f UTF-32 -t UTF-8 FILE"),
      ("\u{FF}\u{FE}", 0, "UTF-16", "convert it with iconv -f UTF-16 -t UTF-8 FILE"),
      ("\u{FE}\u{FF}", 0, "UTF-16", "convert it with iconv -f UTF-16 -t UTF-8 FILE"),
      ("\u{1E}", 0, "a JSON text sequence", "write one object per line with jq --seq -c . FILE"),
    ]

  /// What compressed files without a signature look like.
  private static let unknownForms = ["binary data", "text in another encoding than UTF-8"]

  /// Whether an ignored file may be a log: what it is, or its name, says that it was packed.
  package static func mayBeLog(_ file: IgnoredFiles.File) -> Bool {
    packed.contains { $0.words == file.kind }
      || file.isNamedLikeLog && unknownForms.contains(String(file.kind))
  }

  /// Text with two or four bytes per character without a byte order mark, and zero bytes.
  private static func wide(_ start: ByteView) -> InputShape? {
    let pairs = min(start.count / 2, 32)
    guard pairs > 0 else { return nil }
    let even = (0..<pairs).count { start[2 * $0] == 0 }
    let odd = (0..<pairs).count { start[2 * $0 + 1] == 0 }
    if even == pairs, odd == pairs {
      return InputShape("a file of zero bytes", "fetch it again: a crash may have truncated it")
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

  private static func text(_ text: Text, _ code: ReasonCode, _ message: String) -> InputShape {
    if text.isBinary { return InputShape(unknownForms[0], export) }
    if code == .invalidUTF8 {
      return InputShape(
        unknownForms[1],
        "convert it from the one it is in, as with iconv -f ISO-8859-1 -t UTF-8 FILE")
    }
    return switch text.line.first {
    case "\"" where code == .notObject:
      InputShape("JSON inside of JSON strings", "unpack it with jq -c fromjson FILE > NEW.ndjson")
    case "{" where text.line.contains("}{") || text.line.contains("} {"):
      InputShape(
        "JSON objects without line feeds between them",
        "write one object per line with jq -c . FILE > NEW.ndjson")
    case "{" where text.second == "'":
      InputShape(
        "dictionaries of Python", "write them as JSON, with json.dumps, one object per line")
    case "{" where text.last == "," && text.line.contains("}"):
      InputShape(
        "JSON objects followed by commas",
        "remove the commas with sed 's/,[[:space:]]*$//' FILE > NEW.ndjson")
    case "{":
      InputShape(
        "broken JSON (\(message.trimmingPrefix("the line is not valid JSON ")))",
        "see eventmill explain FILE")
    case _ where code == .notObject:
      InputShape("JSON values that are not objects", "write one object per line")
    case _ where text.line.contains("{\"") && text.last == "}":
      InputShape(
        "JSON with other text before it", "remove that with sed 's/^[^{]*//' FILE > NEW.ndjson")
    default: rows(text)
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
    // Sentences have more spaces than separators.
    let separators = text.line.count { $0 == "," || $0 == ";" }
    if separators * 2 > text.line.count(where: { $0 == " " }) {
      return InputShape("CSV", "convert it, as with mlr --icsv --ojsonl cat FILE > NEW.ndjson")
    }
    return InputShape("text", convert)
  }
}
