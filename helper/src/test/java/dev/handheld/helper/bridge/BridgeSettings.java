package dev.handheld.helper.bridge;

import dev.handheld.helper.device.Fix;
import dev.handheld.helper.device.Locales;
import dev.handheld.helper.device.Locations;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The languages and the place of the test's world. */
final class BridgeSettings implements Locales, Locations {
    private final Bridge bridge;

    BridgeSettings(Bridge bridge) {
        this.bridge = bridge;
    }

    @Override
    public List<String> get() {
        List<String> tags = new ArrayList<String>();
        for (Object tag : (List<?>) bridge.call("languages")) {
            tags.add((String) tag);
        }
        return tags;
    }

    @Override
    public void set(List<String> tags) {
        bridge.call("set_languages", tags);
    }

    @Override
    public boolean enabled() {
        return (Boolean) bridge.call("location_enabled");
    }

    @Override
    public Fix last() {
        return fix(bridge.call("last_location"));
    }

    private static Fix fix(Object value) {
        if (value == null) {
            return null;
        }
        Map<String, Object> said = Bridge.map(value);
        return new Fix(
                real(said, "latitude"),
                real(said, "longitude"),
                real(said, "accuracy"),
                (String) said.get("provider"),
                ((Number) said.get("age_ms")).longValue(),
                (Boolean) said.get("mock"));
    }

    private static double real(Map<String, Object> said, String name) {
        return ((Number) said.get(name)).doubleValue();
    }

    @Override
    public Runnable find(final Locations.Listener listener) {
        final long callback =
                bridge.register(
                        new Bridge.Listener() {
                            @Override
                            public void told(Map<String, Object> message) {
                                listener.found(fix(message.get("fix")));
                            }
                        });
        bridge.call("find_location", callback);
        return new Runnable() {
            @Override
            public void run() {
                bridge.call("end_location", callback);
            }
        };
    }

    @Override
    public void pretend(double latitude, double longitude, double accuracy) {
        bridge.call("pretend_location", latitude, longitude, accuracy);
    }

    @Override
    public void repeat(double latitude, double longitude, double accuracy) {
        bridge.call("repeat_location", latitude, longitude, accuracy);
    }

    @Override
    public void stopPretending() {
        bridge.call("stop_pretending");
    }
}
