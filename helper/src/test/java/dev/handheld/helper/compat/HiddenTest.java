package dev.handheld.helper.compat;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import java.io.IOException;
import org.junit.Test;

public final class HiddenTest {
    private static final String OWNER = Strange.class.getName();

    /** Stands for a class of Android. */
    private static final class Strange {
        private int number = 7;

        private static String both(String one, int other) {
            return one + other;
        }

        private void refuse() throws IOException {
            throw new IOException("never");
        }

        private void forbid() {
            throw new SecurityException("not you");
        }
    }

    @Test
    public void theFirstFormThatIsThereIsUsed() {
        Hidden both =
                Hidden.method(
                        Hidden.form(OWNER, "both", "newer", "java.lang.String", "long"),
                        Hidden.form("no.such.Class", "both", "another"),
                        Hidden.form(OWNER, "both", "until now", "java.lang.String", "int"));

        assertEquals(2, both.form());
        assertEquals("a5", both.call(null, "a", 5));
    }

    @Test
    public void aFieldIsReadAndWritten() {
        Hidden number = Hidden.field(Hidden.form(OWNER, "number", "always"));
        Strange strange = new Strange();

        assertEquals(7, number.get(strange));
        number.set(strange, 8);
        assertEquals(8, strange.number);
    }

    @Test
    public void aConstructorMakesOne() {
        Hidden make = Hidden.constructor(Hidden.form(OWNER, "<init>", "always"));

        assertEquals(Strange.class, make.make().getClass());
    }

    @Test
    public void whatIsNotThereIsNamedWhenItIsNeeded() {
        Hidden none = Hidden.optionalMethod(Hidden.form(OWNER, "none", "since 99"));

        assertFalse(none.isThere());
        try {
            none.call(null);
            fail();
        } catch (IllegalStateException missing) {
            assertEquals("This Android has no " + OWNER + ".none.", missing.getMessage());
        }
    }

    @Test
    public void whatTheMethodThrowsComesOut() {
        Hidden forbid = Hidden.method(Hidden.form(OWNER, "forbid", "always"));
        Hidden refuse = Hidden.method(Hidden.form(OWNER, "refuse", "always"));
        Strange strange = new Strange();
        try {
            forbid.call(strange);
            fail();
        } catch (SecurityException thrown) {
            assertEquals("not you", thrown.getMessage());
        }
        try {
            refuse.call(strange);
            fail();
        } catch (IllegalStateException wrapped) {
            assertSame(IOException.class, wrapped.getCause().getClass());
        }
    }

    @Test
    public void primitiveTypesAreKnownByName() throws ClassNotFoundException {
        assertSame(int.class, Hidden.type("int"));
        assertSame(long.class, Hidden.type("long"));
        assertSame(boolean.class, Hidden.type("boolean"));
        assertTrue(Hidden.type("java.lang.String") == String.class);
    }
}
