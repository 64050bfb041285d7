/// A value that does not change any more, for any number of threads.
///
/// For values that have all they refer to to themselves: who made one has given it up.
package final class Frozen<Value: ~Copyable>: @unchecked Sendable {
  // @unchecked because `value` is a constant: nothing that would change it can be called.
  package let value: Value

  package init(_ value: consuming sending Value) { self.value = value }
}
