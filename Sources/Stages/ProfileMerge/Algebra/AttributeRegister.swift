package import Pipeline

/// One item of an array attribute with its mark.
package struct MarkedItem {
  /// The plain text of the item.
  package let text: ByteView
  package let mark: ItemMark

  package init(text: ByteView, mark: ItemMark) {
    self.text = text
    self.mark = mark
  }
}

/// The truth about one attribute, of one state or of several merged (data-model 13.1).
///
/// `merge` any number of times in any order, then `settle` once, then read. Made to be used again
/// and again: `reset` keeps the room.
package struct AttributeRegister {
  /// The winner of all bases merged.
  package private(set) var base = AttributeBase.none
  /// After `settle`: the living marks, one per item, sorted by the bytes of the items.
  package private(set) var items: [MarkedItem] = []

  package init() {}

  /// Forgets everything.
  package mutating func reset() {
    base = .none
    items.removeAll(keepingCapacity: true)
  }

  /// Takes in a set or an unset.
  package mutating func merge(_ other: AttributeBase) {
    if other.wins(over: base) { base = other }
  }

  /// Takes in an `$add` or a `$remove` of an item.
  package mutating func merge(_ item: MarkedItem) { items.append(item) }

  /// Forgets what is overruled: a base older than `clear`, and marks older than `clear` or the
  /// base.
  ///
  /// Forgetting can wait until here because both thresholds only ever rise: what one merge forgets,
  /// every further merge would forget as well.
  /// Complexity: O(n log n) for n items.
  package mutating func settle(clear: Int) {
    let threshold = max(clear, base.time)
    if base.time < clear { base = .none }
    items.removeAll { $0.mark.time < threshold }
    guard items.count > 1 else { return }
    items.sort {
      if $0.text != $1.text { return $0.text < $1.text }
      return $0.mark.wins(over: $1.mark)
    }
    var kept = 1
    for index in 1..<items.count where items[index].text != items[kept - 1].text {
      items[kept] = items[index]
      kept += 1
    }
    items.removeLast(items.count - kept)
  }

  /// Whether nothing is left that a state would have to remember.
  package var isForgotten: Bool { base.kind == .none && items.isEmpty }
}
