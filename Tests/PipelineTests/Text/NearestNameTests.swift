import Testing

@testable import Pipeline

@Suite struct NearestNameTests {
  @Test(arguments: [
    ("", "", 0), ("run", "run", 0), ("rnu", "run", 1), ("jbos", "jobs", 1), ("job", "jobs", 1),
    ("kitten", "sitting", 3), ("", "abc", 3),
  ])
  func distanceCountsSlips(_ a: String, _ b: String, _ distance: Int) {
    #expect(NearestName.distance(a, b) == distance)
    #expect(NearestName.distance(b, a) == distance)
  }

  @Test func onlySlipsAreForgiven() {
    let names = ["run", "count", "generate", "partial", "plan", "help"]
    #expect(NearestName.of("cuont", among: names) == "count")
    #expect(NearestName.of("gen", among: names) == "generate")
    #expect(NearestName.of("frob", among: names) == nil)
    #expect(NearestName.of("publish", among: names) == nil)
  }
}
