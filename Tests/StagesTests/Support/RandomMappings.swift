import TestSupport

/// Lines of the game of ``MappingFixture``, good and odd parts mixed.
struct GameLines: RandomLines {
  var random: RepeatableRandom

  init(seed: UInt64) { random = RepeatableRandom(seed: seed) }

  private static let names = [
    "session", "player", "id", "guest", "device", "bag", "name", "weight", "kind", "n", "what",
    "at", "local", "with", "Points", "pairs", "k", "v", "text", "number", "moves", "trace", "other",
    "a/b", "sack", "world",
  ]
  private static let scalars = [
    "1", "1.5", "true", "null", "\"\"", "\"x\"", "\"rope\"", "1714641300",
    "\"2024-05-02 11:15:00\"", "\"\\u00e9\\n\"", "\"\(String(repeating: "é", count: 301))\"",
    "1e999",
    "9223372036854775808", "\"guest\"", "\"http://a.b/c\"", "\"7\"", "\"{\\\"text\\\":[1]}\"",
  ]

  private mutating func value(_ depth: Int) -> String {
    guard depth < 4, chance(45) else { return pick(Self.scalars) }
    if chance(35) {
      return "[\((0..<any(5)).map { _ in value(depth + 1) }.joined(separator: ","))]"
    }
    let names = (0..<any(6)).map { _ in pick(Self.names) }
    return "{\(names.map { "\"\($0)\":\(value(depth + 1))" }.joined(separator: ","))}"
  }

  mutating func line() -> String {
    let bag = chance(90) ? #","bag":[{"name":"rope","weight":\#(value(3))}]"# : ""
    let player = chance(30) ? #""player":\#(value(2)),"# : ""
    let what = pick(["\"hit\"", "\"debug:x\"", "\"join\"", "\"forget\"", "\"level\"", value(2)])
    var parts = [
      #""session":{\#(player)"guest":"g","device":\#(pick(["\"d\"", value(2)]))\#(bag)}"#,
      #""kind":"move""#, #""what":\#(what)"#,
      #""at":\#(pick(["1714641300", "1714641300000", value(2)]))"#,
    ]
    if chance(60) { parts.append(#""with":\#(value(0))"#) }
    if chance(30) {
      parts.append(
        #""moves":[{"what":"run","at":1714641300000,"with":\#(value(1))},\#(value(1))]"#)
    }
    if chance(30) {
      parts.append(#""pairs":[{"k":\#(pick(["\"A\"", value(3)])),"v":{"text":\#(value(2))}}]"#)
    }
    if chance(30) {
      parts.append(
        #""\#(pick(Self.names.filter { !["session", "kind"].contains($0) }))":\#(value(1))"#)
    }
    if chance(25) {
      parts.append(#""n":["A","k"\#(pick(["", ",1"]))],"trace":{"text":[1,\#(value(3))]}"#)
    }
    parts.shuffle(using: &random)
    return "{" + parts.joined(separator: ",") + "}"
  }

  private mutating func scalar() -> String { pick(["1", "true", #""x""#, #""run""#, value(4)]) }

  /// A line that is plain under many mappings.
  mutating func plainLine() -> String {
    let at = pick(["1714641300000", "1714641300000", "1714641300000", "1714641300"])
    var parts = [
      #""kind":"move""#, #""session":{"device":"d"}"#, #""at":\#(at)"#,
      #""what":\#(pick([#""hit""#, #""level""#, #""level 2""#, "7"]))"#,
    ]
    for name in ["n", "with", "a/b"] where chance(50) { parts.append("\"\(name)\":\(scalar())") }
    for name in ["with", "trace"] where chance(60) {
      parts.append("\"\(name)\":{\"text\":\(scalar()),\"k\":\(scalar()),\"n\":\(value(3))}")
    }
    parts.shuffle(using: &random)
    return "{" + parts.joined(separator: ",") + "}"
  }
}

/// Mappings put together at random from everything that a mapping may have, right or wrong.
struct RandomMappings: RandomChoices {
  var random: RepeatableRandom
  /// Whether each part may stand where it is, and lines of ``GameLines`` are of the mapping.
  let isRight: Bool
  /// Whether lines of the current one may be plain.
  private var isPlain = false

  init(seed: UInt64, isRight: Bool = false) {
    random = RepeatableRandom(seed: seed)
    self.isRight = isRight
  }

  private static let actions = [
    "event", "event", "event", "event", "identify", "identify", "alias", "delete", "ignore",
  ]
  private static let good = [
    #""/session""#, #""/what""#, #""/moves/*/what""#, #""/moves/*/with""#, #""/with""#,
    #""/session/player/id""#, #""/at""#, #""/*/*""#, #""/""#, #""//""#, #""/a~1b""#, #""/n""#,
    #""/moves/0/what""#, #""/pairs/1""#, #""/session/bag/*/name""#, #""/trace/text""#,
    #""/moves/*/n""#, #""/pairs""#, #""/session/device""#, #""/moves/*/with/k""#,
  ]
  private static let bad = [
    #""/~""#, #""what""#, "null", "7", "{}", "[]", "true", #"{"path":"/a","unit":"sec"}"#,
    #"{"join":"/a"}"#, #"{"a":{"b":["/c"]}}"#, #"{"constant":"!"}"#, #"{"B b":"/c"}"#,
  ]

  private mutating func path() -> String {
    pick(Self.good)
  }

  private mutating func value(of name: String) -> String {
    if !isRight, chance(4) { return pick(Self.bad) }
    let single = [
      "unroll", "fields", "constants", "rename", "profile", "batch", "untimed", "opted_out",
      "duplicate", "nobody",
    ]
    if chance(20), !single.contains(name), !isPlain {
      let (first, second) = (one(name), one(name))
      return first == second ? first : "[\(first),\(second)]"
    }
    return isPlain ? plain(name) : one(name)
  }

  private mutating func plain(_ name: String) -> String {
    let path = pick([#""/what""#, #""/with""#, #""/n""#, #""/a~1b""#, #""/trace/text""#])
    switch name {
    case "when": return pick([path, #"{"path":\#(path),"in":["hit",1]}"#])
    case "name": return pick([#""/what""#, #"{"constant":"A b"}"#])
    case "attributes":
      return pick([#""/with""#, #""/trace""#, #""/moves/*/with""#, #""/moves/0/with""#])
    case "fields": return #"{"a":\#(path),"b":["/n",\#(path)]}"#
    case "custom_id", "installation_id": return #""/session/device""#
    case "time": return pick([#""/at""#, #"{"path":"/at","unit":"ms"}"#])
    case "constants": return #"{"d":1,"c":"x"}"#
    case "rename", "untimed", "duplicate": return one(name)
    default: return path
    }
  }

  private mutating func one(_ name: String) -> String {
    switch name {
    case "match", "when":
      pick([
        path(), #"{"path":\#(path()),"in":["hit",1]}"#, #"{"path":\#(path()),"prefix":"r"}"#,
        #"{"path":\#(path()),"present":false}"#,
      ])
    case "name":
      pick([
        path(), #"{"constant":"A b"}"#, #"{"join":[\#(path()),\#(path())],"strip":["hit","r"]}"#,
        #"{"path":\#(path()),"strip":["run","r"]}"#,
        #"{"join":[\#(path()),\#(path())],"with":"--"}"#,
      ])
    case "attributes":
      pick([
        path(), #""""#, #"{"path":\#(path()),"key":"/k","value":"/v"}"#,
        #"{"path":\#(path()),"type":"json"}"#,
        #"{"keys":"/n","values":\#(pick([#""/trace/text""#, path()]))}"#,
        #"{"path":"/with","value":["/text",{"path":"/number","type":"number"}]}"#,
        #"{"path":\#(path()),"key":"/0","value":{"path":"/1","type":"text"}}"#,
      ])
    case "fields":
      pick([
        #"{"a":\#(path()),"b":[\#(path()),\#(path())]}"#,
        #"{"date(a)":\#(path()),"url(b)":\#(path())}"#,
        #"{"c":{"path":\#(path()),"type":"\#(pick(["text", "number", "bool", "date", "json"]))"}}"#,
        #"{"$tags":\#(path()),"$label":\#(path())}"#,
      ])
    case "profile":
      pick([
        #"{"attributes":{"path":\#(path()),"type":"json"},"fields":\#(value(of: "fields"))}"#,
        #"{"attributes":[\#(path()),\#(path())]}"#, #"{"opted_out":\#(path())}"#,
      ])
    case "lost":
      pick([#""/with""#, #""/moves/*/with/k""#, #""/trace""#, #""/session/device""#])
    case "untimed": pick(["true", "false"])
    case "opted_out": pick(["true", "false", path()])
    case "duplicate": "\"id\""
    case "nobody": "\"x\""
    case "batch": pick([#""/moves""#, #""/pairs""#])
    case "constants": #"{"a":1,"c":"x"}"#
    case "rename": #"{"Points":"a","k":"b"}"#
    case "unroll": pick([#""/moves""#, #""/session/bag""#, #""/moves/*/with""#, path()])
    case "custom_id", "installation_id":
      pick([
        path(), #""/session/player/id""#, #""/session/device""#, #""/moves/*/n""#,
        #"{"path":"/pairs","key":"/k","is":"A","value":["/v","/v/text"]}"#,
      ])
    case "id": pick([path(), #"{"join":[\#(path()),\#(path())]}"#])
    case "time":
      pick([
        path(), #""/at""#, #"{"path":"/at","unit":"s"}"#, #"{"join":[\#(path()),\#(path())]}"#,
        #"{"path":\#(path()),"unit":["s","ms"]}"#, #"{"path":\#(path()),"zone":"+02:00"}"#,
        #"{"path":"/moves/*/at","unit":"\#(pick(["ms", "us", "ns", "auto"]))"}"#,
      ])
    default: path()
    }
  }

  private mutating func object(_ always: [String], _ maybe: [String]) -> String {
    let names = always + maybe.filter { _ in chance(30) }
    return "{" + names.map { "\"\($0)\":\(value(of: $0))" }.joined(separator: ",") + "}"
  }

  private mutating func kind() -> String {
    let action = isPlain ? "event" : pick(isRight ? Self.actions : Self.actions + ["/a"])
    var maybe = ["when", "time", "drop", "custom_id"] + (isPlain ? [] : ["unroll", "lost"])
    switch action {
    case "event":
      maybe += ["attributes", "fields", "constants", "rename", "id"] + (isPlain ? [] : ["profile"])
    case "identify": maybe += ["attributes", "fields", "rename", "opted_out"]
    default: break
    }
    let ids = ["custom_id", "installation_id"]
    let always = ["event": ["name"], "alias": ids][action] ?? ["custom_id"]
    let kind = object(always, maybe.filter { !always.contains($0) })
    return action == "event" ? kind : #"{"as":"\#(action)",\#(kind.dropFirst())"#
  }

  mutating func mapping() -> String {
    isPlain = isRight && chance(40)
    let shared = object(
      isRight ? ["custom_id", "time"] : ["match", "custom_id", "time"],
      ["installation_id", "id", "drop", "untimed", "duplicate"]
        + (isRight ? isPlain ? [] : ["nobody"] : ["nobody", "batch"])
    ).dropFirst()
    let match = isRight ? #""match":"/kind","# : ""
    return
      #"{"eventmill_mapping":1,"dialect":"game",\#(match)"lines":[\#(kind()),\#(kind())],\#(shared)"#
  }
}
