package dev.handheld.apptools;

import org.json.JSONArray;
import org.json.JSONException;
import org.json.JSONObject;

/** Reads JSON from untrusted apps. */
final class Json {
    /** Android's parser recurses for each level, and would crash the app. */
    private static final int DEEPEST = 64;

    private Json() {}

    /** Null for a text that is not an object. */
    static JSONObject object(String text) {
        try {
            return isShallow(text) ? new JSONObject(text) : null;
        } catch (JSONException none) {
            return null;
        }
    }

    /** Null for a text that is not an array. */
    static JSONArray array(String text) {
        try {
            return isShallow(text) ? new JSONArray(text) : null;
        } catch (JSONException none) {
            return null;
        }
    }

    /** Whether no value is nested too deeply. Brackets in texts count too, which does no harm. */
    static boolean isShallow(String text) {
        int depth = 0;
        boolean quoted = false;
        for (int one = 0; one < text.length(); one++) {
            char now = text.charAt(one);
            if (quoted && now == '\\') {
                one++;
            } else if (now == '"') {
                quoted = !quoted;
            } else if (!quoted && (now == '[' || now == '{')) {
                depth++;
                if (depth > DEEPEST) {
                    return false;
                }
            } else if (!quoted && (now == ']' || now == '}')) {
                depth--;
            }
        }
        return true;
    }
}
