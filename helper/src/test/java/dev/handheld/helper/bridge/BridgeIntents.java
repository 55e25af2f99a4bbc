package dev.handheld.helper.bridge;

import dev.handheld.helper.device.Handler;
import dev.handheld.helper.device.IntentFields;
import dev.handheld.helper.device.Intents;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Intents of a world. */
final class BridgeIntents implements Intents {
    private final Bridge bridge;

    BridgeIntents(Bridge bridge) {
        this.bridge = bridge;
    }

    @Override
    public List<Handler> find(IntentFields intent) {
        List<Handler> found = new ArrayList<Handler>();
        for (Object one : (List<?>) bridge.call("find_handlers", write(intent))) {
            List<?> said = (List<?>) one;
            found.add(
                    new Handler(
                            (String) said.get(0),
                            (String) said.get(1),
                            (String) said.get(2),
                            (Boolean) said.get(3),
                            (String) said.get(4)));
        }
        return found;
    }

    @Override
    public int open(IntentFields intent) {
        return ((Number) bridge.call("open_intent", write(intent))).intValue();
    }

    @Override
    public void start(IntentFields intent) {
        bridge.call("intent_service", write(intent));
    }

    @Override
    public void broadcast(IntentFields intent) {
        bridge.call("broadcast", write(intent));
    }

    private static Map<String, Object> write(IntentFields intent) {
        Map<String, Object> fields = new LinkedHashMap<String, Object>();
        fields.put("type", intent.kind.name().toLowerCase(Locale.ROOT));
        fields.put("action", intent.action);
        fields.put("data", intent.data);
        fields.put("mime", intent.mime);
        fields.put("package", intent.packageName);
        fields.put("class", intent.className);
        fields.put("categories", intent.categories);
        fields.put("flags", intent.flags);
        List<Object> extras = new ArrayList<Object>();
        for (Map.Entry<String, Object> extra : intent.extras.entrySet()) {
            List<Object> parts = new ArrayList<Object>();
            parts.add(extra.getKey());
            parts.add("");
            // A float would be written with the digits of a double.
            boolean real = extra.getValue() instanceof Float;
            parts.add(real ? Double.valueOf(extra.getValue().toString()) : extra.getValue());
            extras.add(parts);
        }
        fields.put("extras", extras);
        return fields;
    }
}
