// Made by scripts/embed-mappings.sh; the files are in mappings/.

/// The mappings that are built in (docs/guides/mapping.md), by the names that `--mapping`
/// takes.
package enum BuiltInMapping: String, CaseIterable, Sendable {
  case amplitude
  case cloudevents
  case ga4
  case gharchive
  case mixpanel
  case posthog
  case rudderstack
  case segment
  case snowplow

  /// The text of its file.
  package var text: StaticString {
    switch self {
    case .amplitude:
      #"""
      {
        "eventmill_mapping": 1,
        "dialect": "amplitude",
        "description": "Amplitude: events of the Export API",
        "match": [{"path": "/event_type"}, {"path": "/event_time"}, {"path": "/amplitude_id"}],
        "custom_id": "/user_id",
        "installation_id": "/device_id",
        "id": ["/$insert_id", "/insert_id", "/uuid"],
        "time": {"path": "/event_time", "zone": "Z"},
        "drop": [
          "/$schema", "/adid", "/amplitude_attribution_ids", "/amplitude_event_type", "/amplitude_id",
          "/app", "/client_event_time", "/client_upload_time", "/data", "/data_type", "/device_brand",
          "/device_carrier", "/device_manufacturer", "/device_model", "/device_type", "/dma",
          "/event_id", "/event_properties", "/global_user_properties", "/group_properties", "/groups",
          "/idfa", "/ip_address", "/is_attribution_event", "/library", "/location_lat",
          "/location_lng", "/os_version", "/partner_id", "/paying", "/plan", "/processed_time",
          "/region", "/sample_rate", "/server_received_time", "/server_upload_time", "/session_id",
          "/source_id", "/start_version", "/user_creation_time", "/user_properties", "/$insert_key",
          "/insert_id", "/$insert_id", "/uuid"
        ],
        "lines": [
          {
            "when": {"path": "/event_type", "in": "$identify"},
            "as": "identify",
            "attributes": "/user_properties",
            "drop": [
              "/platform", "/version_name", "/os_name", "/device_family", "/country", "/city", "/language"
            ]
          },
          {
            "name": "/event_type",
            "attributes": "/event_properties",
            "fields": {
              "platform": "/platform", "version_name": "/version_name", "os_name": "/os_name",
              "device_family": "/device_family", "country": "/country", "city": "/city",
              "language": "/language"
            }
          }
        ]
      }
      """#
    case .cloudevents:
      #"""
      {
        "eventmill_mapping": 1,
        "dialect": "cloudevents",
        "description": "CloudEvents 1.0: events in the JSON format, about the person that subject names",
        "match": [
          {"path": "/specversion", "in": "1.0"}, {"path": "/id"}, {"path": "/source"}, {"path": "/type"}
        ],
        "custom_id": ["/userid", "/subject"],
        "id": {"join": ["/source", "/id"]},
        "time": "/time",
        "drop": ["/specversion", "/datacontenttype", "/dataschema", "/traceparent", "/tracestate"],
        "lines": [
          {
            "name": "/type",
            "attributes": "/data",
            "fields": {"event_source": "/source"}
          }
        ]
      }
      """#
    case .ga4:
      #"""
      {
        "eventmill_mapping": 1,
        "dialect": "ga4",
        "description": "Google Analytics 4: rows of the BigQuery export, as JSON",
        "match": [{"path": "/event_date"}, {"path": "/event_name"}],
        "custom_id": "/user_id",
        "installation_id": "/user_pseudo_id",
        "time": {"path": "/event_timestamp", "unit": "us"},
        "drop": [
          "/event_date", "/event_previous_timestamp", "/event_bundle_sequence_id",
          "/event_server_timestamp_offset", "/privacy_info", "/user_first_touch_timestamp", "/user_ltv",
          "/device", "/geo", "/app_info", "/traffic_source", "/stream_id", "/event_dimensions",
          "/ecommerce", "/items", "/collected_traffic_source", "/is_active_user", "/batch_event_index",
          "/batch_page_id", "/batch_ordering_id", "/session_traffic_source_last_click", "/publisher",
          "/user_properties"
        ],
        "lines": [
          {
            "name": "/event_name",
            "attributes": {
              "path": "/event_params",
              "key": "/key",
              "value": [
                "/value/string_value", "/value/int_value", "/value/float_value", "/value/double_value"
              ]
            },
            "fields": {
              "platform": "/platform", "value_in_usd": "/event_value_in_usd", "country": "/geo/country",
              "device_category": "/device/category", "app_version": "/app_info/version"
            }
          }
        ]
      }
      """#
    case .gharchive:
      #"""
      {
        "eventmill_mapping": 1,
        "dialect": "gharchive",
        "description": "GH Archive: public events of GitHub, by hour",
        "match": [
          {"path": "/type"}, {"path": "/actor/id"}, {"path": "/repo/id"}, {"path": "/created_at"}
        ],
        "custom_id": "/actor/id",
        "id": "/id",
        "time": "/created_at",
        "drop": ["/actor", "/repo", "/org", "/public"],
        "lines": [
          {
            "name": "/type",
            "attributes": "/payload",
            "fields": {"actor": "/actor/login", "repo": "/repo/name", "org": "/org/login"}
          }
        ]
      }
      """#
    case .mixpanel:
      #"""
      {
        "eventmill_mapping": 1,
        "dialect": "mixpanel",
        "description": "Mixpanel: events of the Raw Event Export API",
        "match": [{"path": "/event"}, {"path": "/properties/time"}, {"path": "/properties/distinct_id"}],
        "custom_id": "/properties/$user_id",
        "installation_id": "/properties/$device_id",
        "id": "/properties/$insert_id",
        "time": {"path": "/properties/time", "unit": "s"},
        "drop": [
          "/properties/distinct_id", "/properties/mp_processing_time_ms", "/properties/$mp_api_endpoint",
          "/properties/$mp_api_timestamp_ms", "/properties/$mp_event_size",
          "/properties/$distinct_id_before_identity", "/properties/$had_persisted_distinct_id",
          "/properties/mp_lib", "/properties/$lib_version", "/properties/$import"
        ],
        "lines": [
          {
            "when": [
              {"path": "/event", "in": "$identify"}, "/properties/$identified_id", "/properties/$anon_id"
            ],
            "as": "alias",
            "custom_id": "/properties/$identified_id",
            "installation_id": "/properties/$anon_id",
            "drop": "/properties"
          },
          {
            "when": [{"path": "/event", "in": "$create_alias"}, "/properties/alias"],
            "as": "alias",
            "custom_id": "/properties/alias",
            "installation_id": "/properties/distinct_id",
            "drop": "/properties"
          },
          {
            "when": {"path": "/event", "in": ["$identify", "$create_alias", "$merge"]},
            "as": "ignore",
            "name": "/event",
            "drop": "/properties"
          },
          {
            "when": [
              {"path": "/properties/$user_id", "present": false},
              {"path": "/properties/$device_id", "present": false},
              {"path": "/properties/distinct_id", "prefix": "$device:"}
            ],
            "installation_id": "/properties/distinct_id",
            "name": "/event",
            "attributes": "/properties"
          },
          {
            "when": [
              {"path": "/properties/$user_id", "present": false},
              {"path": "/properties/$device_id", "present": false}
            ],
            "custom_id": "/properties/distinct_id",
            "name": "/event",
            "attributes": "/properties"
          },
          {"name": "/event", "attributes": "/properties"}
        ]
      }
      """#
    case .posthog:
      #"""
      {
        "eventmill_mapping": 1,
        "dialect": "posthog",
        "description": "PostHog: events of batch exports",
        "match": [{"path": "/uuid"}, {"path": "/event"}, {"path": "/distinct_id"}, {"path": "/timestamp"}],
        "id": "/uuid",
        "time": "/timestamp",
        "drop": [
          "/team_id", "/created_at", "/elements", "/elements_chain", "/person_id", "/person_properties",
          "/person_created_at", "/person_mode", "/set", "/set_once", "/ip", "/site_url", "/_inserted_at",
          "/properties/$set", "/properties/$set_once", "/properties/$lib", "/properties/$lib_version",
          "/properties/token", "/properties/$ip", "/properties/$insert_id", "/properties/$time",
          "/properties/$sent_at", "/properties/distinct_id", "/properties/$device_id",
          "/properties/$user_id", "/properties/$is_identified", "/properties/$process_person_profile"
        ],
        "lines": [
          {
            "when": [{"path": "/event", "in": "$identify"}, "/properties/$set"],
            "as": "identify",
            "custom_id": "/distinct_id",
            "installation_id": ["/properties/$anon_distinct_id", "/properties/$device_id"],
            "attributes": "/properties/$set",
            "drop": "/properties"
          },
          {
            "when": [{"path": "/event", "in": "$identify"}, "/properties/$anon_distinct_id"],
            "as": "alias",
            "custom_id": "/distinct_id",
            "installation_id": "/properties/$anon_distinct_id",
            "drop": "/properties"
          },
          {
            "when": {"path": "/event", "in": ["$create_alias", "$merge_dangerously"]},
            "as": "ignore",
            "name": "/event",
            "drop": ["/properties", "/distinct_id"]
          },
          {
            "when": {"path": "/person_mode", "in": "propertyless"},
            "installation_id": "/distinct_id",
            "name": "/event",
            "attributes": "/properties"
          },
          {
            "when": {"path": "/properties/$process_person_profile", "in": false},
            "installation_id": "/distinct_id",
            "name": "/event",
            "attributes": "/properties"
          },
          {
            "when": {"path": "/properties/$is_identified", "in": true},
            "custom_id": "/distinct_id",
            "installation_id": "/properties/$device_id",
            "name": "/event",
            "attributes": "/properties"
          },
          {
            "when": "/properties/$is_identified",
            "installation_id": "/distinct_id",
            "name": "/event",
            "attributes": "/properties"
          },
          {
            "when": "/properties/$user_id",
            "custom_id": "/distinct_id",
            "installation_id": "/properties/$device_id",
            "name": "/event",
            "attributes": "/properties"
          },
          {
            "when": "/properties/$device_id",
            "installation_id": "/distinct_id",
            "name": "/event",
            "attributes": "/properties"
          },
          {
            "when": {
              "path": "/properties/$lib",
              "in": ["web", "js", "posthog-ios", "posthog-android", "posthog-react-native", "posthog-flutter"]
            },
            "installation_id": "/distinct_id",
            "name": "/event",
            "attributes": "/properties"
          },
          {"custom_id": "/distinct_id", "name": "/event", "attributes": "/properties"}
        ]
      }
      """#
    case .rudderstack:
      #"""
      {
        "eventmill_mapping": 1,
        "dialect": "rudderstack",
        "description": "RudderStack: track, page, screen, identify, alias and group calls, as destinations and archives have them",
        "match": [
          {"path": "/messageId"},
          {"path": "/channel"},
          {"path": "/type", "in": ["track", "page", "screen", "identify", "alias", "group"]}
        ],
        "custom_id": "/userId",
        "installation_id": "/anonymousId",
        "id": "/messageId",
        "time": ["/timestamp", "/originalTimestamp", "/sentAt", "/receivedAt"],
        "drop": [
          "/context", "/integrations", "/channel", "/rudderId", "/request_ip", "/version",
          "/timestamp", "/originalTimestamp", "/sentAt", "/receivedAt"
        ],
        "lines": [
          {
            "when": {"path": "/type", "in": "track"},
            "name": "/event",
            "attributes": "/properties"
          },
          {
            "when": {"path": "/type", "in": "page"},
            "name": {"constant": "page"},
            "attributes": "/properties",
            "fields": {
              "name": ["/name", "/properties/name"], "category": ["/category", "/properties/category"]
            }
          },
          {
            "when": {"path": "/type", "in": "screen"},
            "name": {"constant": "screen"},
            "attributes": "/properties",
            "fields": {
              "name": ["/name", "/properties/name"], "category": ["/category", "/properties/category"]
            }
          },
          {
            "when": {"path": "/type", "in": "group"},
            "name": {"constant": "group"},
            "attributes": "/traits",
            "fields": {"group_id": "/groupId"}
          },
          {
            "when": {"path": "/type", "in": "identify"},
            "as": "identify",
            "attributes": "/traits"
          },
          {
            "when": {"path": "/type", "in": "alias"},
            "as": "alias",
            "installation_id": ["/previousId", "/anonymousId"]
          }
        ]
      }
      """#
    case .segment:
      #"""
      {
        "eventmill_mapping": 1,
        "dialect": "segment",
        "description": "Segment: track, page, screen, identify, alias and group calls, as destinations and archives have them",
        "match": [
          {"path": "/messageId"},
          {"path": "/type", "in": ["track", "page", "screen", "identify", "alias", "group"]}
        ],
        "custom_id": "/userId",
        "installation_id": "/anonymousId",
        "id": "/messageId",
        "time": ["/timestamp", "/originalTimestamp", "/sentAt", "/receivedAt"],
        "drop": [
          "/context", "/integrations", "/channel", "/version", "/projectId", "/writeKey", "/_metadata",
          "/timestamp", "/originalTimestamp", "/sentAt", "/receivedAt"
        ],
        "lines": [
          {
            "when": {"path": "/type", "in": "track"},
            "name": "/event",
            "attributes": "/properties"
          },
          {
            "when": {"path": "/type", "in": "page"},
            "name": {"constant": "page"},
            "attributes": "/properties",
            "fields": {
              "name": ["/name", "/properties/name"], "category": ["/category", "/properties/category"]
            }
          },
          {
            "when": {"path": "/type", "in": "screen"},
            "name": {"constant": "screen"},
            "attributes": "/properties",
            "fields": {
              "name": ["/name", "/properties/name"], "category": ["/category", "/properties/category"]
            }
          },
          {
            "when": {"path": "/type", "in": "group"},
            "name": {"constant": "group"},
            "attributes": "/traits",
            "fields": {"group_id": "/groupId"}
          },
          {
            "when": {"path": "/type", "in": "identify"},
            "as": "identify",
            "attributes": "/traits"
          },
          {
            "when": {"path": "/type", "in": "alias"},
            "as": "alias",
            "installation_id": ["/previousId", "/anonymousId"]
          }
        ]
      }
      """#
    case .snowplow:
      #"""
      {
        "eventmill_mapping": 1,
        "dialect": "snowplow",
        "description": "Snowplow: enriched events as JSON, as the analytics SDKs make them",
        "match": [{"path": "/event_id"}, {"path": "/collector_tstamp"}, {"path": "/event"}],
        "custom_id": "/user_id",
        "installation_id": ["/domain_userid", "/network_userid"],
        "id": "/event_id",
        "time": [
          {"path": "/derived_tstamp", "zone": "Z"}, {"path": "/collector_tstamp", "zone": "Z"}
        ],
        "drop": [
          "/etl_tstamp", "/dvce_created_tstamp", "/dvce_sent_tstamp", "/true_tstamp", "/txn_id",
          "/name_tracker", "/v_tracker", "/v_collector", "/v_etl", "/user_ipaddress", "/user_fingerprint",
          "/domain_sessionidx", "/domain_sessionid", "/event_vendor", "/event_format", "/event_version",
          "/event_fingerprint", "/useragent", "/collector_tstamp", "/derived_tstamp", "/network_userid",
          "/domain_userid", "/event", "/refr_urlscheme", "/refr_urlhost", "/refr_urlport",
          "/refr_urlpath", "/refr_urlquery", "/refr_urlfragment", "/page_urlscheme", "/page_urlhost",
          "/page_urlport", "/page_urlpath", "/page_urlquery", "/page_urlfragment"
        ],
        "lines": [{"name": ["/event_name", "/event"], "attributes": ""}]
      }
      """#
    }
  }

  /// Which logs it is for.
  package var summary: String {
    switch self {
    case .amplitude:
      "Amplitude: events of the Export API"
    case .cloudevents:
      "CloudEvents 1.0: events in the JSON format, about the person that subject names"
    case .ga4:
      "Google Analytics 4: rows of the BigQuery export, as JSON"
    case .gharchive:
      "GH Archive: public events of GitHub, by hour"
    case .mixpanel:
      "Mixpanel: events of the Raw Event Export API"
    case .posthog:
      "PostHog: events of batch exports"
    case .rudderstack:
      "RudderStack: track, page, screen, identify, alias and group calls, as destinations and archives have them"
    case .segment:
      "Segment: track, page, screen, identify, alias and group calls, as destinations and archives have them"
    case .snowplow:
      "Snowplow: enriched events as JSON, as the analytics SDKs make them"
    }
  }
}
