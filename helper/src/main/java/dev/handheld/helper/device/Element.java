package dev.handheld.helper.device;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** An element of an XML resource. */
public final class Element {
    public final String tag;
    /** By local name, values as XmlPullParser coerces them to strings. */
    public final Map<String, String> attributes = new LinkedHashMap<String, String>();
    public final List<Element> children = new ArrayList<Element>();

    public Element(String tag) {
        this.tag = tag;
    }
}
