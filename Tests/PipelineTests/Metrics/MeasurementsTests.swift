import Pipeline
import Testing

@Suite struct MeasurementsTests {
  @Test func theMedianIsTheOneInTheMiddle() {
    #expect(Measurements([3, 1, 2]).median == 2)
    #expect(Measurements([4, 1, 2, 3]).median == 2.5)
    #expect(Measurements([7]).median == 7)
  }

  @Test func theRangeGoesFromTheLeastToTheMost() {
    let samples = Measurements([3, 1, 2])
    #expect(samples.least == 1)
    #expect(samples.most == 3)
    #expect(samples.spread == 2)
    #expect(samples.scaled(by: 10) == Measurements([10, 20, 30]))
  }

  @Test func rangesThatOverlapDoNotDiffer() {
    #expect(!Measurements([1, 2, 3]).differs(from: Measurements([3, 4, 5])))
    #expect(!Measurements([1, 2, 9]).differs(from: Measurements([3, 4, 5])))
  }

  @Test func mediansCloserThanTheSpreadDoNotDiffer() {
    // Apart by 0.1, but each is as wide as the way from one median to the other.
    #expect(!Measurements([1, 1.9, 2]).differs(from: Measurements([2.1, 2.2, 3.1])))
  }

  @Test func narrowRangesFarApartDiffer() {
    #expect(Measurements([1, 1.1, 1.2]).differs(from: Measurements([2, 2.1, 2.2])))
    #expect(Measurements([2, 2.1, 2.2]).differs(from: Measurements([1, 1.1, 1.2])))
  }

  @Test func nothingMeasuredTraps() async {
    await #expect(processExitsWith: .failure) { _ = Measurements([]) }
  }
}
