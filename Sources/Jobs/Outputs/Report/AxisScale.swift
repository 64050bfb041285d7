/// The scale of an axis that begins at zero, with ticks at round numbers.
struct AxisScale: Equatable {
  /// Distance of two ticks: 1, 2 or 5 times a power of ten.
  let step: Int
  /// The last tick, at or above the greatest value.
  let top: Int

  /// Number of ticks to aim at, without the one at zero.
  private static let ticks = 4

  /// A scale for values from 0 to `greatest`.
  init(upTo greatest: Int) {
    let greatest = max(greatest, 1)
    var step = 1
    // Counts never exceed a fifth of the range of numbers.
    while step < Int.max / 100, greatest > step * AxisScale.ticks {
      step = AxisScale.next(step)
    }
    self.step = step
    top = (greatest - 1) / step * step + step
  }

  /// The ticks above zero.
  var ticks: StrideThrough<Int> { stride(from: step, through: top, by: step) }

  /// 1, 2, 5, 10, 20, 50, …
  private static func next(_ step: Int) -> Int {
    var leading = step
    while leading >= 10 { leading /= 10 }
    return leading == 2 ? step / 2 * 5 : step * 2
  }
}
