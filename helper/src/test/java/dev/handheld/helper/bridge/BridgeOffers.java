package dev.handheld.helper.bridge;

import dev.handheld.helper.device.Component;
import dev.handheld.helper.device.Element;
import dev.handheld.helper.device.Offers;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the apps in the test's world offer. */
final class BridgeOffers implements Offers {
    private final Bridge bridge;

    BridgeOffers(Bridge bridge) {
        this.bridge = bridge;
    }

    @Override
    public List<Component> services() {
        return components("services");
    }

    @Override
    public List<Component> providers() {
        return components("providers");
    }

    private List<Component> components(String which) {
        List<Component> components = new ArrayList<Component>();
        for (Map<String, Object> said : Bridge.maps(bridge.call(which))) {
            components.add(
                    new Component(
                            (String) said.get("package"),
                            (String) said.get("label"),
                            (Long) said.get("version_code"),
                            (String) said.get("signer"),
                            (String) said.get("class"),
                            (Boolean) said.get("exported"),
                            (String) said.get("permission"),
                            (String) said.get("authority"),
                            (String) said.get("name"),
                            (String) said.get("description")));
        }
        return components;
    }

    @Override
    public Element descriptor(Component service, int deepest, int longest) throws NoDescriptor {
        Object said =
                bridge.call("descriptor", service.packageName, service.className, deepest);
        if (said instanceof String) {
            throw new NoDescriptor((String) said);
        }
        return element((List<?>) said);
    }

    private static Element element(List<?> said) {
        Element element = new Element((String) said.get(0));
        for (Map.Entry<String, Object> entry : Bridge.map(said.get(1)).entrySet()) {
            element.attributes.put(entry.getKey(), (String) entry.getValue());
        }
        for (Object child : (List<?>) said.get(2)) {
            element.children.add(element((List<?>) child));
        }
        return element;
    }

    @Override
    public int sequence() {
        return ((Long) bridge.call("package_sequence")).intValue();
    }

    @Override
    public List<String> changedSince(int sequence) {
        List<String> names = new ArrayList<String>();
        for (Object name : (List<?>) bridge.call("packages_changed", sequence)) {
            names.add((String) name);
        }
        return names;
    }

    @Override
    public Map<String, Object> call(
            String authority, String method, String arg, Map<String, Object> extras) {
        Object said = bridge.call("provider_call", authority, method, arg, extras);
        if (said == null) {
            return null;
        }
        Map<String, Object> bundle = new LinkedHashMap<String, Object>();
        for (Map.Entry<String, Object> entry : Bridge.map(said).entrySet()) {
            bundle.put(entry.getKey(), value((List<?>) entry.getValue()));
        }
        return bundle;
    }

    /**
     * As a Bundle would give it: numbers and arrays of their own kinds, and what it has no word
     * for.
     */
    private static Object value(List<?> said) {
        if (said.get(0).equals("other")) {
            return UNREADABLE;
        }
        if (said.get(0).equals("real")) {
            return Double.valueOf((String) said.get(1));
        }
        Object value = said.get(1);
        return value instanceof List ? ((List<?>) value).toArray(new String[0]) : value;
    }

    @Override
    public void start(
            String packageName,
            String className,
            Map<String, String> extras,
            final Callback callback) {
        long number =
                bridge.register(
                        new Bridge.Listener() {
                            @Override
                            public void told(Map<String, Object> message) {
                                Map<String, String> extras = new LinkedHashMap<String, String>();
                                for (Map.Entry<String, Object> entry :
                                        Bridge.map(message.get("extras")).entrySet()) {
                                    extras.put(entry.getKey(), (String) entry.getValue());
                                }
                                callback.replied(extras);
                            }
                        });
        bridge.call("start_service", packageName, className, extras, number);
    }
}
