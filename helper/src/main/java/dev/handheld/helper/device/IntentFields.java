package dev.handheld.helper.device;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** An intent, and the kind of component that it is for. What is absent is null. */
public final class IntentFields {
    /** The kinds of components that take intents. */
    public enum Kind {
        ACTIVITY,
        SERVICE,
        BROADCAST
    }

    public final Kind kind;
    public final String action;
    public final String data;
    public final String mime;
    public final String packageName;
    /** Fully qualified; the package is given then, too. */
    public final String className;
    public final List<String> categories;
    public final int flags;
    /**
     * By name: String, Integer, Long, Float, Double, Boolean, or a List of String, which is sent as
     * an ArrayList.
     */
    public final Map<String, Object> extras;

    public IntentFields(
            Kind kind,
            String action,
            String data,
            String mime,
            String packageName,
            String className,
            List<String> categories,
            int flags,
            Map<String, Object> extras) {
        this.kind = kind;
        this.action = action;
        this.data = data;
        this.mime = mime;
        this.packageName = packageName;
        this.className = className;
        this.categories = Collections.unmodifiableList(categories);
        this.flags = flags;
        this.extras = Collections.unmodifiableMap(new LinkedHashMap<String, Object>(extras));
    }

    /** Return these fields with exactly this component. */
    public IntentFields to(Handler handler) {
        return new IntentFields(
                kind,
                action,
                data,
                mime,
                handler.packageName,
                handler.className,
                categories,
                flags,
                extras);
    }
}
