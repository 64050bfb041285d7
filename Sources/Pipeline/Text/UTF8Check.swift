/// Validates UTF-8 (data-model 2): no overlong or truncated sequences, surrogates, or scalars above
/// U+10FFFF.
package enum UTF8Check {
  package static func isValid(_ view: ByteView) -> Bool { view.utf8Length == view.count }

  /// Whether no byte is above 0x7F.
  package static func isASCII(_ view: ByteView) -> Bool { view.asciiLength == view.count }
}
