/// The words of synthetic logs: those of a shop with a magazine; and the excess items of faults.
enum ShopWords {
  /// Rules of every dialect, besides its own. The most frequent event names come first; items of
  /// lists are in quotes.
  static let table: StaticString = #"""

    event_name:
      page_viewed|app_opened|ad_seen|product_viewed|read_article|search_done|list_scrolled
      added_to_cart|push_opened|video_started|purchased|logged_in|article_shared|video_ended
      filter_used|review_read|banner_clicked|cart_viewed|removed_from_cart|checkout_started
      coupon_applied|wishlist_added|wishlist_viewed|category_viewed|brand_followed|brand_viewed
      order_tracked|order_received|order_cancelled|return_started|return_done|payment_added
      payment_failed|address_added|address_changed|profile_viewed|profile_changed|photo_uploaded
      comment_written|comment_liked|author_followed|article_saved|newsletter_opened
      newsletter_joined|newsletter_left|push_received|push_allowed|push_refused|in_app_seen
      in_app_clicked|in_app_closed|quiz_started|quiz_finished|game_played|level_reached
      reward_earned|reward_used|points_viewed|store_searched|store_viewed|route_opened
      ticket_scanned|call_started|chat_opened|chat_rated|help_viewed|faq_searched|bug_reported
      rating_asked|rating_given|trial_started|trial_ended|subscribed|unsubscribed|plan_changed
      invite_sent|invite_accepted|logged_out|app_updated|data_exported
    label:
      accessories|sports|home|garden|kitchen|books|daily digest|Mode d’été|electronics|toys
      outdoor|news|culture|économie|travel|local
    tag:
      "in_promo"|"Squash"|"daily_digest"|"new"|"Premium"|"clearance"|"gift"|"weekend"|"top_10"
      "members_only"|"Été"|"limited"
    city:
      Paris|Lyon|Berlin|Köln|Madrid|Málaga|London|Leeds|Roma|Wien|Zürich|Genève|東京|Montréal
      Lisboa|Gdańsk
    source: push|organic|newsletter|search|ads|friend|widget|deep_link
    product:
      Running shoes, size 42|Cast iron pan|Rain jacket \"Brise\"|Desk lamp|Garden chair
      Coffee grinder|Backpack 30 l|Wool socks|Chess set|Noise-cancelling headphones|Bicycle bell
      Sleeping bag −5 °C|Teapot|Sketchbook A4
    screen: home|search_results|product|cart|checkout|article|profile|settings
    program: "gold"|"silver"|"bronze"|"family"|"student"|"staff"
    language: fr|en|de|es|it|pt|ja|pl
    region: FR|GB|DE|ES|IT|PT|JP|PL
    topic: "sports"|"fashion"|"kitchen_deals"|"culture"|"travel"
    zone: Europe/Paris|Europe/Berlin|Europe/London|Asia/Tokyo|America/Montreal
    colour: "red"|"blue"|"green"|"black"|"white"
    url: "https://shop.example.com/<screen>/<?100000>"
    string: "i<at>"<at=at+1>
    field: "k<at>":0<at=at+1>
    typed_field: "k<at>.i":0<at=at+1>
    object: {"n":<at>}<at=at+1>
    """#
}
