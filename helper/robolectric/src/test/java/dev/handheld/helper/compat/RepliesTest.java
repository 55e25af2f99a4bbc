package dev.handheld.helper.compat;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertSame;

import android.content.IIntentSender;
import android.content.Intent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;

@RunWith(RobolectricTestRunner.class)
public final class RepliesTest {
    private final List<String> heard = new ArrayList<String>();

    private final class Heard extends Replies {
        @Override
        void received(int code, Intent intent) {
            if (code == 9) {
                throw new IllegalStateException("broken");
            }
            heard.add(code + " " + intent.getStringExtra("response"));
        }
    }

    @Test
    public void aReplyComesBackHere() throws Exception {
        Intent reply = new Intent().putExtra("response", "done");

        new Heard().pending().getTarget().send(3, reply, null, null, null, null, null);

        assertEquals(Arrays.asList("3 done"), heard);
    }

    @Test
    public void itTravelsAsOurOwnSender() {
        Heard replies = new Heard();

        assertSame(replies, replies.pending().getTarget());
        assertSame(replies, replies.pending().getTarget().asBinder());
    }

    @Test
    public void aReplyThatCannotBeReadHarmsNobody() throws Exception {
        IIntentSender target = new Heard().pending().getTarget();

        target.send(9, new Intent(), null, null, null, null, null);
        target.send(1, new Intent(), null, null, null, null, null);

        assertEquals(Arrays.asList("1 null"), heard);
    }
}
