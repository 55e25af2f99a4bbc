package dev.handheld.helper.compat;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.fail;

import android.graphics.Rect;
import android.os.BadParcelableException;
import android.os.Build;
import android.os.Bundle;
import android.os.Parcel;
import android.os.Parcelable;
import android.text.SpannableString;
import dev.handheld.helper.device.Offers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;

@RunWith(RobolectricTestRunner.class)
public final class BundlesTest {
    /** Of a class that nobody can make from a parcel, as one that only the app has. */
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

    /** As it arrives in another process. */
    private static Bundle sent(Bundle bundle) {
        Parcel parcel = Parcel.obtain();
        try {
            parcel.writeBundle(bundle);
            parcel.setDataPosition(0);
            return parcel.readBundle(BundlesTest.class.getClassLoader());
        } finally {
            parcel.recycle();
        }
    }

    private static HashMap<String, Object> map(Object value) {
        HashMap<String, Object> map = new HashMap<String, Object>();
        map.put("k", value);
        return map;
    }

    @SuppressWarnings("deprecation")
    private static Object get(Bundle bundle, String key) {
        return bundle.get(key);
    }

    @Test
    public void everyKindArrivesAsItself() {
        Map<String, Object> given = new LinkedHashMap<String, Object>();
        given.put("text", "ä😀");
        given.put("yes", true);
        given.put("int", 7);
        given.put("long", 1L << 40);
        given.put("double", 0.5);
        given.put("texts", new String[] {"a", "b"});
        given.put("map", Collections.singletonMap("k", "v"));

        Bundle arrived = sent(Bundles.write(given));

        assertEquals("ä😀", arrived.getString("text"));
        assertEquals(true, arrived.getBoolean("yes"));
        assertEquals(7, get(arrived, "int"));
        assertEquals(1L << 40, get(arrived, "long"));
        assertEquals(0.5, get(arrived, "double"));
        assertArrayEquals(new String[] {"a", "b"}, arrived.getStringArray("texts"));
        assertEquals(map("v"), get(arrived, "map"));
        assertEquals(HashMap.class, get(arrived, "map").getClass());
        assertEquals(7, arrived.size());
    }

    @Test
    public void whatAnAppAnswersIsReadKindByKind() {
        Bundle answer = new Bundle();
        answer.putCharSequence("styled", new SpannableString("bold"));
        answer.putFloat("float", 0.1f);
        answer.putShort("short", (short) -3);
        answer.putByte("byte", (byte) 9);
        answer.putStringArrayList("list", new ArrayList<String>(Arrays.asList("x", "y")));
        answer.putSerializable("map", map("v"));

        Map<String, Object> read = Bundles.read(sent(answer));

        assertEquals("bold", read.get("styled"));
        assertEquals(0.1, read.get("float"));
        assertEquals(-3, read.get("short"));
        assertEquals(9, read.get("byte"));
        assertArrayEquals(new String[] {"x", "y"}, (String[]) read.get("list"));
        assertEquals(Collections.singletonMap("k", "v"), read.get("map"));
    }

    @Test
    public void whatTheProtocolHasNotIsNamed() {
        Bundle answer = new Bundle();
        answer.putParcelable("rect", new Rect(1, 2, 3, 4));
        answer.putIntArray("numbers", new int[] {1});
        answer.putChar("char", 'c');
        answer.putString("null", null);
        answer.putIntegerArrayList("list", new ArrayList<Integer>(Arrays.asList(1)));
        answer.putSerializable("map", map(1));
        answer.putBundle("bundle", new Bundle());
        answer.putString("text", "still there");

        Map<String, Object> read = Bundles.read(sent(answer));

        assertEquals("still there", read.remove("text"));
        assertEquals(7, read.size());
        for (Map.Entry<String, Object> one : read.entrySet()) {
            assertSame(one.getKey(), Offers.UNREADABLE, one.getValue());
        }
    }

    @Test
    public void anObjectOfTheAppsOwnSpoilsNoMoreThanItMust() {
        Bundle answer = new Bundle();
        answer.putString("text", "there");
        answer.putParcelable("strange", new Strange());
        Bundle arrived = sent(answer);

        if (Build.VERSION.SDK_INT >= 33) {
            Map<String, Object> expected = new HashMap<String, Object>();
            expected.put("text", "there");
            expected.put("strange", Offers.UNREADABLE);
            assertEquals(expected, Bundles.read(arrived));
            return;
        }
        try {
            Bundles.read(arrived);
            fail();
        } catch (BadParcelableException unreadable) {
            // The second look throws no more.
            assertFalse(Bundles.read(arrived).containsKey("strange"));
        }
    }
}
