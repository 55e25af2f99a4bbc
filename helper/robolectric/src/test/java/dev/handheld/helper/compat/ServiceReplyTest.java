package dev.handheld.helper.compat;

import static org.junit.Assert.assertEquals;

import android.content.Intent;
import android.os.Parcel;
import android.os.Parcelable;
import dev.handheld.helper.device.Offers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;

@RunWith(RobolectricTestRunner.class)
public final class ServiceReplyTest {
    private final List<Map<String, String>> replies = new ArrayList<Map<String, String>>();
    private final AndroidOffers.ServiceReply reply =
            new AndroidOffers.ServiceReply(
                    new Offers.Callback() {
                        @Override
                        public void replied(Map<String, String> extras) {
                            replies.add(extras);
                        }
                    });

    /** Nobody can make one from a parcel. */
    private static final class Strange implements Parcelable {
        @Override
        public int describeContents() {
            return 0;
        }

        @Override
        public void writeToParcel(Parcel parcel, int flags) {
            parcel.writeInt(1);
        }
    }

    /** As it arrives from another process. */
    private void send(Intent intent) throws Exception {
        Parcel parcel = Parcel.obtain();
        intent.writeToParcel(parcel, 0);
        parcel.setDataPosition(0);
        Intent arrived = Intent.CREATOR.createFromParcel(parcel);
        parcel.recycle();
        reply.pending().getTarget().send(0, arrived, null, null, null, null, null);
    }

    @Test
    public void textsAloneAreTold() throws Exception {
        send(new Intent().putExtra("response", "{\"id\": 1}").putExtra("count", 5));

        assertEquals(
                Arrays.asList(Collections.singletonMap("response", "{\"id\": 1}")), replies);
    }

    @Test
    public void anIntentWithoutExtrasIsAReplyToo() throws Exception {
        send(new Intent());

        assertEquals(Arrays.asList(Collections.<String, String>emptyMap()), replies);
    }

    @Test
    public void anObjectOfTheAppsOwnKeepsNoReplyBack() throws Exception {
        send(new Intent().putExtra("strange", new Strange()));

        assertEquals(Arrays.asList(Collections.<String, String>emptyMap()), replies);
    }
}
