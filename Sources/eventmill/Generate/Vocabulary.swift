import Pipeline

/// The words of synthetic logs: those of a shop with a magazine.
struct Vocabulary {
  /// Event names, the most frequent first.
  static let eventNames: [StaticString] = [
    "page_viewed", "app_opened", "ad_seen", "product_viewed", "read_article", "search_done",
    "list_scrolled", "added_to_cart", "push_opened", "video_started", "purchased", "logged_in",
    "article_shared", "video_ended", "filter_used", "review_read", "banner_clicked",
    "cart_viewed", "removed_from_cart", "checkout_started", "coupon_applied", "wishlist_added",
    "wishlist_viewed", "category_viewed", "brand_followed", "brand_viewed", "order_tracked",
    "order_received", "order_cancelled", "return_started", "return_done", "payment_added",
    "payment_failed", "address_added", "address_changed", "profile_viewed", "profile_changed",
    "photo_uploaded", "comment_written", "comment_liked", "author_followed", "article_saved",
    "newsletter_opened", "newsletter_joined", "newsletter_left", "push_received", "push_allowed",
    "push_refused", "in_app_seen", "in_app_clicked", "in_app_closed", "quiz_started",
    "quiz_finished", "game_played", "level_reached", "reward_earned", "reward_used",
    "points_viewed", "store_searched", "store_viewed", "route_opened", "ticket_scanned",
    "call_started", "chat_opened", "chat_rated", "help_viewed", "faq_searched", "bug_reported",
    "rating_asked", "rating_given", "trial_started", "trial_ended", "subscribed", "unsubscribed",
    "plan_changed", "invite_sent", "invite_accepted", "logged_out", "app_updated",
    "data_exported",
  ]
  static let labels: [StaticString] = [
    "accessories", "sports", "home", "garden", "kitchen", "books", "daily digest", "Mode d’été",
    "electronics", "toys", "outdoor", "news", "culture", "économie", "travel", "local",
  ]
  static let tags: [StaticString] = [
    "in_promo", "Squash", "daily_digest", "new", "Premium", "clearance", "gift", "weekend",
    "top_10", "members_only", "Été", "limited",
  ]
  static let cities: [StaticString] = [
    "Paris", "Lyon", "Berlin", "Köln", "Madrid", "Málaga", "London", "Leeds", "Roma", "Wien",
    "Zürich", "Genève", "東京", "Montréal", "Lisboa", "Gdańsk",
  ]
  static let sources: [StaticString] = [
    "push", "organic", "newsletter", "search", "ads", "friend", "widget", "deep_link",
  ]
  static let products: [StaticString] = [
    "Running shoes, size 42", "Cast iron pan", "Rain jacket \\\"Brise\\\"", "Desk lamp",
    "Garden chair", "Coffee grinder", "Backpack 30 l", "Wool socks", "Chess set",
    "Noise-cancelling headphones", "Bicycle bell", "Sleeping bag −5 °C", "Teapot", "Sketchbook A4",
  ]
  static let screens: [StaticString] = [
    "home", "search_results", "product", "cart", "checkout", "article", "profile", "settings",
  ]
  static let programs: [StaticString] = ["gold", "silver", "bronze", "family", "student", "staff"]
  static let languages: [StaticString] = ["fr", "en", "de", "es", "it", "pt", "ja", "pl"]
  static let regions: [StaticString] = ["FR", "GB", "DE", "ES", "IT", "PT", "JP", "PL"]
  static let topics: [StaticString] = ["sports", "fashion", "kitchen_deals", "culture", "travel"]
  static let zones: [StaticString] = [
    "Europe/Paris", "Europe/Berlin", "Europe/London", "Asia/Tokyo", "America/Montreal",
  ]

  /// Event names by weight: name number k stands there about 1 / (k + 1) as often as the first.
  private let weighted: [UInt8]

  /// A power of two, so that a few random bits choose.
  private static let weights = 4096

  init() {
    let names = Vocabulary.eventNames.count
    // Integers only, so that every machine makes the same table.
    let scale = 1_000_000
    let sum = (1...names).reduce(0) { $0 + scale / $1 }
    var weighted: [UInt8] = []
    weighted.reserveCapacity(Vocabulary.weights)
    var reached = 0
    for name in 0..<names {
      reached += scale / (name + 1)
      let end = reached * Vocabulary.weights / sum
      while weighted.count < end { weighted.append(UInt8(name)) }
    }
    while weighted.count < Vocabulary.weights { weighted.append(0) }
    self.weighted = weighted
  }

  /// The number of an event name, frequent ones more often.
  func eventName(_ random: inout LogRandom) -> Int {
    Int(weighted[Int(random.next() >> 32) & (Vocabulary.weights - 1)])
  }
}

extension LogRandom {
  /// One of `words`.
  mutating func one(of words: [StaticString]) -> StaticString { words[below(words.count)] }
}
