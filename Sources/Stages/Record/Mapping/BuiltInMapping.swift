import Pipeline

/// The built-in mappings (docs/guides/mapping.md, docs/reference/mappings.md), by the names that
/// `--mapping` accepts. Each is a file in `BuiltIn`, made from public documentation.
package enum BuiltInMapping: String, CaseIterable, Sendable {
  case adjust, amplitude, appsflyer, braze, cloudevents, customerio, ecs, ga4, gharchive, mixpanel
  case mparticle
  case otelLogs = "otel-logs"
  case posthog, revenuecat, rudderstack, segment, snowplow

  package var text: [UInt8] {
    switch self {
    case .adjust: PackageResources.adjust_json
    case .amplitude: PackageResources.amplitude_json
    case .appsflyer: PackageResources.appsflyer_json
    case .braze: PackageResources.braze_json
    case .cloudevents: PackageResources.cloudevents_json
    case .customerio: PackageResources.customerio_json
    case .ecs: PackageResources.ecs_json
    case .ga4: PackageResources.ga4_json
    case .gharchive: PackageResources.gharchive_json
    case .mixpanel: PackageResources.mixpanel_json
    case .mparticle: PackageResources.mparticle_json
    case .otelLogs: PackageResources.otel_logs_json
    case .posthog: PackageResources.posthog_json
    case .revenuecat: PackageResources.revenuecat_json
    case .rudderstack: PackageResources.rudderstack_json
    case .segment: PackageResources.segment_json
    case .snowplow: PackageResources.snowplow_json
    }
  }

  /// The logs that it reads: the description in the file.
  package var summary: String {
    var text = ByteBuffer()
    text.append(contentsOf: self.text)
    guard let mapping = try? JSONDocument(text.view),
      let summary = mapping.root["description"]?.text
    else { preconditionFailure("the built-in mapping \(rawValue) has no description") }
    return summary
  }
}
