package dev.handheld.helper.commands;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import dev.handheld.helper.device.Device;
import dev.handheld.helper.device.Node;
import dev.handheld.helper.protocol.Jobs;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.Test;

/** A password field, into which goes what has no key as well. */
public final class FieldTest {
    private final List<String> done = new ArrayList<String>();
    private int flags = Node.EDITABLE | Node.PASSWORD | Node.FOCUSED;
    private boolean takesPaste = true;
    private double now;

    /** A phone of which only what a field needs is there. */
    private final InvocationHandler phone =
            new InvocationHandler() {
                @Override
                public Object invoke(Object proxy, Method method, Object[] arguments) {
                    switch (method.getName()) {
                        case "nodes":
                        case "input":
                        case "clipboard":
                        case "clock":
                            return part(method.getReturnType());
                        case "find":
                            return node();
                        case "now":
                            return now;
                        case "await":
                            now = (Double) arguments[1];
                            return null;
                        case "check":
                            return null;
                        case "keep":
                            return "what was there";
                        case "type":
                            boolean known = ((String) arguments[0]).charAt(0) < 0x80;
                            done.add(known ? "keys " + arguments[0] : "no keys");
                            return known;
                        case "perform":
                            done.add("perform " + arguments[1]);
                            return takesPaste;
                        default:
                            done.add(method.getName() + " " + Arrays.toString(arguments));
                            return null;
                    }
                }
            };

    private Node node() {
        return new Node(0, 0, "1:2:3", null, "••", null, null, 0, 0, 1, 1, flags, 0);
    }

    private Object part(Class<?> kind) {
        return Proxy.newProxyInstance(kind.getClassLoader(), new Class<?>[] {kind}, phone);
    }

    private boolean put(String text) {
        return new Field(Jobs.on((Device) part(Device.class)), node()).put(text);
    }

    @Test
    public void whatHasKeysGoesInAsKeys() {
        assertTrue(put("a"));
        assertEquals(Arrays.asList("keys a"), done);
    }

    @Test
    public void whatHasNoKeyIsPastedFlaggedAndTheClipComesBack() {
        assertTrue(put("ő"));
        assertEquals(
                Arrays.asList(
                        "no keys",
                        "set [ő, [android.content.extra.IS_SENSITIVE,"
                                + " com.android.systemui.SUPPRESS_CLIPBOARD_OVERLAY,"
                                + " dev.handheld.passing]]",
                        "perform PASTE",
                        "putBack [what was there]"),
                done);
    }

    @Test
    public void theClipComesBackAlsoWhenTheFieldTakesNothing() {
        takesPaste = false;
        assertFalse(put("ő"));
        assertEquals("putBack [what was there]", done.get(done.size() - 1));
    }

    @Test
    public void withoutTheFocusNothingIsTyped() {
        flags &= ~Node.FOCUSED;
        assertFalse(put("a"));
        assertEquals(new ArrayList<String>(), done);
    }
}
