package dev.handheld.helper.compat;

import android.content.res.Resources;
import android.os.Build;
import android.os.Bundle;
import android.view.accessibility.AccessibilityNodeInfo;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Rare details of views, by the names of the protocol. */
final class NodeDetails {
    /** RangeInfo.RANGE_TYPE_INDETERMINATE, new in API 36. */
    private static final int ENDLESS = 3;

    private static final String[] ON_OR_OFF = {
        "capital_on", "capital_off", "checked", "not_checked", "selected", "not_selected"
    };
    /** AccessibilityNodeProvider.HOST_VIEW_ID: the view itself. */
    private static final int HOST = -1;
    private static final String ROLE = "AccessibilityNodeInfo.chromeRole";
    private static final String URL = "AccessibilityNodeInfo.targetUrl";
    private static final int LONGEST_ROLE = 40;
    private static final int LONGEST_URL = 2000;

    private static final Set<String> ANDROIDS = words(ON_OR_OFF);
    private static final Set<String> IN_PROGRESS = words("in_progress");

    /** Null for most views. */
    private Map<String, Object> told;

    private NodeDetails() {}

    /** Null if there are no details. */
    static Map<String, Object> of(AccessibilityNodeInfo info) {
        NodeDetails details = new NodeDetails();
        AccessibilityNodeInfo.RangeInfo range = info.getRangeInfo();
        boolean loading = isLoading(info, range);
        if (Build.VERSION.SDK_INT >= 30) {
            details.put("state", state(info, loading));
        }
        details.put("error", text(info.getError()));
        if (Build.VERSION.SDK_INT >= 28) {
            details.put("pane", text(info.getPaneTitle()));
        }
        if (info.isEditable() && !info.isShowingHintText()) {
            details.put("hint", text(info.getHintText()));
        }
        if (isToBeNamed(info, range)) {
            AccessibilityNodeInfo label = info.getLabeledBy();
            details.put("label", label == null ? null : AndroidNodes.key(label));
        }
        if (range != null && !loading && isFinite(range)) {
            details.put(
                    "range",
                    Arrays.<Object>asList(
                            range.getType(), range.getMin(), range.getMax(), range.getCurrent()));
        }
        AccessibilityNodeInfo.CollectionInfo rows = info.getCollectionInfo();
        if (rows != null) {
            details.put("rows", Arrays.<Object>asList(rows.getRowCount(), rows.getColumnCount()));
        }
        details.put("loading", loading ? Boolean.TRUE : null);
        details.putWeb(info);
        return details.told;
    }

    /** Chromium's details of an element of a web page, which is a virtual view. */
    private void putWeb(AccessibilityNodeInfo info) {
        if ((Long) AndroidNodes.SOURCE.call(info) >> 32 == HOST) {
            return;
        }
        String role;
        String url;
        try {
            Bundle extras = info.getExtras();
            role = extras.getString(ROLE);
            url = extras.getString(URL);
        } catch (RuntimeException foreign) {
            return; // an app put a value of its own class there
        }
        if (role != null && !role.isEmpty() && role.length() <= LONGEST_ROLE) {
            put("role", role);
            put("url", url == null || url.length() > LONGEST_URL ? null : text(url));
        }
    }

    private void put(String name, Object value) {
        if (value != null) {
            if (told == null) {
                told = new LinkedHashMap<String, Object>();
            }
            told.put(name, value);
        }
    }

    /** A progress bar without a range shows none; Compose does the same. */
    private static boolean isLoading(
            AccessibilityNodeInfo info, AccessibilityNodeInfo.RangeInfo range) {
        if (range != null) {
            return range.getType() == ENDLESS;
        }
        CharSequence name = info.getClassName();
        return name != null && name.toString().endsWith("ProgressBar");
    }

    /** Widgets also state in words whether they are checked. */
    private static String state(AccessibilityNodeInfo info, boolean loading) {
        String state = text(info.getStateDescription());
        boolean known =
                info.isCheckable() && ANDROIDS.contains(state)
                        || loading && IN_PROGRESS.contains(state);
        return known ? null : state;
    }

    /**
     * Other views are not asked for their label: fetching one that has not arrived yet costs a
     * request.
     */
    private static boolean isToBeNamed(
            AccessibilityNodeInfo info, AccessibilityNodeInfo.RangeInfo range) {
        boolean control = info.isEditable() || info.isCheckable() || range != null;
        boolean named = text(info.getContentDescription()) != null;
        return control && !named && (info.isEditable() || text(info.getText()) == null);
    }

    private static boolean isFinite(AccessibilityNodeInfo.RangeInfo range) {
        float sum = Math.abs(range.getMin()) + Math.abs(range.getMax());
        return sum + Math.abs(range.getCurrent()) <= Float.MAX_VALUE;
    }

    /** Null for nothing, and for an empty text. */
    private static String text(CharSequence value) {
        return value == null || value.length() == 0 ? null : value.toString();
    }

    /** Android's own word, in the phone's language. */
    private static Set<String> words(String... names) {
        Resources system = Resources.getSystem();
        Set<String> words = new HashSet<String>();
        for (String name : names) {
            int id = system.getIdentifier(name, "string", "android");
            if (id != 0) {
                words.add(system.getString(id));
            }
        }
        return words;
    }
}
