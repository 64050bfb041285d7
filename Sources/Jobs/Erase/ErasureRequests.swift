package import Pipeline
package import Stages

/// The requests for erasure: a file with an object per line (data-model 13.6).
///
/// ```
/// {"custom_id":"anna"}
/// {"installation_id":"7A0C…","time":"2024-06-01T00:00:00Z"}
/// {"custom_id":"bob","forever":true}
/// {"custom_id":"carl","installations":"keep"}
/// ```
/// Other fields are invalid: with a misspelt name a person would not be erased. As in logs a null
/// field is absent, and a byte order mark is skipped.
package struct ErasureRequests: Sendable {
  /// Longest file of requests, in bytes.
  static let longestFile = 1 << 30

  package struct Request: Sendable {
    /// The kind of key: a person or an installation.
    package let section: KeySection
    package let line: Int
    package let mark: Erasures.Mark
    package let key: Fingerprint
    /// The stored form of the id.
    package let id: [UInt8]

    fileprivate init(
      _ section: KeySection, _ id: ByteView, line: Int, _ mark: Erasures.Mark,
      _ placeholders: Placeholders
    ) {
      var mark = mark
      if placeholders.contain(id, as: .person) {
        // Its devices may be of many people, and so may the lines that contain it.
        mark.keepsInstallations = section == .custom
        mark.leavesTexts = true
      }
      let key = Erasures.key(section, id)
      (self.section, self.line, self.mark) = (section, line, mark)
      (self.key, self.id) = (Erasures.digest(of: key.view), section.id(of: key.view).array)
    }

    /// Whether the end of a mark depends on the moment at which it is carried out: without a time,
    /// and where installations may go with a person.
    var needsMoment: Bool {
      mark.isMomentary && (!mark.isForever || section == .custom && !mark.keepsInstallations)
    }
  }

  /// In file order, without blank lines.
  package private(set) var requests: [Request] = []
  package private(set) var erasures = Erasures()

  let placeholders: Placeholders

  /// Reads the file `path`; `placeholders` are those of the run or the output.
  /// - Throws: `usage`, when a line is not a request, with its number; `io`.
  package init(
    reading path: String, placeholders: Placeholders = .standard, system: System = .real
  ) throws(Failure) {
    self.placeholders = placeholders
    let doing = "reading the requests in"
    let file = try PositionedFile(named: path, doing: doing, system: system)
    guard file.size <= Self.longestFile else {
      throw Failure(
        .usage, doing: doing, path: path, why: "it is longer than \(Self.longestFile) bytes",
        advice: "split it")
    }
    let text = try file.text()
    defer {
      for request in requests { erasures.add(request.mark, of: request.key) }
      erasures.ids = ErasedIDs(requests.flatMap(\.spellings))
      erasures.needsMoment = requests.contains(where: \.needsMoment)
    }
    var line = 0
    do throws(Fault) {
      try read(text.view, &line)
    } catch {
      throw Failure(
        .usage, doing: doing, path: path, line: line, why: error.why,
        advice: "write {\"custom_id\":\"…\"} or {\"installation_id\":\"…\"}, optionally with "
          + "\"time\" or \"forever\":true, and \"installations\":\"keep\" for a person")
    }
  }

  /// The requested marks, and those of installations that went with people: for searches in texts.
  func erasures(with devices: ErasedDevice.Table) -> Erasures {
    var erasures = erasures
    erasures.merge(Erasures(devices: devices))
    erasures.ids = ErasedIDs(
      requests.flatMap(\.spellings) + devices.values.map { (.install, Array($0.id.utf8)) })
    return erasures
  }

  /// The reason that a line is not a request.
  private struct Fault: Error {
    let why: String
  }

  /// Reads all lines; `number` is that of the current one.
  private mutating func read(_ text: ByteView, _ number: inout Int) throws(Fault) {
    let tape = Tape(numbersNames: false)
    tape.bind(to: text)
    var lines = LineCursor(bytes: text)
    while let line = lines.next() {
      number += 1
      if Characters.isBlank(text[line]) { continue }
      guard UTF8Check.isValid(text[line]),
        case .value(let root) = Scanner.scan(line: line, into: tape), tape[root].kind == .object
      else { throw Fault(why: "it is not a JSON object") }
      let request = try request(root, of: tape, line: number, number: requests.count + 1)
      guard requests.count < Erasures.maximumCount else {
        throw Fault(why: "there are more than \(Erasures.maximumCount) requests")
      }
      requests.append(request)
    }
  }

  private func request(_ root: Int, of tape: Tape, line: Int, number: Int) throws(Fault)
    -> Request
  {
    var ids: [(KeySection, Int)] = []
    var time: Int?
    var isForever = false
    var keepsInstallations = false
    try tape.forEachMember(of: root) { key throws(Fault) in
      let (name, value, kind) = (tape.bytes(at: key), key + 1, tape[key + 1].kind)
      switch (name, kind) {
      case ("custom_id", .null), ("installation_id", .null), ("time", .null), ("forever", .null),
        ("installations", .null):
        return
      case ("custom_id", _): ids.append((.custom, value))
      case ("installation_id", _): ids.append((.install, value))
      case ("time", _): time = try Self.time(value, of: tape)
      case ("forever", .true), ("forever", .false): isForever = kind == .true
      case ("installations", _) where tape.string(at: value) == "keep": keepsInstallations = true
      default:
        throw Fault(why: "its field \(name.shown) is unknown or has an invalid value")
      }
    }
    guard ids.count == 1, let (section, node) = ids.first, !tape.bytes(at: node).isEmpty,
      tape[node].kind == .string || section == .custom && tape[node].kind == .integer
    else {
      throw Fault(why: "it must name one custom_id or one installation_id, as text")
    }
    if !Self.couldBeID(section, tape.bytes(at: node)) {
      throw Fault(why: "its id is invalid in logs, so nothing would be erased")
    }
    if time != nil, isForever { throw Fault(why: "it has both time and forever") }
    if keepsInstallations, section == .install {
      throw Fault(why: "only a person has installations to keep")
    }
    var mark = Erasures.Mark(time: time, isForever: isForever, request: number)
    mark.keepsInstallations = keepsInstallations
    return Request(section, tape.bytes(at: node), line: line, mark, placeholders)
  }

  /// Whether the validator would accept an id. A placeholder may be a key of an earlier night.
  private static func couldBeID(_ section: KeySection, _ id: ByteView) -> Bool {
    section == .custom
      ? !Characters.isBlank(id) && id.firstIndex(of: UInt8(ascii: "\n")) == nil
      : !Characters.containsWhiteSpace(id)
  }

  private static func time(_ node: Int, of tape: Tape) throws(Fault) -> Int {
    let time: Int? =
      switch tape[node].kind {
      case .string: Timestamp.parse(tape.bytes(at: node))
      case .integer, .double:
        DecimalNumber.milliseconds(tape.bytes(at: node), per: .milliseconds)
      default: nil
      }
    guard let time else {
      let isText = tape[node].kind == .string
      let hint = isText ? LikelyMistake.time(tape.bytes(at: node), in: .request) : nil
      throw Fault(why: "its time is not a time" + (hint.map { ": \($0)" } ?? ""))
    }
    guard Rules.earliestTime..<Rules.endOfTime ~= time else {
      let hint = LikelyMistake.range(tape[node], time).map { ": \($0)" } ?? ""
      throw Fault(why: "its time is outside the years 2000 to 2099\(hint)")
    }
    return time
  }
}

extension ErasureRequests.Request {
  /// The id, and what is left of it in a text whose escapes are decoded once too often; none of a
  /// placeholder.
  fileprivate var spellings: [(section: KeySection, id: [UInt8])] {
    if mark.leavesTexts { return [] }
    var text = ByteBuffer(capacity: id.count)
    text.append(contentsOf: id)
    var spellings: [[UInt8]] = []
    var escapes = EscapeLevels()
    _ = escapes.contains(text.view) { spelling in
      if !Characters.isBlank(spelling) { spellings.append(spelling.array) }
      return false
    }
    return spellings.map { (section, $0) }
  }
}
