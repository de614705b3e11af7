//! The list of what is never a part of a site's own behaviour, with a reason each.
//!
//! Hosts are suffixes: `doubleclick.net` is also `ad.doubleclick.net`. Paths are those under which a site serves such
//! things itself. `--host` keeps a host that is listed here.

const ADS: &str = "advertising, no part of the site";
const ANALYTICS: &str = "analytics, no part of the site";
const BROWSER: &str = "the browser's own request, no user's";
const CHAT: &str = "a chat widget of a third party";
const CONSENT: &str = "a consent banner of a third party";
const DEVELOPERS: &str = "a source map, which only developer tools fetch";
const ERRORS: &str = "an error tracker, no part of the site";
const FONTS: &str = "fonts of a third party, which are not the system under test";
const LIBRARIES: &str = "scripts of a public CDN, which is not the system under test";
const MONITORING: &str = "monitoring of users' browsers, no part of the site";
const REPLAY: &str = "session recording, no part of the site";
const SOCIAL: &str = "a widget of a social network";
const TAGS: &str = "a tag manager, no part of the site";
const TESTING: &str = "an experiment service, no part of the site";

/// Suffixes of hosts.
const HOSTS: &[(&str, &str)] = &[
    // What browsers ask for by themselves.
    ("accounts.google.com", BROWSER),
    ("android.clients.google.com", BROWSER),
    ("clients.google.com", BROWSER),
    ("clients1.google.com", BROWSER),
    ("clients2.google.com", BROWSER),
    ("clients2.googleusercontent.com", BROWSER),
    ("clients3.google.com", BROWSER),
    ("clients4.google.com", BROWSER),
    ("clients6.google.com", BROWSER),
    ("clientservices.googleapis.com", BROWSER),
    ("content-autofill.googleapis.com", BROWSER),
    ("detectportal.firefox.com", BROWSER),
    ("edge.microsoft.com", BROWSER),
    ("edgedl.me.gvt1.com", BROWSER),
    ("firefox-settings-attachments.cdn.mozilla.net", BROWSER),
    ("gvt1.com", BROWSER),
    ("mtalk.google.com", BROWSER),
    ("ocsp.apple.com", BROWSER),
    ("ocsp.digicert.com", BROWSER),
    ("optimizationguide-pa.googleapis.com", BROWSER),
    ("passwordsleakcheck-pa.googleapis.com", BROWSER),
    ("safebrowsing.mozilla.com", BROWSER),
    ("safebrowsing.apple.com", BROWSER),
    ("safebrowsing.google.com", BROWSER),
    ("safebrowsing.googleapis.com", BROWSER),
    ("safebrowsinghttpgateway.googleapis.com", BROWSER),
    ("services.addons.mozilla.org", BROWSER),
    ("services.mozilla.com", BROWSER),
    ("smartscreen.microsoft.com", BROWSER),
    ("telemetry.mozilla.org", BROWSER),
    ("tracking-protection.cdn.mozilla.net", BROWSER),
    ("translate.googleapis.com", BROWSER),
    ("translate-pa.googleapis.com", BROWSER),
    ("update.googleapis.com", BROWSER),
    ("versioncheck-bg.addons.mozilla.org", BROWSER),
    ("aus5.mozilla.org", BROWSER),
    ("ads.mozilla.org", BROWSER),
    ("api.accounts.firefox.com", BROWSER),
    ("archive.mozilla.org", BROWSER),
    ("firefox-settings-attachments.prod.webservices.mozgcp.net", BROWSER),
    ("mozgcp.net", BROWSER),
    ("normandy.cdn.mozilla.net", BROWSER),
    ("snippets.cdn.mozilla.net", BROWSER),
    // Analytics.
    ("amplitude.com", ANALYTICS),
    ("analytics.google.com", ANALYTICS),
    ("analytics.tiktok.com", ANALYTICS),
    ("chartbeat.com", ANALYTICS),
    ("chartbeat.net", ANALYTICS),
    ("cloudflareinsights.com", ANALYTICS),
    ("google-analytics.com", ANALYTICS),
    ("googleanalytics.com", ANALYTICS),
    ("heapanalytics.com", ANALYTICS),
    ("imrworldwide.com", ANALYTICS),
    ("kissmetrics.io", ANALYTICS),
    ("matomo.cloud", ANALYTICS),
    ("mc.yandex.ru", ANALYTICS),
    ("mixpanel.com", ANALYTICS),
    ("mxpnl.com", ANALYTICS),
    ("omtrdc.net", ANALYTICS),
    ("parsely.com", ANALYTICS),
    ("pendo.io", ANALYTICS),
    ("piwik.pro", ANALYTICS),
    ("plausible.io", ANALYTICS),
    ("posthog.com", ANALYTICS),
    ("quantcount.com", ANALYTICS),
    ("quantserve.com", ANALYTICS),
    ("rudderstack.com", ANALYTICS),
    ("scorecardresearch.com", ANALYTICS),
    ("segment.com", ANALYTICS),
    ("segment.io", ANALYTICS),
    ("simpleanalyticscdn.com", ANALYTICS),
    ("snowplowanalytics.com", ANALYTICS),
    ("statcounter.com", ANALYTICS),
    ("umami.is", ANALYTICS),
    ("usefathom.com", ANALYTICS),
    // Tag managers.
    ("adobedtm.com", TAGS),
    ("ensighten.com", TAGS),
    ("googletagmanager.com", TAGS),
    ("googletagservices.com", TAGS),
    ("tealiumiq.com", TAGS),
    ("tiqcdn.com", TAGS),
    // Advertising.
    ("2mdn.net", ADS),
    ("adform.net", ADS),
    ("adnxs.com", ADS),
    ("adroll.com", ADS),
    ("ads-twitter.com", ADS),
    ("adsrvr.org", ADS),
    ("amazon-adsystem.com", ADS),
    ("bat.bing.com", ADS),
    ("bidswitch.net", ADS),
    ("casalemedia.com", ADS),
    ("criteo.com", ADS),
    ("criteo.net", ADS),
    ("demdex.net", ADS),
    ("doubleclick.net", ADS),
    ("everesttech.net", ADS),
    ("googleadservices.com", ADS),
    ("googlesyndication.com", ADS),
    ("openx.net", ADS),
    ("outbrain.com", ADS),
    ("px.ads.linkedin.com", ADS),
    ("rlcdn.com", ADS),
    ("rubiconproject.com", ADS),
    ("snap.licdn.com", ADS),
    ("taboola.com", ADS),
    // Errors and monitoring.
    ("airbrake.io", ERRORS),
    ("bugsnag.com", ERRORS),
    ("datadoghq-browser-agent.com", MONITORING),
    ("datadoghq.com", MONITORING),
    ("datadoghq.eu", MONITORING),
    ("dynatrace.com", MONITORING),
    ("go-mpulse.net", MONITORING),
    ("honeybadger.io", ERRORS),
    ("newrelic.com", MONITORING),
    ("nr-data.net", MONITORING),
    ("raygun.io", ERRORS),
    ("rollbar.com", ERRORS),
    ("sentry-cdn.com", ERRORS),
    ("sentry.io", ERRORS),
    ("speedcurve.com", MONITORING),
    ("trackjs.com", ERRORS),
    // Session recording.
    ("clarity.ms", REPLAY),
    ("contentsquare.net", REPLAY),
    ("crazyegg.com", REPLAY),
    ("fullstory.com", REPLAY),
    ("hotjar.com", REPLAY),
    ("hotjar.io", REPLAY),
    ("inspectlet.com", REPLAY),
    ("logrocket.com", REPLAY),
    ("lr-ingest.io", REPLAY),
    ("mouseflow.com", REPLAY),
    ("smartlook.com", REPLAY),
    // Experiments.
    ("abtasty.com", TESTING),
    ("convertexperiments.com", TESTING),
    ("launchdarkly.com", TESTING),
    ("optimizely.com", TESTING),
    ("visualwebsiteoptimizer.com", TESTING),
    // Consent.
    ("consensu.org", CONSENT),
    ("cookiebot.com", CONSENT),
    ("cookielaw.org", CONSENT),
    ("onetrust.com", CONSENT),
    ("trustarc.com", CONSENT),
    ("usercentrics.eu", CONSENT),
    // Chat.
    ("crisp.chat", CHAT),
    ("drift.com", CHAT),
    ("intercom.io", CHAT),
    ("intercomcdn.com", CHAT),
    ("livechatinc.com", CHAT),
    ("tawk.to", CHAT),
    ("zdassets.com", CHAT),
    ("zopim.com", CHAT),
    // Social networks.
    ("addthis.com", SOCIAL),
    ("connect.facebook.net", SOCIAL),
    ("facebook.com", SOCIAL),
    ("platform.linkedin.com", SOCIAL),
    ("platform.twitter.com", SOCIAL),
    ("sharethis.com", SOCIAL),
    ("syndication.twitter.com", SOCIAL),
    // Fonts and libraries of public CDNs.
    ("ajax.googleapis.com", LIBRARIES),
    ("cdn.jsdelivr.net", LIBRARIES),
    ("cdnjs.cloudflare.com", LIBRARIES),
    ("code.jquery.com", LIBRARIES),
    ("fast.fonts.net", FONTS),
    ("fonts.bunny.net", FONTS),
    ("fonts.googleapis.com", FONTS),
    ("fonts.gstatic.com", FONTS),
    ("kit.fontawesome.com", FONTS),
    ("maxcdn.bootstrapcdn.com", LIBRARIES),
    ("p.typekit.net", FONTS),
    ("stackpath.bootstrapcdn.com", LIBRARIES),
    ("unpkg.com", LIBRARIES),
    ("use.fontawesome.com", FONTS),
    ("use.typekit.net", FONTS),
];

/// Beginnings of paths under which a site's own host serves what belongs to others.
const PATHS: &[(&str, &str)] = &[
    ("/.well-known/appspecific/", BROWSER),
    ("/_vercel/insights/", ANALYTICS),
    ("/_vercel/speed-insights/", MONITORING),
    ("/akam/", MONITORING),
    ("/cdn-cgi/beacon/", MONITORING),
    ("/cdn-cgi/rum", MONITORING),
    ("/cdn-cgi/trace", MONITORING),
    ("/cdn-cgi/zaraz/", TAGS),
    ("/g/collect", ANALYTICS),
    ("/j/collect", ANALYTICS),
    ("/r/collect", ANALYTICS),
    ("/rb_", MONITORING),
];

/// Ends of paths of the same kind.
const ENDS: &[(&str, &str)] = &[
    ("/csp-report", BROWSER),
    (".css.map", DEVELOPERS),
    (".js.map", DEVELOPERS),
    (".mjs.map", DEVELOPERS),
    ("/matomo.js", ANALYTICS),
    ("/matomo.php", ANALYTICS),
    ("/piwik.php", ANALYTICS),
];

/// Why exchanges with a host are left out.
pub(super) fn of_host(host: &str) -> Option<&'static str> {
    let found = HOSTS.iter().find(|(suffix, _)| super::is_within(host, suffix));
    found.map(|(_, why)| *why)
}

/// Whether browsers ask this host by themselves.
pub(super) fn is_browsers_own(host: &str) -> bool {
    of_host(host) == Some(BROWSER)
}

/// Why exchanges with a path are left out, on whatever host.
pub(super) fn of_path(path: &str) -> Option<&'static str> {
    let begins = PATHS.iter().find(|(start, _)| path.starts_with(start));
    let ends = || ENDS.iter().find(|(end, _)| path.ends_with(end));
    begins.or_else(ends).map(|(_, why)| *why)
}

/// All suffixes, for tests.
#[cfg(test)]
pub(super) fn hosts() -> impl Iterator<Item = &'static str> {
    HOSTS.iter().map(|(host, _)| *host)
}
