package dev.handheld.helper.protocol;

/** Strings of apps, which may contain lone surrogates. */
public final class Text {
    private static final char REPLACEMENT = '\ufffd';

    private Text() {}

    /** Replace lone surrogates with U+FFFD, as on the wire. */
    public static String mend(String text) {
        if (text == null) {
            return null;
        }
        StringBuilder mended = null;
        int length = text.length();
        for (int at = 0; at < length; at++) {
            char unit = text.charAt(at);
            if (!Character.isSurrogate(unit)) {
                continue;
            }
            if (Character.isHighSurrogate(unit)
                    && at + 1 < length
                    && Character.isLowSurrogate(text.charAt(at + 1))) {
                at++;
                continue;
            }
            if (mended == null) {
                mended = new StringBuilder(text);
            }
            mended.setCharAt(at, REPLACEMENT);
        }
        return mended == null ? text : mended.toString();
    }

    /** Cut to that many UTF-16 units, never inside a surrogate pair. */
    public static String cut(String text, int most) {
        if (text == null || text.length() <= most) {
            return text;
        }
        boolean inside = Character.isHighSurrogate(text.charAt(most - 1));
        return text.substring(0, inside ? most - 1 : most);
    }
}
