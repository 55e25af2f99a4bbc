package dev.handheld.helper.commands;

import dev.handheld.helper.device.Component;
import dev.handheld.helper.device.Element;
import dev.handheld.helper.device.Offers.NoDescriptor;
import dev.handheld.helper.protocol.Answer;
import dev.handheld.helper.protocol.Arguments;
import dev.handheld.helper.protocol.Command;
import dev.handheld.helper.protocol.Job;
import dev.handheld.helper.protocol.JsonWriter;
import dev.handheld.helper.protocol.Lane;
import dev.handheld.helper.protocol.Text;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Discovers the tools that apps declare. */
final class Offers extends Command {
    private static final int DESCRIPTOR_LIMIT = 256 * 1024;
    /** Of all apps together. */
    private static final int DESCRIPTORS_LIMIT = 2 * 1024 * 1024;
    /** Nesting of elements. A valid descriptor has four levels. */
    private static final int DEEPEST = 32;
    /** UTF-16 units of a label, a name or a description; longer ones are cut. */
    private static final int WORDS_LIMIT = 1000;
    /** Services, and providers, of one app that are reported. */
    private static final int MOST_COMPONENTS = 10;

    Offers() {
        super("offers", Lane.WORK, false, false);
    }

    @Override
    public void check(Map<String, Object> with) {
        Arguments.keys(with);
    }

    @Override
    public Answer run(Job job) {
        dev.handheld.helper.device.Offers offers = job.device.offers();
        int sequence = offers.sequence();
        int left = DESCRIPTORS_LIMIT;
        List<Object> services = new ArrayList<Object>();
        for (Component component : first(offers.services())) {
            Map<String, Object> fields = declared(component);
            fields.put("name", Text.cut(component.name, WORDS_LIMIT));
            fields.put("description", Text.cut(component.description, WORDS_LIMIT));
            left -= describe(offers, component, fields, left);
            services.add(fields);
        }
        List<Object> providers = new ArrayList<Object>();
        for (Component component : first(offers.providers())) {
            Map<String, Object> fields = declared(component);
            fields.put("authority", component.authority);
            providers.add(fields);
        }
        Map<String, Object> found = new LinkedHashMap<String, Object>();
        found.put("services", services);
        found.put("providers", providers);
        return Answer.of("sequence", sequence).with(JsonWriter.bytes(found));
    }

    /** The first components of each app. */
    private static List<Component> first(List<Component> all) {
        Map<String, Integer> counts = new HashMap<String, Integer>();
        List<Component> first = new ArrayList<Component>();
        for (Component component : all) {
            Integer before = counts.get(component.packageName);
            int count = before == null ? 1 : before + 1;
            counts.put(component.packageName, count);
            if (count <= MOST_COMPONENTS) {
                first.add(component);
            }
        }
        return first;
    }

    private static Map<String, Object> declared(Component component) {
        Map<String, Object> fields = new LinkedHashMap<String, Object>();
        fields.put("package", component.packageName);
        fields.put("label", Text.cut(component.label, WORDS_LIMIT));
        fields.put("version_code", component.versionCode);
        fields.put("signer", component.signer);
        fields.put("class", component.className);
        fields.put("exported", component.exported);
        fields.put("permission", component.permission);
        return fields;
    }

    /** Add the descriptor, or the reason why there is none; return its bytes of JSON. */
    private static int describe(
            dev.handheld.helper.device.Offers offers,
            Component component,
            Map<String, Object> fields,
            int left) {
        Object descriptor = null;
        String problem = "";
        int size = 0;
        try {
            descriptor = lists(offers.descriptor(component, DEEPEST, DESCRIPTOR_LIMIT));
            size = JsonWriter.bytes(descriptor).length;
        } catch (NoDescriptor none) {
            problem = none.getMessage();
        }
        if (size > DESCRIPTOR_LIMIT) {
            problem = "Its descriptor is over " + DESCRIPTOR_LIMIT + " bytes.";
        } else if (size > left) {
            problem = "The descriptors of all apps are too large together.";
        }
        fields.put("descriptor", problem.isEmpty() ? descriptor : null);
        fields.put("problem", problem);
        return problem.isEmpty() ? size : 0;
    }

    private static List<Object> lists(Element element) {
        List<Object> children = new ArrayList<Object>();
        for (Element child : element.children) {
            children.add(lists(child));
        }
        List<Object> lists = new ArrayList<Object>();
        lists.add(element.tag);
        lists.add(element.attributes);
        lists.add(children);
        return lists;
    }
}
