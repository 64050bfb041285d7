import Pipeline
import Testing

@Suite struct MeasurementsTests {
  @Test func medianAndRange() {
    let samples = Measurements([3, 1, 2])
    #expect(samples.least == 1 && samples.most == 3 && samples.spread == 2 && samples.median == 2)
    #expect(Measurements([7]).median == 7 && Measurements([4, 1, 2, 3]).median == 2.5)
    #expect(samples.scaled(by: 10) == Measurements([10, 20, 30]))
  }

  /// Ranges that overlap do not, nor medians that are closer than one of the ranges is wide.
  @Test(
    arguments: [
      ([1, 2, 3], [3, 4, 5], false), ([1, 2, 9], [3, 4, 5], false),
      ([1, 1.9, 2], [2.1, 2.2, 3.1], false), ([1, 1.1, 1.2], [2, 2.1, 2.2], true),
      ([2, 2.1, 2.2], [1, 1.1, 1.2], true),
    ] as [([Double], [Double], Bool)])
  func narrowRangesFarApartDiffer(_ one: [Double], _ other: [Double], _ differs: Bool) {
    #expect(Measurements(one).differs(from: Measurements(other)) == differs)
  }

  @Test func nothingMeasuredTraps() async {
    await #expect(processExitsWith: .failure) { _ = Measurements([]) }
  }
}
