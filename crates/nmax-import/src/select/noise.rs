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

/// Suffixes of hosts by the reason, with blanks between them.
pub(super) const HOSTS: &[(&str, &str)] = &[
    (
        BROWSER,
        "accounts.google.com android.clients.google.com clients.google.com clients1.google.com clients2.google.com \
         clients2.googleusercontent.com clients3.google.com clients4.google.com clients6.google.com \
         clientservices.googleapis.com content-autofill.googleapis.com detectportal.firefox.com edge.microsoft.com \
         edgedl.me.gvt1.com firefox-settings-attachments.cdn.mozilla.net gvt1.com mtalk.google.com ocsp.apple.com \
         ocsp.digicert.com optimizationguide-pa.googleapis.com passwordsleakcheck-pa.googleapis.com \
         safebrowsing.mozilla.com safebrowsing.apple.com safebrowsing.google.com safebrowsing.googleapis.com \
         safebrowsinghttpgateway.googleapis.com services.addons.mozilla.org services.mozilla.com \
         smartscreen.microsoft.com telemetry.mozilla.org tracking-protection.cdn.mozilla.net \
         translate.googleapis.com translate-pa.googleapis.com update.googleapis.com \
         versioncheck-bg.addons.mozilla.org aus5.mozilla.org ads.mozilla.org api.accounts.firefox.com \
         archive.mozilla.org firefox-settings-attachments.prod.webservices.mozgcp.net mozgcp.net \
         normandy.cdn.mozilla.net snippets.cdn.mozilla.net",
    ),
    (
        ANALYTICS,
        "amplitude.com analytics.google.com analytics.tiktok.com chartbeat.com chartbeat.net cloudflareinsights.com \
         google-analytics.com googleanalytics.com heapanalytics.com imrworldwide.com kissmetrics.io matomo.cloud \
         mc.yandex.ru mixpanel.com mxpnl.com omtrdc.net parsely.com pendo.io piwik.pro plausible.io posthog.com \
         quantcount.com quantserve.com rudderstack.com scorecardresearch.com segment.com segment.io \
         simpleanalyticscdn.com snowplowanalytics.com statcounter.com umami.is usefathom.com",
    ),
    (TAGS, "adobedtm.com ensighten.com googletagmanager.com googletagservices.com tealiumiq.com tiqcdn.com"),
    (
        ADS,
        "2mdn.net adform.net adnxs.com adroll.com ads-twitter.com adsrvr.org amazon-adsystem.com bat.bing.com \
         bidswitch.net casalemedia.com criteo.com criteo.net demdex.net doubleclick.net everesttech.net \
         googleadservices.com googlesyndication.com openx.net outbrain.com px.ads.linkedin.com rlcdn.com \
         rubiconproject.com snap.licdn.com taboola.com",
    ),
    (ERRORS, "airbrake.io bugsnag.com honeybadger.io raygun.io rollbar.com sentry-cdn.com sentry.io trackjs.com"),
    (
        MONITORING,
        "datadoghq-browser-agent.com datadoghq.com datadoghq.eu dynatrace.com go-mpulse.net newrelic.com nr-data.net \
         speedcurve.com",
    ),
    (
        REPLAY,
        "clarity.ms contentsquare.net crazyegg.com fullstory.com hotjar.com hotjar.io inspectlet.com logrocket.com \
         lr-ingest.io mouseflow.com smartlook.com",
    ),
    (TESTING, "abtasty.com convertexperiments.com launchdarkly.com optimizely.com visualwebsiteoptimizer.com"),
    (CONSENT, "consensu.org cookiebot.com cookielaw.org onetrust.com trustarc.com usercentrics.eu"),
    (CHAT, "crisp.chat drift.com intercom.io intercomcdn.com livechatinc.com tawk.to zdassets.com zopim.com"),
    (
        SOCIAL,
        "addthis.com connect.facebook.net facebook.com platform.linkedin.com platform.twitter.com sharethis.com \
         syndication.twitter.com",
    ),
    (
        LIBRARIES,
        "ajax.googleapis.com cdn.jsdelivr.net cdnjs.cloudflare.com code.jquery.com maxcdn.bootstrapcdn.com \
         stackpath.bootstrapcdn.com unpkg.com",
    ),
    (
        FONTS,
        "fast.fonts.net fonts.bunny.net fonts.googleapis.com fonts.gstatic.com kit.fontawesome.com p.typekit.net \
         use.fontawesome.com use.typekit.net",
    ),
];

/// The same for beginnings of paths under which a site's own host serves what belongs to others.
const PATHS: &[(&str, &str)] = &[
    (BROWSER, "/.well-known/appspecific/"),
    (ANALYTICS, "/_vercel/insights/ /g/collect /j/collect /r/collect"),
    (MONITORING, "/_vercel/speed-insights/ /akam/ /cdn-cgi/beacon/ /cdn-cgi/rum /cdn-cgi/trace /rb_"),
    (TAGS, "/cdn-cgi/zaraz/"),
];

/// The same for ends of paths.
const ENDS: &[(&str, &str)] = &[
    (BROWSER, "/csp-report"),
    (DEVELOPERS, ".css.map .js.map .mjs.map"),
    (ANALYTICS, "/matomo.js /matomo.php /piwik.php"),
];

/// Why something is left out that one of a list is said of.
fn why(list: &[(&'static str, &str)], is_said: impl Fn(&str) -> bool) -> Option<&'static str> {
    list.iter().find(|(_, all)| all.split(' ').any(&is_said)).map(|(why, _)| *why)
}

/// Why exchanges with a host are left out.
pub(super) fn of_host(host: &str) -> Option<&'static str> {
    why(HOSTS, |suffix| super::is_within(host, suffix))
}

/// Whether browsers ask this host by themselves.
pub(super) fn is_browsers_own(host: &str) -> bool {
    of_host(host) == Some(BROWSER)
}

/// Why exchanges with a path are left out, on whatever host.
pub(super) fn of_path(path: &str) -> Option<&'static str> {
    why(PATHS, |start| path.starts_with(start)).or_else(|| why(ENDS, |end| path.ends_with(end)))
}
