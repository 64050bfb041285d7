import Foundation
import TestSupport
import Testing

import Stages

/// docs/guides/mapping.md shows what the commands print, and lists the built-in mappings.
@Suite struct MappingGuideTests {
  @Test func everyCommandPrintsWhatIsShown() throws {
    let directory = try ScratchDirectory()
    let samples = MigrationGuide.folder.appending(path: "sample-data").path
    #expect(try RunProcess.bash("ln -s '\(samples)' sample-data", directory: directory).status == 0)
    let steps = try MigrationGuide("guides/mapping.md").steps
    #expect(steps.count > 5)
    for step in steps {
      let result = try step.run(in: directory)
      #expect(result.status == 0, "\(step.command): \(result.errors)")
      #expect(
        result.lines.map(String.init) == step.output.filter { !$0.isEmpty }, "\(step.command)")
    }
  }

  @Test func aBuiltInMappingIsSuggestedForAnUnknownName() throws {
    let result = try RunProcess.eventmill(["validate", "--mapping", "segmnt", "x.ndjson"])
    #expect(result.status != 0 && result.errors.contains("did you mean segment"))
  }

  /// The result for the sample of each built-in mapping.
  @Test func samplesAreReadAsTheyWere() throws {
    var text = ""
    for mapping in BuiltInMapping.allCases {
      let sample = MigrationGuide.folder.appending(
        path: "sample-data/mappings/\(mapping.rawValue).ndjson"
      ).path
      let result = try RunProcess.eventmill(["explain", "--mapping", mapping.rawValue, sample])
      #expect(result.status == 0, "\(mapping): \(result.errors)")
      text += "\(mapping.rawValue)\n" + result.text
    }
    #expect(try Golden.difference(text, from: "mappings.ndjson") == nil)
  }
}
