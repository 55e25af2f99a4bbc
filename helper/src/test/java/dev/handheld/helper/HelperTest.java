package dev.handheld.helper;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.fail;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.Test;

/** Who starts us. */
public final class HelperTest {
    private static Map<String, Object> holder(Object host, Object pid, Object client) {
        Map<String, Object> holder = new LinkedHashMap<String, Object>();
        holder.put("host", host);
        holder.put("pid", pid);
        holder.put("client", client);
        return holder;
    }

    @Test
    public void theHolderIsReadFromTheArguments() {
        String[] all = {"host=a b", "pid=12", "client=x=y", "other=1", "word"};
        assertEquals(holder("a b", 12L, "x=y"), Helper.holder(all));
    }

    @Test
    public void whatIsMissingOrNoNumberIsNothing() {
        assertEquals(holder("", 0L, ""), Helper.holder(new String[] {"pid=-1", "pid=\u0661"}));
        assertEquals(holder("", 0L, ""), Helper.holder(new String[0]));
    }

    @Test
    public void aClaimIsReadOrRefusedButNeverIgnored() throws IOException {
        assertNull(Helper.claim(new String[] {"host=a", "other=claim=1:h:n"}));
        assertEquals("7:h:n", Helper.claim(new String[] {"host=a", "claim=7:h:n"}).toString());
        try {
            Helper.claim(new String[] {"claim="});
            fail("An empty claim is none.");
        } catch (IOException expected) {
            assertEquals("The claim cannot be read.", expected.getMessage());
        }
    }
}
