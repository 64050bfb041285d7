import Stages
import Jobs
import Pipeline

/// Reasons or losses, the most frequent first, with examples.
struct CodeTable {
  private let codes: [TallyFacts.CodeCount]
  /// The inputs' paths, by the numbers in samples.
  private let inputs: [String]

  init(_ codes: [TallyFacts.CodeCount], of inputs: [String]) {
    self.codes = codes.enumerated().sorted {
      ($1.element.count, $0.offset) < ($0.element.count, $1.offset)
    }.map(\.element)
    self.inputs = inputs
  }

  /// A table called `title`, with `samples` examples of each code, after an empty line; nothing
  /// without codes.
  func parts(_ title: String, samples: Int = 1) -> [CommandResult.Part] {
    guard !codes.isEmpty else { return [] }
    var table = TextTable([
      (title, .left), ("count", .right), (samples == 1 ? "first at" : "at", .left), ("path", .left),
    ])
    for code in codes {
      for (number, sample) in code.samples.prefix(samples).enumerated() {
        table.add([
          number == 0 ? code.code.text : "", number == 0 ? NumberFormat.grouped(code.count) : "",
          "\(inputs[sample.input]):\(sample.line)", sample.path,
        ])
      }
    }
    return [.lines([""]), .table(table)]
  }

  /// Writes the array `key`, with the first example of each code.
  func write(_ key: StaticString, to json: inout JSONWriter) {
    json.objects(key, of: codes) { code, json in
      json.member("code", code.code.text)
      json.member("count", code.count)
      code.places(in: inputs)[0].write("first", to: &json)
    }
  }

  /// Writes the array `key`, with all known examples.
  func writeSamples(_ key: StaticString, to json: inout JSONWriter) {
    json.objects(key, of: codes) { code, json in
      json.member("code", code.code.text)
      json.member("count", code.count)
      code.places(in: inputs).write("samples", to: &json)
    }
  }
}
