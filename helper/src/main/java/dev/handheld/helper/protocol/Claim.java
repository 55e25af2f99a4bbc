package dev.handheld.helper.protocol;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Tells a phone that several hosts can reach which of them may use it. The hosts number the claims;
 * the phone only compares them.
 */
public final class Claim {
    private static final Pattern FORM =
            Pattern.compile("([1-9][0-9]{0,15}):([!-9;-~]{1,64}):([!-~]{1,64})");

    final long epoch;
    /** Its id. */
    final String host;
    /** What people call it. */
    final String name;

    private Claim(long epoch, String host, String name) {
        this.epoch = epoch;
        this.host = host;
        this.name = name;
    }

    /** Parse `EPOCH:HOST:NAME`; null when it is something else. */
    public static Claim read(String text) {
        Matcher found = FORM.matcher(text);
        if (!found.matches() || Long.parseLong(found.group(1)) > Limits.EPOCH) {
            return null;
        }
        return new Claim(Long.parseLong(found.group(1)), found.group(2), found.group(3));
    }

    /** Whether a phone that has accepted this one accepts the other. */
    boolean yieldsTo(Claim other) {
        return other.epoch == epoch ? other.host.equals(host) : other.epoch > epoch;
    }

    /** As it is in frames. */
    Map<String, Object> values() {
        Map<String, Object> values = new LinkedHashMap<String, Object>();
        values.put("epoch", epoch);
        values.put("host", host);
        values.put("name", name);
        return values;
    }

    @Override
    public String toString() {
        return epoch + ":" + host + ":" + name;
    }
}
