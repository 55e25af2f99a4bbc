package dev.handheld.apptools;

import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The tools that one component of an app offers, in their order. */
public final class Tools {
    static final int MOST = 100;

    public final List<Tool> all;
    private final Map<String, Tool> named = new LinkedHashMap<String, Tool>();

    private Tools(Tool... tools) {
        if (tools.length == 0 || tools.length > MOST) {
            throw new IllegalArgumentException("1 to " + MOST + " tools: " + tools.length);
        }
        all = Collections.unmodifiableList(Arrays.asList(tools.clone()));
        for (Tool one : all) {
            if (named.put(one.name, one) != null) {
                throw new IllegalArgumentException("Two tools are called " + one.name + ".");
            }
        }
    }

    public static Tools of(Tool... tools) {
        return new Tools(tools);
    }

    /** The tool of this name, or null. */
    public Tool find(String name) {
        return named.get(name);
    }
}
