import Pipeline

/// The tables are far bigger than the caches, and every lookup follows several addresses of which
/// each tells the next. Doing each step for a whole batch before the next step lets the processor
/// wait for all of them at once. Nothing here changes what is found, only when it arrives.
extension ProfileTables {
  /// How many operations, or profiles, are prepared together.
  static let batch = 16
  /// The longest list that is prepared; the rest of a longer one is left to the walk itself.
  private static let longestWalk = 64

  /// Asks for what the merge of `operations` will need.
  func prefetch(_ operations: ArraySlice<RoutedOperation>, _ seenIDs: borrowing WideSet) {
    for operation in operations {
      profileIndex.prefetch(operation.keyHash)
      if operation.kind == .event { seenIDs.prefetch(high: operation.id.high) }
    }
    var found = [16 of UInt32](repeating: Self.end)
    for (place, operation) in operations.enumerated() where operation.keyLength > 0 {
      guard let profile = profileIndex.candidate(operation.keyHash) else { continue }
      profiles.prefetch(profile)
      found[place] = profile
      switch operation.kind {
      case .event: eventIndex.prefetch(Self.mix(profile, operation.name))
      case .set, .unset, .addItem, .removeItem:
        attributeIndex.prefetch(Self.mix(profile, operation.name))
      case .clear, .touch, .link: break
      }
    }
    for (place, operation) in operations.enumerated() where found[place] != Self.end {
      let profile = profiles[found[place]]
      texts.prefetch(profile.key)
      found[place] = prefetchRegister(of: found[place], profile, for: operation)
    }
    for (place, operation) in operations.enumerated() where found[place] != Self.end {
      switch operation.kind {
      case .event: values.prefetch(events[found[place]].value)
      case .link: texts.prefetch(extras[found[place]].customID)
      default: values.prefetch(attributes[found[place]].value)
      }
    }
  }

  /// Asks for the register that `operation` merges into, and returns its number, if there is one.
  private func prefetchRegister(
    of number: UInt32, _ profile: StoredProfile, for operation: RoutedOperation
  ) -> UInt32 {
    let key = Self.mix(number, operation.name)
    switch operation.kind {
    case .event:
      guard let register = eventIndex.candidate(key) else { return Self.end }
      events.prefetch(register)
      return register
    case .set, .unset, .addItem, .removeItem:
      guard let register = attributeIndex.candidate(key) else { return Self.end }
      attributes.prefetch(register)
      return register
    case .link, .clear:
      guard profile.extra != Self.end else { return Self.end }
      extras.prefetch(profile.extra)
      return operation.kind == .link ? profile.extra : Self.end
    case .touch: return Self.end
    }
  }

  /// Asks for the registers of `profiles`, at most ``batch`` of them, walking their lists in step.
  func prefetch(_ profiles: some Sequence<UInt32>) {
    var cursors = [16 of UInt32](repeating: Self.end)
    var count = 0
    for profile in profiles {
      self.profiles.prefetch(profile)
      cursors[count] = profile
      count += 1
    }
    for place in 0..<count {
      let entry = self.profiles[cursors[place]]
      texts.prefetch(entry.key)
      if entry.attributes != Self.end { attributes.prefetch(entry.attributes) }
      if entry.events != Self.end { events.prefetch(entry.events) }
      cursors[place] = entry.events
    }
    for _ in 0..<Self.longestWalk {
      var isDone = true
      for place in 0..<count where cursors[place] != Self.end {
        let entry = events[cursors[place]]
        values.prefetch(entry.value)
        if entry.next != Self.end { events.prefetch(entry.next) }
        cursors[place] = entry.next
        isDone = false
      }
      if isDone { return }
    }
  }
}
