/**
 * The phone as the helper sees it: small interfaces, one per concern, that hide all of Android.
 * The meaning of a call (lanes, budgets, comparing, timing, JSON) is decided on this side of them,
 * so it runs on any JVM; an implementation makes the one call into Android and nothing else.
 *
 * <p>Where the protocol has a code for what went wrong, an implementation throws a {@link
 * dev.handheld.helper.protocol.Failure}; anything else that it throws is answered as `internal`.
 */
package dev.handheld.helper.device;
